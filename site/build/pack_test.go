//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// module is a WebAssembly module of a custom section, a data section and a section after it.
func module(data []byte) []byte {
	out := []byte("\x00asm\x01\x00\x00\x00\x00\x03\x02hi\x0b")
	out = binary.AppendUvarint(out, uint64(len(data)))
	return append(append(out, data...), 0, 2, 1, 'x')
}

// memory is what segments put into memory.
func memory(t *testing.T, list []segment) []byte {
	t.Helper()
	var out []byte
	for _, s := range list {
		if need := int(s.offset) + len(s.data); need > len(out) {
			out = append(out, make([]byte, need-len(out))...)
		}
		copy(out[s.offset:], s.data)
	}
	return out
}

// dataOf is the data section of a module.
func dataOf(t *testing.T, module []byte) []segment {
	t.Helper()
	r := reader{rest: module[8:]}
	for len(r.rest) > 0 {
		if id, body := r.byte(), r.take(r.unsigned()); id == dataSection {
			list, err := readData(body)
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
	}
	t.Fatal("no data section", r.err)
	return nil
}

// TestPack: the memory stays the same, near segments become one, far, overlapping and backward ones stay apart, and so
// do the other sections.
func TestPack(t *testing.T) {
	list := []segment{
		{64, []byte{1, 2}}, {66, []byte{3}}, {127, []byte{4}}, {127 + 1 + gapMax, []byte{5}}, // joined
		{100_000, bytes.Repeat([]byte{6}, 300)}, {100_299, []byte{7}}, // far; over the last byte of the one before
		{9, []byte{8}}, // backward
	}
	got, err := pack(module(writeData(list)), nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := dataOf(t, got)
	if len(packed) != 4 {
		t.Errorf("%d segments, want 4", len(packed))
	}
	if !bytes.Equal(memory(t, packed), memory(t, list)) {
		t.Error("the memory differs")
	}
	if want := module(writeData(packed)); !bytes.Equal(got, want) {
		t.Errorf("other sections differ: %x, want %x", got, want)
	}
	again, err := pack(got, nil)
	if err != nil || !bytes.Equal(again, got) {
		t.Errorf("packed twice it differs, %v", err)
	}
}

// TestPackSigned: offsets of every length, also those beyond 2 GiB, which are written as negative numbers.
func TestPackSigned(t *testing.T) {
	for _, v := range []int64{0, 63, 64, -1, -64, -65, 8191, 8192, 1<<31 - 1, -1 << 31} {
		r := reader{rest: appendSigned(nil, v)}
		if got := r.signed(); got != v || r.err != nil || len(r.rest) > 0 {
			t.Errorf("%d is read back as %d, %v", v, got, r.err)
		}
	}
}

// TestPackErrors: what the step does not know is refused.
func TestPackErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "no WebAssembly module",
		"\x00asm\x01\x00\x00\x00\x0b\x09\x01": "ends within",
		string(module([]byte{1, 1, 0})):       "of kind 1",
		string(module([]byte{1, 0, 0x23, 0, 0x0b, 0})):       "instruction 0x23",
		string(module([]byte{1, 0, 0x41, 0, 0x6a, 0})):       "goes on with instruction 0x6a",
		string(module([]byte{1, 0, 0x41, 0, 0x0b, 5, 1})):    "ends within",
		string(module([]byte{1, 0, 0x41, 0, 0x0b, 1, 1, 9})): "1 bytes follow",
	} {
		if _, err := pack([]byte(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%x: %v, want %q", text, err, want)
		}
	}
}

// TestWithin: a program over its bound is told, at the compression it is bounded for.
func TestWithin(t *testing.T) {
	s := &site{
		files: []*file{{Source: all[0].file, Brotli: all[0].most}, {Source: all[1].file, Brotli: all[1].most + 1}},
	}
	list := s.within(11)
	if len(list) != 1 || list[0].file != all[1].file || !strings.Contains(list[0].Error(), " 1 more") {
		t.Errorf("one byte too many: %v", list)
	}
	if list := s.within(5); list != nil {
		t.Errorf("at a lower quality: %v", list)
	}
	s.files = s.files[:1]
	if list := s.within(11); list != nil {
		t.Errorf("at the bound: %v", list)
	}
}

// TestBare: a shader keeps its code and its lines, and no space goes that keeps two signs apart.
func TestBare(t *testing.T) {
	const want = "\n\n@group(0)\nlet x=a/b;\n"
	if got := bare("// What it does.\n\n@group(0) // first\n\tlet x = a / b; // half\n"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBareAlike: bare shaders have the same tokens.
func TestBareAlike(t *testing.T) {
	token := regexp.MustCompile(`[\w.]+|->|\+\+|--|&&|\|\||(<<|>>|[-+*/%&|^<>=!])=?|[^\s]`)
	paths, err := shaderFiles(filepath.Join("..", "..", "shaders"))
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			code, _, _ := strings.Cut(line, "//")
			code = strings.TrimSpace(code)
			got := bare(code)
			if !slices.Equal(token.FindAllString(got, -1), token.FindAllString(code, -1)) {
				t.Errorf("%s: %q became %q", path, code, got)
			}
			all += len(code) - len(got)
		}
	}
	if all < 1000 {
		t.Errorf("%d bytes of space are left out", all)
	}
}

// TestBareShaders: what takes the place of files.go is Go, and has every file of the folder and of those in it.
func TestBareShaders(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "shared"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.wgsl": "a(\"θ\"); // θ\n", "shared/b.wgsl": "b\n", "c.go": "c"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := bareShaders(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "files.go", got, 0); err != nil {
		t.Error(err)
	}
	const want = "var files = texts{\n\t\"a.wgsl\": \"a(\\\"θ\\\");\\n\",\n\t\"shared/b.wgsl\": \"b\\n\",\n}\n"
	if !strings.HasSuffix(got, want) {
		t.Errorf("%s\nshould end with\n%s", got, want)
	}
}

// TestOfBaseline: the shaders that only the second program has are those of the kernels in group Baseline.
func TestOfBaseline(t *testing.T) {
	for file, want := range map[string]bool{
		"average.wgsl": true, "rows_backward.wgsl": true, "rowsum.wgsl": true,
		"output_forward.wgsl": false, "matmul.wgsl": false, "recurrence_loop_gpu.wgsl": false, "row.wgsl": false,
	} {
		if got := ofBaseline(file); got != want {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
	lean, err := bareShaders(filepath.Join("..", "..", "shaders"), false)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]bool{"average.wgsl": false, "adam.wgsl": true, "shared/element.wgsl": true,
		"shared/gated_forward.wgsl": false, "shared/gather.wgsl": true, "shared/slices.wgsl": true} {
		if got := strings.Contains(lean, fmt.Sprintf("%q:", file)); got != want {
			t.Errorf("%s in the first program: %v, want %v", file, got, want)
		}
	}
}

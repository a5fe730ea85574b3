//go:build !js

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// toy makes a module in a folder of its own, with one program that logs, and goes there.
func toy(t *testing.T, source string) program {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module toy\n\ngo 1.26\n", "main.go": source} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return program{pkg: ".", file: "toy.wasm", fast: []string{"toy"}, lean: true}
}

const toySource = "package main\n\nimport \"log\"\n\nfunc main() { log.Println(\"here\") }\n"

// TestTricks: a program that the tricks fit is built with all of them. One that a stand-in has not enough for, as
// after a change of the standard library, is built without and says so; one that is wrong is an error, with the
// compiler's words.
func TestTricks(t *testing.T) {
	p := toy(t, toySource)
	small, skipped, err := compile(p, standIns)
	if err != nil || len(skipped) > 0 {
		t.Fatalf("%v, skipped %q", err, skipped)
	}
	large, skipped, err := compile(p, map[string]string{"log": "package log\n"})
	if err != nil || len(skipped) != 1 || !strings.Contains(skipped[0], "overlay") ||
		!strings.Contains(skipped[0], "undefined: log.Println") {
		t.Fatalf("a stand-in without Println: %v, skipped %q", err, skipped)
	}
	if len(large) <= len(small) || !bytes.HasPrefix(large, []byte("\x00asm")) {
		t.Errorf("%d bytes with the overlay, %d without", len(small), len(large))
	}
	p.fast = []string{"\x00"} // what go build does not take
	_, skipped, err = compile(p, standIns)
	if err != nil || len(skipped) != 1 || !strings.Contains(skipped[0], "inlining") {
		t.Errorf("a flag that is not known: %v, skipped %q", err, skipped)
	}
	data, _, err := compile(toy(t, "package main\n\nfunc main() { nothing() }\n"), standIns)
	if data != nil || err == nil || !strings.Contains(err.Error(), "undefined: nothing") {
		t.Errorf("a program that is wrong: %d bytes, %v", len(data), err)
	}
}

// TestShrink: of a module whose data, or whose table of lines, is not known the step concerned is left out and told.
func TestShrink(t *testing.T) {
	one := []segment{{64, []byte{1, 2}}, {66, []byte{3}}}
	lines, _ := lineProgram(64)
	foreign := module([]byte{1, 1, 0})
	for name, x := range map[string]struct {
		module  []byte
		lean    bool
		skipped string
		same    bool // the module comes back as it was
	}{
		"all":        {module(writeData([]segment{{64, lines}})), true, "", false},
		"not lean":   {module(writeData(one)), false, "", false},
		"no lines":   {module(writeData(one)), true, "lines", false},
		"other data": {foreign, true, "packing", true},
		"no module":  {[]byte("ELF"), true, "packing", true},
	} {
		got, skipped := shrink(x.module, x.lean)
		told := strings.Join(skipped, "\n")
		if x.skipped == "" && told != "" || !strings.Contains(told, x.skipped) || len(skipped) > 1 {
			t.Errorf("%s: skipped %q, want %q", name, skipped, x.skipped)
		}
		if bytes.Equal(got, x.module) != x.same {
			t.Errorf("%s: %x became %x", name, x.module, got)
		}
	}
}

// TestJudge: a program that is too large is an error, and a warning where a trick was skipped for it.
func TestJudge(t *testing.T) {
	large := []tooLarge{{"a.wasm", 11, 10}}
	if err := judge(large, map[string][]string{"b.wasm": {"packing"}}); err != large[0] {
		t.Errorf("nothing skipped for it: %v", err)
	}
	if err := judge(large, map[string][]string{"a.wasm": {"packing"}}); err != nil {
		t.Errorf("a trick skipped: %v", err)
	}
	if err := judge(nil, nil); err != nil {
		t.Errorf("nothing too large: %v", err)
	}
}

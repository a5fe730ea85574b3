//go:build !js

package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mhacsp/model/backend"
)

// The overlay (go help build, -overlay) changes what the trainer in the page is built from, and nothing else:
//
//   - The WebGPU binding logs three things that the trainer never lets happen. For them the packages log and log/slog,
//     with all that package time can write and read, would be in the program: 15 KB in brotli. Stand-ins hand them to
//     the console.
//   - Package internal/godebug reads settings of an environment that a browser has not. It brings the runtime's
//     metrics and package internal/bisect: 18 KB. A stand-in has every setting at its default.
//   - Shaders come as texts, without comments and most space: 12 KB. Their lines stay where they are, for the
//     compiler's errors. Package embed is then not in the program, nor what its files' times need of package time:
//     28 KB.
//   - Sorts are heap sorts (plainSorts).
//   - Powers of ten, for writing and reading numbers, are computed at the start (package powers): 10 KB.

// standIns are the packages of the standard library that are replaced, each by one file with what is used of it. Where
// more is used, by a later Go release too, the program does not compile with them, and compile goes on without.
var standIns = map[string]string{
	"log": `package log

import (
	"fmt"
	"syscall/js"
)

func Println(v ...any) { js.Global().Get("console").Call("log", fmt.Sprint(v...)) }
`,
	"log/slog": `package slog

import (
	"fmt"
	"syscall/js"
)

func Error(msg string, args ...any) { js.Global().Get("console").Call("error", msg, fmt.Sprint(args...)) }
`,
	"internal/godebug": `package godebug

type Setting struct{}

func New(string) *Setting       { return new(Setting) }
func (*Setting) Value() string  { return "" } // the default
func (*Setting) IncNonDefault() {}
`,
}

//go:embed powers/powers.go
var powers string

// overlay writes the overlay's files into a folder and returns the path of its list.
// Shaders of the families beside MHA-CSP are left out where families is not set.
func overlay(dir string, standIns map[string]string, families bool) (string, error) {
	replace := map[string]string{} // "" takes a file away
	put := func(target, text string) error {
		file := filepath.Join(dir, fmt.Sprintf("%d%s", len(replace), filepath.Ext(target)))
		replace[target] = file
		return os.WriteFile(file, []byte(text), 0o666)
	}
	root, err := goroot()
	if err != nil {
		return "", err
	}
	for pkg, text := range standIns {
		sources, err := filepath.Glob(filepath.Join(root, "src", filepath.FromSlash(pkg), "*.go"))
		if err != nil {
			return "", err
		}
		for _, f := range sources {
			replace[f] = ""
		}
		if err := put(filepath.Join(root, "src", filepath.FromSlash(pkg), "standin.go"), text); err != nil {
			return "", err
		}
	}
	sorts, err := plainSorts(root)
	if err != nil {
		return "", err
	}
	for path, text := range sorts {
		if err := put(path, text); err != nil {
			return "", err
		}
	}
	table := filepath.Join(root, "src/internal/strconv/pow10tab.go")
	if _, err := os.Stat(table); err != nil {
		return "", err
	}
	if err := put(table, powers); err != nil {
		return "", err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	texts, err := bareShaders(filepath.Join(here, "shaders"), families)
	if err != nil {
		return "", err
	}
	if err := put(filepath.Join(here, "shaders", "files.go"), texts); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(dir, "overlay.json")
	return list, os.WriteFile(list, text, 0o666)
}

// bareShaders is the source of package shaders' files.go with the texts themselves, bare, in place of embed.FS.
func bareShaders(dir string, families bool) (string, error) {
	paths, err := shaderFiles(dir)
	if err != nil {
		return "", err
	}
	if !families {
		paths = slices.DeleteFunc(paths, func(p string) bool { return ofBaseline(filepath.Base(p)) })
	}
	bodies := map[string]string{} // by the names that imports give
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			return "", err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return "", err
		}
		bodies[filepath.ToSlash(name)] = bare(string(text))
	}
	for left := 0; !families && left != len(bodies); { // what only files import that are left out is left out too
		left = len(bodies)
		all := strings.Join(slices.Collect(maps.Values(bodies)), "\n")
		maps.DeleteFunc(bodies, func(name, _ string) bool {
			return strings.Contains(name, "/") && !strings.Contains(all, strconv.Quote(name))
		})
	}
	var b strings.Builder
	b.WriteString(`package shaders

import "errors"

type texts map[string]string

func (t texts) ReadFile(path string) ([]byte, error) {
	if text, ok := t[path]; ok {
		return []byte(text), nil
	}
	return nil, errors.New("there is no such file")
}

var files = texts{
`)
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		fmt.Fprintf(&b, "\t%q: %q,\n", name, bodies[name])
	}
	b.WriteString("}\n")
	return b.String(), nil
}

// shaderFiles are the paths of a folder's shaders and of those in its folders.
func shaderFiles(dir string) (paths []string, err error) {
	for _, pattern := range []string{"*.wgsl", "*/*.wgsl"} {
		list, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		paths = append(paths, list...)
	}
	return paths, nil
}

// ofBaseline tells whether a shader's file is one of a kernel's in group Baseline: its name begins with the stem.
func ofBaseline(file string) bool {
	stem, _, _ := strings.Cut(strings.TrimSuffix(file, ".wgsl"), "_")
	group := reflect.TypeFor[backend.Baseline]()
	for i := range group.NumMethod() {
		kernel := group.Method(i).Name
		kernel = strings.TrimSuffix(strings.TrimSuffix(kernel, "Forward"), "Backward")
		if stem == strings.ToLower(kernel) {
			return true
		}
	}
	return false
}

// bare is a shader without comments to the end of a line, without the space around its lines, and without that beside
// most operators. Lines that package shaders looks for by their text keep theirs.
func bare(shader string) string {
	lines := strings.Split(shader, "\n")
	for i, line := range lines {
		code, _, _ := strings.Cut(line, "//")
		code = strings.TrimSpace(code)
		if !asWritten.MatchString(code) {
			code = spaceAfter.ReplaceAllString(spaceBefore.ReplaceAllString(code, "$1$2"), "$1$2")
		}
		lines[i] = code
	}
	return strings.Join(lines, "\n")
}

// Space goes only between a word or a bracket and an operator, so that no two signs become another one: "> =", "/ *".
var (
	asWritten   = regexp.MustCompile(`^(#|const |alias |fn sumE)`)
	spaceBefore = regexp.MustCompile(`([\w)\]]) ([-:=+*/%&|!<>{]+)`)
	spaceAfter  = regexp.MustCompile(`([-:=+*/%&|<>,;]) ([\w(])`)
)

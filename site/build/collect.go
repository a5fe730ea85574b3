//go:build !js

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// collect reads the static files of a folder, by their path with slashes; what is built or only for developers stays
// out.
func collect(dir, out string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if d.IsDir() {
			own := name == "build" || name == "test" || name == "dist" ||
				strings.HasPrefix(d.Name(), ".") && name != "."
			if own || filepath.Clean(p) == out {
				return filepath.SkipDir
			}
			return nil
		}
		notes := path.Ext(name) == ".go" || path.Ext(name) == ".md" || d.Name() == "package.json"
		if strings.HasPrefix(d.Name(), ".") || notes {
			return nil
		}
		files[name], err = os.ReadFile(p)
		return err
	})
	return files, err
}

// program is a Go program of the page. Only the packages named in fast are compiled with inlining: without it the rest
// is a tenth smaller and does not take longer, for it runs a few times a step. A lean program is built with the
// overlay and has no lines for stack traces.
type program struct {
	pkg, file string
	fast      []string
	lean      bool
	families  bool // with the families beside MHA-CSP: the build tag families, and the shaders of their kernels
	most      int  // bytes that it may have in brotli
}

var all = []program{
	{"./wasm/trainer", "trainer.wasm", []string{"mhacsp/model/backend/cpu/vec"}, true, false, 1_500_000},
	{"./wasm/trainer", "families.wasm", []string{"mhacsp/model/backend/cpu/vec"}, true, true, 1_700_000},
	{"./wasm/circle", "circle/circle.wasm", nil, false, false, 2_400_000},
	{"./wasm/clocks", "clocks.wasm", []string{"mhacsp/model/backend/cpu/vec"}, true, false, 1_500_000},
}

// programs builds what the page runs, with Go's own loader beside each. skipped says, by file, which tricks that make
// it smaller this toolchain does not take.
func programs(files map[string][]byte) (skipped map[string][]string, err error) {
	loader, err := wasmExec()
	if err != nil {
		return nil, err
	}
	skipped = map[string][]string{}
	for _, p := range all {
		if _, err := os.Stat(filepath.FromSlash(p.pkg)); errors.Is(err, fs.ErrNotExist) {
			fmt.Printf("%s is not there; the site is built without %s\n", p.pkg, p.file)
			continue
		}
		if files[p.file], skipped[p.file], err = compile(p, standIns); err != nil {
			return nil, err
		}
		files[path.Join(path.Dir(p.file), "wasm_exec.js")] = loader
	}
	return skipped, nil
}

// compile builds a program as small as the tricks here make it. They lean on how a Go release works inside, so each
// that a toolchain does not take is left out and told in skipped: the program is larger, and as good. An error is what
// the program does not build with in any way.
func compile(p program, standIns map[string]string) (data []byte, skipped []string, err error) {
	dir, err := os.MkdirTemp("", "mhacsp-site-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	type trick struct {
		name string
		args []string
	}
	var tricks []trick
	if p.fast != nil {
		args := []string{"-gcflags=all=-l"}
		for _, pkg := range p.fast {
			args = append(args, "-gcflags="+pkg+"=")
		}
		tricks = append(tricks, trick{"compiling without inlining", args})
	}
	if p.lean {
		list, err := overlay(dir, standIns, p.families)
		if err != nil {
			return nil, nil, err
		}
		tricks = append(tricks, trick{"the overlay of small packages and bare shaders", []string{"-overlay", list}})
	}
	out := filepath.Join(dir, "out.wasm")
	var first error
	for taken := 1<<len(tricks) - 1; ; taken-- { // all, then fewer
		var args []string
		if p.families {
			args = append(args, "-tags=families")
		}
		skipped = nil
		for i, t := range tricks {
			if taken>>i&1 == 1 {
				args = append(args, t.args...)
			} else {
				skipped = append(skipped, fmt.Sprintf("%s: %v", t.name, first))
			}
		}
		if err = build(p.pkg, out, args); err == nil {
			break
		}
		if taken == 0 {
			return nil, nil, err
		}
		if first == nil {
			first = err
		}
	}
	if data, err = os.ReadFile(out); err != nil {
		return nil, nil, err
	}
	data, more := shrink(data, p.lean)
	return data, append(skipped, more...), nil
}

func build(pkg, out string, tricks []string) error {
	// Without Go's stamp: it tells a clean checkout from one with a new file, so that names would change with neither.
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -X main.version=" + commit(), "-o", out}
	c := exec.Command("go", append(append(args, tricks...), pkg)...)
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOEXPERIMENT=", "GOFLAGS=")
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", pkg, err, bytes.TrimSpace(text))
	}
	return nil
}

// shrink does what is done to a finished program: it packs its data, and takes its lines for stack traces where lean.
func shrink(module []byte, lean bool) (smaller []byte, skipped []string) {
	var change func([]segment) error
	if lean {
		change = func(memory []segment) error {
			if err := clearLines(memory); err != nil {
				skipped = append(skipped, fmt.Sprintf("clearing the lines of stack traces: %v", err))
			}
			return nil
		}
	}
	smaller, err := pack(module, change)
	if err != nil {
		return module, append(skipped, fmt.Sprintf("packing the data: %v", err))
	}
	return smaller, skipped
}

// commit names what is built.
func commit() string {
	text, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}

// wasmExec is Go's loader for programs in the browser, of the toolchain that builds them.
func wasmExec() ([]byte, error) {
	root, err := goroot()
	if err != nil {
		return nil, err
	}
	for _, place := range []string{"lib/wasm", "misc/wasm"} {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(place), "wasm_exec.js"))
		if err == nil {
			return data, nil
		}
	}
	return nil, fmt.Errorf("wasm_exec.js is not in GOROOT (%s); install a whole Go toolchain", root)
}

// goroot is the folder of the toolchain that builds.
func goroot() (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w; install Go", err)
	}
	return strings.TrimSpace(string(root)), nil
}

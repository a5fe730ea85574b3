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

// collect reads the static files of a folder, by their path with slashes; what is built or only for developers stays out.
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
			if filepath.Clean(p) == out || name == "build" || name == "test" || name == "dist" || strings.HasPrefix(d.Name(), ".") && name != "." {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasPrefix(d.Name(), ".") || path.Ext(name) == ".go" || path.Ext(name) == ".md" {
			return nil
		}
		files[name], err = os.ReadFile(p)
		return err
	})
	return files, err
}

// program is a Go program of the page. Only the packages named in fast are compiled with inlining: without it the rest is
// a tenth smaller and does not take longer, for it runs a few times a step. A lean program is built with the overlay and has
// no lines for stack traces.
type program struct {
	pkg, file string
	fast      []string
	lean      bool
	most      int // bytes that it may have in brotli
}

var all = []program{
	{"./wasm/trainer", "trainer.wasm", []string{"mhacsp/model/backend/cpu/vec"}, true, 1_000_000},
	{"./wasm/circle", "circle/circle.wasm", nil, false, 2_500_000},
}

// programs builds what the page runs, with Go's own loader beside each.
func programs(files map[string][]byte) error {
	loader, err := wasmExec()
	if err != nil {
		return err
	}
	for _, p := range all {
		if _, err := os.Stat(filepath.FromSlash(p.pkg)); errors.Is(err, fs.ErrNotExist) {
			fmt.Printf("%s is not there; the site is built without %s\n", p.pkg, p.file)
			continue
		}
		if files[p.file], err = compile(p); err != nil {
			return err
		}
		files[path.Join(path.Dir(p.file), "wasm_exec.js")] = loader
	}
	return nil
}

func compile(p program) ([]byte, error) {
	dir, err := os.MkdirTemp("", "mhacsp-site-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "out.wasm")
	args := []string{"build", "-trimpath", "-ldflags=-s -w -X main.version=" + commit(), "-o", out}
	if p.fast != nil {
		args = append(args, "-gcflags=all=-l")
		for _, pkg := range p.fast {
			args = append(args, "-gcflags="+pkg+"=")
		}
	}
	if p.lean {
		list, err := overlay(dir)
		if err != nil {
			return nil, err
		}
		args = append(args, "-overlay", list)
	}
	c := exec.Command("go", append(args, p.pkg)...)
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOEXPERIMENT=", "GOFLAGS=")
	if text, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building %s: %w\n%s", p.pkg, err, bytes.TrimSpace(text))
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	var change func([]segment) error
	if p.lean {
		change = func(memory []segment) error {
			err := clearLines(memory)
			if errors.Is(err, errLines) { // another toolchain's: larger, and as good
				fmt.Printf("%s keeps its lines for stack traces: %v\n", p.file, err)
				return nil
			}
			return err
		}
	}
	if data, err = pack(data, change); err != nil {
		return nil, fmt.Errorf("packing %s: %w", p.file, err)
	}
	return data, nil
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

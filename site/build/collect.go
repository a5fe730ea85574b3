//go:build !js

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// collect reads the static files of a folder, by their path with slashes, but not what is built or for developers.
func collect(dir, out string) (map[string][]byte, error) {
	files := map[string][]byte{}
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
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
			if there, err := filepath.Abs(p); err != nil || !own && there != out {
				return err
			}
			return filepath.SkipDir
		}
		notes := path.Ext(name) == ".go" || path.Ext(name) == ".md" || d.Name() == "package.json"
		if strings.HasPrefix(d.Name(), ".") || notes {
			return nil
		}
		files[name], err = readFile(p)
		return err
	})
	return files, err
}

// readFile reads a file, a text of a checkout with Windows' line ends as the others.
func readFile(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if bytes.IndexByte(data, 0) < 0 {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	return data, err
}

// program is a Go program of the page.
type program struct {
	pkg, file string
	tags      string // families: with the families other than MHA-CSP
	most      int    // bytes that it may have in brotli
}

var all = []program{
	{"./wasm/trainer", "trainer.wasm", "", 1_500_000},
	{"./wasm/trainer", "families.wasm", "families", 1_700_000},
	{"./wasm/circle", "circle/circle.wasm", "", 2_400_000},
	{"./wasm/clocks", "clocks.wasm", "", 1_500_000},
}

// programs builds what the page runs, with Go's own loader next to each.
func programs(files map[string][]byte) error {
	loader, err := wasmExec()
	if err != nil {
		return err
	}
	for _, p := range all {
		if files[p.file], err = p.build(); err != nil {
			return err
		}
		files[path.Join(path.Dir(p.file), "wasm_exec.js")] = loader
	}
	return nil
}

// short are packages in which no function is copied to where it is called: they take none of a step's time, and the
// copies are 40 kB of the trainer.
var short = []string{
	"mhacsp/model", "mhacsp/model/train", "mhacsp/tasks/...", "mhacsp/wasm/session", "mhacsp/wasm/protocol",
	"encoding/json", "fmt", "log", "time",
}

// build compiles a program. Go's stamp is left out: it tells a clean checkout from one with a new file, so that names
// would change with neither.
func (p program) build() ([]byte, error) {
	dir, err := os.MkdirTemp("", "mhacsp-site-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "out.wasm")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-tags=" + p.tags,
		"-ldflags=-s -w -X main.version=" + commit(), "-o", out}
	for _, pkg := range short {
		args = append(args, "-gcflags="+pkg+"=-l")
	}
	c := exec.Command("go", append(args, p.pkg)...)
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	if text, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building %s: %w\n%s", p.pkg, err, bytes.TrimSpace(text))
	}
	return os.ReadFile(out)
}

// commit names what is built.
func commit() string {
	text, err := exec.Command("git", "rev-parse", "--show-prefix", "--short=12", "HEAD").Output()
	prefix, hash, _ := strings.Cut(string(text), "\n")
	if err != nil || prefix != "" { // no checkout, or within another one
		return "unknown"
	}
	return strings.TrimSpace(hash)
}

// wasmExec is Go's loader for programs in the browser, of the toolchain that builds them.
func wasmExec() ([]byte, error) {
	text, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w; install Go", err)
	}
	loader, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(text)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("%w; install a whole Go toolchain", err)
	}
	return loader, nil
}

//go:build !js

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// diskRun is a run of a few seconds whose optimizer file has nearly 200 KB, with a log of some 60 KB.
func diskRun(out string, more ...string) []string {
	return append([]string{"train", "--backend", "cpu", "--task", "parity", "--model", "csp", "--width", "48",
		"--steps", "300", "--checkpoint-every", "100", "--batch", "4", "--max-length", "6", "--curriculum=false",
		"--eval-every", "0", "--eval-samples", "8", "--test-samples", "8", "--threads", "1", "--out", out}, more...)
}

// limited runs the command line where no file may grow beyond a size, in blocks of 512 bytes or, as some shells count,
// 1 024. To the program that is a write that fails midway, as on a full disk.
func (p place) limited(blocks int, args ...string) (code int, errs string) {
	p.Helper()
	script := fmt.Sprintf(`ulimit -f %d && exec "$@"`, blocks)
	c := exec.Command("sh", append([]string{"-c", script, "sh", binary()}, args...)...)
	c.Dir = p.dir
	var e bytes.Buffer
	c.Stderr = &e
	if err := c.Run(); err != nil && c.ProcessState == nil {
		p.Fatal(err)
	}
	return c.ProcessState.ExitCode(), e.String()
}

// TestDiskFillsUp: where a checkpoint or the log finds no more space, the run ends with one line that names the file
// and how to go on; the old checkpoint is whole; and with space again the run goes on to the same bytes.
func TestDiskFillsUp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell with ulimit")
	}
	p := newPlace(t)
	p.ok(diskRun("whole")...)
	if n := len(p.read("whole/optimizer.safetensors")); n < 150<<10 {
		t.Fatalf("the optimizer file has %d bytes; more are needed to tell it from the log", n)
	}
	small := []string{"--width", "8"} // its checkpoints fit where the log of its steps does not
	p.ok(diskRun("small", small...)...)
	for _, x := range []struct {
		name   string
		before func(dir string) // makes what stands on the disk before it is full
		blocks int
		args   func(dir string) []string
		whole  string
		code   int
		words  []string
	}{
		{
			"checkpoint", func(dir string) { p.interrupt(diskRun(dir)...) }, 128,
			func(dir string) []string { return []string{"train", "--resume", dir} }, "whole", codeInternal,
			[]string{"checkpoint/optimizer.safetensors: not written: ", "last good checkpoint: step ",
				"mhacsp train --resume checkpoint"},
		},
		{
			"first", func(string) {}, 128, func(dir string) []string { return diskRun(dir) }, "whole", codeUser,
			[]string{"first/optimizer.safetensors: not written: "},
		},
		{
			"log", func(string) {}, 24,
			func(dir string) []string { return diskRun(dir, small...) }, "small", codeInternal,
			[]string{"log/metrics.jsonl", "free space and resume with --resume log"},
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := place{t, p.dir}
			x.before(x.name)
			old := p.files(x.name + "/*.safetensors")
			code, errs := p.limited(x.blocks, x.args(x.name)...)
			if code != x.code {
				t.Fatalf("exit code %d, want %d\n%s", code, x.code, errs)
			}
			lines := strings.Split(strings.TrimSpace(errs), "\n")
			last := lines[len(lines)-1]
			t.Log(last)
			for _, want := range append(x.words, "mhacsp: ", "file too large") {
				if !strings.Contains(last, want) {
					t.Errorf("%q is not in %q", want, last)
				}
			}
			if strings.Contains(errs, ".tmp") || strings.Contains(errs, "goroutine ") {
				t.Errorf("what is ours alone stands in\n%s", errs)
			}
			for name, text := range old {
				if !bytes.Equal(p.read(name), text) {
					t.Errorf("%s is not what it was", name)
				}
			}
			p.ok("train", "--resume", x.name)
			if !bytes.Equal(p.read(x.whole+"/model.safetensors"), p.read(x.name+"/model.safetensors")) {
				t.Error("the resumed run ends in another model")
			}
			if a, b := stepsOf(p.read(x.whole+"/metrics.jsonl")), stepsOf(p.read(x.name+"/metrics.jsonl")); a != b {
				t.Errorf("the log has %d steps, that of the resumed run %d", a, b)
			}
			p.onlyRunFiles(x.name)
		})
	}
}

// files are those of a pattern, with their content.
func (p place) files(pattern string) map[string][]byte {
	p.Helper()
	paths, err := filepath.Glob(p.path(pattern))
	if err != nil {
		p.Fatal(err)
	}
	list := map[string][]byte{}
	for _, path := range paths {
		name, err := filepath.Rel(p.dir, path)
		if err != nil {
			p.Fatal(err)
		}
		list[name] = p.read(name)
	}
	return list
}

//go:build !js

package main

import (
	"bytes"
	little "encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mhacsp/model/train"
)

// mutations is how many damaged files TestMutations tries; MHACSP_MUTATIONS=10000 tries more.
func mutations(t *testing.T) int {
	n := 210
	if text := os.Getenv("MHACSP_MUTATIONS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("MHACSP_MUTATIONS: %v", err)
		}
	}
	return n
}

// strange are values that a number or a word of JSON may become.
func strange() []string {
	return []string{
		"null", "-1", "0", "1e999", "-1e308", "1.5", `"x"`, "[]", "{}", "[[]]", "true", "99999999999999999999",
		"2147483648", "65536", "", ",", `"\u0000"`, `{"a":{"a":{"a":1}}}`,
	}
}

// mutate damages a file in one to three places.
func mutate(random *rand.Rand, text []byte) []byte {
	text = slices.Clone(text)
	place := func() int { return random.IntN(len(text) + 1) }
	span := func() (from, to int) {
		from = place()
		return from, min(len(text), from+1+random.IntN(20))
	}
	for range 1 + random.IntN(3) {
		from, to := span()
		switch random.IntN(9) {
		case 0: // a bit
			if len(text) > 0 {
				text[random.IntN(len(text))] ^= 1 << random.IntN(8)
			}
		case 1: // the end is missing
			text = text[:from]
		case 2: // something is missing
			text = slices.Delete(text, from, to)
		case 3: // something stands twice
			text = slices.Insert(text, to, bytes.Clone(text[from:to])...)
		case 4: // noise
			for i := from; i < to; i++ {
				text[i] = byte(random.Uint32())
			}
		case 5: // a number that is none, or a great one, where a tensor may lie
			if at := from &^ 3; at+4 <= len(text) {
				x := []float32{float32(math.NaN()), float32(math.Inf(-1)), 3e38, -1e20, 1e-40}[random.IntN(5)]
				little.LittleEndian.PutUint32(text[at:], math.Float32bits(x))
			}
		case 6, 7: // another value of JSON
			if found := valueAt(text, from); found != nil {
				text = slices.Replace(text, found[0], found[1], []byte(strange()[random.IntN(len(strange()))])...)
			}
		case 8: // a line stands elsewhere
			lines := bytes.SplitAfter(text, []byte("\n"))
			i, j := random.IntN(len(lines)), random.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]
			text = bytes.Join(lines, nil)
		}
	}
	return text
}

// valueAt is where the next number or quoted word behind a place begins and ends.
func valueAt(text []byte, from int) []int {
	at := bytes.IndexAny(text[from:], "0123456789\"")
	if at < 0 {
		return nil
	}
	from += at
	end := from + 1
	more := func(c byte) bool { return text[from] == '"' || strings.IndexByte("0123456789.e+-", c) >= 0 }
	for end < len(text) && end < from+40 && more(text[end]) {
		end++
		if text[from] == '"' && text[end-1] == '"' {
			break
		}
	}
	return []int{from, end}
}

// TestMutations: whatever is read, damaged anywhere, gives exit code 0 or one line and exit code 2: no panic, no
// gigabyte, no ten seconds.
func TestMutations(t *testing.T) {
	p, random := newPlace(t), moments(t)
	p.write("cfg.json", smallModel)
	p.write("batch.json", `{"prompts": [[16,3,13,10,13,4],[16,3]], "targets": [[7,17],[1,2,17]]}`)
	p.ok("init", "--config", "cfg.json", "--seed", "3", "--out", "ck.safetensors")
	flags := []string{"--task", "parity", "--max-length", "6", "--backend", "cpu", "--warmup", "0"}
	p.ok(smallRun(append(flags, "--out", "run")...)...)
	p.ok("data", "--task", "parity", "--max-length", "6", "--n", "5", "--out", "data.jsonl")
	p.write("eval.jsonl", p.ok("eval", "--run", "run", "--n", "9", "--json", "--backend", "cpu"))
	small := []string{"--backend", "cpu", "--steps", "1", "--batch", "2", "--eval-every", "0", "--eval-samples", "2",
		"--layers", "1", "--eval-batch", "2", "--test-samples", "2", "--width", "8", "--heads", "2",
		"--keep-checkpoints", "0"}
	out := p.path("out.safetensors")
	kinds := []struct {
		file   string
		folder bool
		args   func(path string) [][]string
	}{
		{"ck.safetensors", false, func(path string) [][]string {
			return [][]string{
				{"describe", "--checkpoint", path},
				{"forward", "--checkpoint", path, "--batch", p.path("batch.json"), "--out", out},
			}
		}},
		{"run/model.safetensors", false, func(path string) [][]string {
			return [][]string{
				{"eval", "--run", path, "--n", "4", "--backend", "cpu"},
				{"ask", "--run", path, "--backend", "cpu", "1011"},
				{"figures", "--run", path, "--backend", "cpu", "--format", "svg", "--out", p.path("figures"),
					"--overwrite"},
			}
		}},
		{"cfg.json", false, func(path string) [][]string {
			return [][]string{{"describe", "--config", path}, append([]string{"train", "--config", path, "--overwrite",
				"--task", "parity", "--max-length", "6", "--out", p.path("other")}, small...)}
		}},
		{"run/config.json", false, func(path string) [][]string {
			return [][]string{{"describe", "--config", path}, append([]string{"train", "--config", path, "--overwrite",
				"--max-length", "6", "--out", p.path("other")}, small...)}
		}},
		{"batch.json", false, func(path string) [][]string {
			return [][]string{{"grad", "--checkpoint", p.path("ck.safetensors"), "--batch", path, "--out", out}}
		}},
		{"data.jsonl", false, func(path string) [][]string {
			return [][]string{{"eval", "--run", p.path("run"), "--data", path, "--json", "--backend", "cpu"}}
		}},
		{"eval.jsonl", false, func(path string) [][]string {
			return [][]string{{"figures", "--records", path, "--out", p.path("figures"), "--overwrite"}}
		}},
		{"run/" + train.OptimizerFile, true, nil}, {"run/" + train.MetricsFile, true, nil},
		{"run/" + train.ConfigFile, true, nil},
	}
	codes := map[int]int{}
	for i := range mutations(t) {
		kind := kinds[i%len(kinds)]
		text := mutate(random, p.read(kind.file))
		var commands [][]string
		if kind.folder {
			p.damaged("run", "case", filepath.Base(kind.file), text)
			commands = [][]string{{"train", "--resume", p.path("case"), "--backend", "cpu", "--steps", "6"}}
			switch kind.file {
			case "run/" + train.MetricsFile:
				commands = append(commands, []string{"figures", "--run", p.path("case"), "--only", "curves,accuracy",
					"--out", p.path("figures"), "--overwrite"})
			case "run/" + train.ConfigFile:
				commands = append(commands, []string{"eval", "--run", p.path("case"), "--n", "2", "--backend", "cpu"})
			}
		} else {
			p.write("case.file", string(text))
			commands = kind.args(p.path("case.file"))
		}
		for _, args := range commands {
			var stdout, stderr bytes.Buffer
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			begin := time.Now()
			code := run(args, &stdout, &stderr)
			took := time.Since(begin)
			runtime.ReadMemStats(&after)
			codes[code]++
			errs := stderr.String()
			last := errs[strings.LastIndexByte(strings.TrimSuffix(errs, "\n"), '\n')+1:]
			ok := code == codeOK || code == codeUser && strings.HasPrefix(last, "mhacsp: ")
			if !ok || strings.Contains(errs, "goroutine ") || strings.Count(errs, "mhacsp: ") > 1 {
				t.Errorf("%s, mutation %d: mhacsp %s: exit code %d,\n%s",
					kind.file, i, strings.Join(args, " "), code, errs)
				p.write("kept"+strconv.Itoa(i), string(text))
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<30 || took > 10*time.Second {
				t.Errorf("%s, mutation %d: mhacsp %s took %v and %d MiB",
					kind.file, i, strings.Join(args, " "), took, n>>20)
			}
		}
	}
	t.Logf("exit codes: %v", codes)
}

// damaged copies a run's folder with another text in place of one file.
func (p place) damaged(from, to, name string, text []byte) {
	p.Helper()
	if err := os.RemoveAll(p.path(to)); err != nil {
		p.Fatal(err)
	}
	for file, content := range p.files(from + "/*") {
		if filepath.Base(file) == name {
			content = text
		}
		if err := os.MkdirAll(p.path(to), 0o755); err != nil {
			p.Fatal(err)
		}
		p.write(filepath.Join(to, filepath.Base(file)), string(content))
	}
}

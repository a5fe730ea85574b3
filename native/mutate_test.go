//go:build !js

package native

import (
	"bytes"
	"cmp"
	"context"
	little "encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// mutations is how many damaged files of each kind TestMutations tries; MHACSP_MUTATIONS=10000 tries more.
func mutations(t *testing.T) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("MHACSP_MUTATIONS"), "10"))
	assert.Need(t, err == nil, "MHACSP_MUTATIONS: %v", err)
	return n
}

// strange are values that a number or a word of JSON may become.
var strange = []string{
	"null", "-1", "0", "1e999", "-1e308", "1.5", `"x"`, "[]", "{}", "[[]]", "true", "99999999999999999999",
	"2147483648", "65536", "", ",", `"\u0000"`, `{"a":{"a":{"a":1}}}`,
}

// value is a number or a quoted word, or its beginning.
var value = regexp.MustCompile(`"[^"]{0,38}"?|[0-9][0-9.e+-]{0,39}`)

// mutate damages a file in one to three places.
func mutate(random *rand.Rand, text []byte) []byte {
	text = slices.Clone(text)
	for range 1 + random.IntN(3) {
		from := random.IntN(len(text) + 1)
		to := min(len(text), from+1+random.IntN(20))
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
			if at := value.FindIndex(text[from:]); at != nil {
				text = slices.Replace(text, from+at[0], from+at[1], []byte(strange[random.IntN(len(strange))])...)
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

// peak is the most memory that a process had, in bytes, where that is known.
var peak = func(*os.ProcessState) int64 { return 0 }

// small makes a training whatever else it is told take a moment.
const small = "--backend cpu --steps 1 --batch 2 --eval-every 0 --eval-samples 2 --eval-batch 2 --test-samples 2 " +
	"--layers 1 --width 8 --heads 2 --keep-checkpoints 0 --overwrite --out other"

// mutated are the kinds of files that are read, and the commands that read them in turn: FILE is the damaged one, RUN
// a copy of its folder with it.
var mutated = []struct{ file, commands string }{
	{"ck.safetensors", "describe --checkpoint FILE\n" +
		"forward --checkpoint FILE --batch batch.json --out out.safetensors"},
	{"run/model.safetensors", "eval --run FILE --n 4 --backend cpu\nask --run FILE --backend cpu 1011\n" +
		"figures --run FILE --format svg --backend cpu --out figures --overwrite"},
	{"cfg.json", "describe --config FILE\ntrain --config FILE --task parity --max-length 6 " + small},
	{"run.json", "describe --config FILE\ntrain --config FILE --max-length 6 " + small},
	{"batch.json", "grad --checkpoint ck.safetensors --batch FILE --out out.safetensors"},
	{"study/cells/a.json", "figures --run FILE --format svg --out figures --overwrite"},
	{"eval.jsonl", "figures --records FILE --out figures --overwrite"},
	{"data.jsonl", "eval --run run --data FILE --json --backend cpu"},
	{"train.jsonl", "train --data FILE --validation v.jsonl --test t.jsonl --model mha-csp " + small},
	{"t.jsonl", "eval --run own --data FILE --backend cpu"},
	{"vocabulary.json", "train --data train.jsonl --validation v.jsonl --test t.jsonl --vocabulary FILE " +
		"--model mha-csp " + small},
	{"run/" + train.OptimizerFile, "train --resume RUN --backend cpu --steps 6"},
	{"run/" + train.MetricsFile, "train --resume RUN --backend cpu --steps 6\n" +
		"figures --run RUN --only curves,accuracy --out figures --overwrite"},
	{"run/" + train.ConfigFile, "train --resume RUN --backend cpu --steps 6\neval --run RUN --n 2 --backend cpu"},
	{"own/" + train.ConfigFile, "train --resume RUN --backend cpu --steps 6\neval --run RUN --backend cpu"},
}

// TestMutations: whatever is read, damaged anywhere, gives exit code 0 or one line and exit code 2: no panic, no
// gigabyte, no ten seconds of a processor, no minute. Each command is a process, so that its memory is its own: in the
// test's process Cobra would keep the flags of every command, 0.3 MB each.
//
// 10 000 of each were tried on 2026-11-22 of ck.safetensors, own/config.json, batch.json and the three .jsonl: at most
// 30 MiB, 50 ms of a processor, no mistake.
func TestMutations(t *testing.T) {
	t.Parallel()
	p, random := ownPlace(t), moments(t)
	p.Write("cfg.json", smallModel)
	p.Write("batch.json", `{"prompts": [[16,3,13,10,13,4],[16,3]], "targets": [[7,17],[1,2,17]]}`)
	p.Write("vocabulary.json", `["a", "b", "é", "\u0063"]`)
	p.OK("init", "--config", "cfg.json", "--seed", "3", "--out", "ck.safetensors")
	p.OK(parityRun("run")...)
	p.Write("run.json", string(p.Read("run/config.json")))
	p.Write("eval.jsonl", p.OK("eval", "--run", "run", "--n", "9", "--json", "--backend", "cpu"))
	p.OK(words("data --task parity --max-length 6 --n 5 --out data.jsonl")...)
	p.OK(ownRun("own", "--steps", "4")...)
	p.Write("plan.json", `{"cells":[{"name":"a","column":"mod3","row":"csp","keys":{"model":"csp","task":"mod3",`+
		`"max_length":6,"width":8,"batch":4,"steps":4,"eval_samples":8,"test_samples":8}}]}`)
	p.OK("tables", "--plan", "plan.json", "--out", "whole", "--records", "study", "--backend", "cpu")
	for _, kind := range mutated {
		random := rand.New(rand.NewPCG(random.Uint64(), 0))
		t.Run(kind.file, func(t *testing.T) {
			q := parallelPlace(t)
			assert.NoError(t, os.CopyFS(q.Dir, os.DirFS(p.Dir)))
			q.mutations(random, kind.file, kind.commands)
		})
	}
}

// mutations damages a file many times, and runs the commands that read it; they succeed with it as it was.
func (p place) mutations(random *rand.Rand, file, commands string) {
	p.Helper()
	whole, run := p.Read(file), map[string][]byte{}
	if strings.Contains(commands, "RUN") {
		run = p.Files(filepath.Dir(file) + "/*")
	}
	list := strings.Split(strings.NewReplacer("FILE", "case.file", "RUN", "case").Replace(commands), "\n")
	codes, most, longest := map[int]int{}, int64(0), time.Duration(0)
	for i := range len(list) + mutations(p.T) {
		text, good := whole, i < len(list)
		if !good {
			text = mutate(random, whole)
		}
		p.Write("case.file", string(text))
		if len(run) > 0 {
			run[file] = text
			p.folder("case", run)
		}
		command := list[i%len(list)]
		end, cancel := context.WithTimeout(p.Context(), time.Minute)
		c := exec.CommandContext(end, nativetest.Binary(), strings.Fields(command)...)
		c.Dir, c.Env = p.Dir, append(os.Environ(), "GOMAXPROCS=1") // kinds run side by side
		var stderr bytes.Buffer
		c.Stderr = &stderr
		err := c.Run()
		assert.Need(p, c.ProcessState != nil, "%v", err)
		cancel()
		code, memory := c.ProcessState.ExitCode(), peak(c.ProcessState)
		took := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		codes[code]++
		most, longest = max(most, memory), max(longest, took)
		errs := stderr.String()
		last := errs[strings.LastIndexByte(strings.TrimSuffix(errs, "\n"), '\n')+1:]
		if (code == cli.CodeOK || !good && code == cli.CodeUser && strings.HasPrefix(last, "mhacsp: ")) &&
			!strings.Contains(errs, "goroutine ") && strings.Count(errs, "mhacsp: ") <= 1 &&
			memory <= 1<<30 && took <= 10*time.Second {
			continue
		}
		kept := filepath.Join(os.TempDir(), fmt.Sprintf("mutation-%d-%s", i, strings.ReplaceAll(file, "/", "-")))
		assert.NoError(p, os.WriteFile(kept, text, 0o644))
		p.Errorf("mhacsp %s: exit code %d, %d MiB, %v; the file is kept as %s\n%s",
			command, code, memory>>20, took, kept, errs)
	}
	p.Logf("exit codes %v; at most %d MiB and %v", codes, most>>20, longest)
}

// folder makes a folder again of these files, which lie in one.
func (p place) folder(name string, files map[string][]byte) {
	p.Helper()
	assert.NoError(p, os.RemoveAll(p.Path(name)))
	for file, text := range files {
		p.Write(filepath.Join(name, filepath.Base(file)), string(text))
	}
}

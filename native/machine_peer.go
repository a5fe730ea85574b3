//go:build !js

package native

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// peerScript is the same model in PyTorch.
//
//go:embed peer/peer.py
var peerScript []byte

// pytorch is what peer.py told.
type pytorch struct {
	Version  string       `json:"version"`
	Device   string       `json:"device"` // cuda or cpu
	Name     string       `json:"name"`
	Compiles bool         `json:"compiles"`
	Timings  []peerTiming `json:"timings"`
	Notes    []string     `json:"notes,omitempty"`
}

// peerTiming is the time of PyTorch's training steps.
type peerTiming struct {
	Form      string  `json:"form"` // eager or compiled
	Batch     int     `json:"batch"`
	MinMs     float64 `json:"min_ms"`
	MedianMs  float64 `json:"median_ms"`
	MeanMs    float64 `json:"mean_ms"`
	Sequences float64 `json:"sequences_per_second"`
	FirstS    float64 `json:"first_s,omitempty"` // the first step of compiled ones, compiling included
}

// peer times PyTorch, where there is one: eagerly, or compiled.
func (m *machine) peer(ctx context.Context, form string) {
	what := "PyTorch, " + form
	switch {
	case m.f.python == "none" || m.Models[0] != leadModel || form == "compiled" && m.PyTorch == nil:
		return
	case form == "compiled" && !m.PyTorch.Compiles:
		m.miss(what, "PyTorch "+m.PyTorch.Version+" has no torch.compile, 2.0 is needed")
		return
	case ctx.Err() != nil:
		m.miss(what, whyEnded(ctx))
		return
	}
	defer m.show(func() string { return what })()
	own := ctx
	if form == "eager" {
		var cancel context.CancelFunc
		own, cancel = context.WithTimeout(ctx, time.Duration(eagerShare*float64(m.f.budget)))
		defer cancel()
	}
	python, device := m.interpreter(ctx)
	if python == "" {
		m.miss("PyTorch", "no python3 here has it")
		return
	}
	dir, err := os.MkdirTemp("", "mhacsp")
	if err != nil {
		m.miss(what, err.Error())
		return
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "peer.py")
	if err := os.WriteFile(script, peerScript, 0o600); err != nil {
		m.miss(what, err.Error())
		return
	}
	args := []string{script, "--mhacsp", m.program, "--json", "--only", form, "--device", device, "--steps=8",
		"--warmup=2", fmt.Sprint("--seconds=", 4*m.Budget/slices180), "--threads", fmt.Sprint(m.threads())}
	if device == "cuda" && m.Adapter != "" {
		args = append(args, "--adapter", m.Adapter)
	}
	args = append(args, "--batch")
	for _, b := range m.Batches {
		args = append(args, fmt.Sprint(b))
	}
	done := 0
	code, _, last := child{program: python, args: args, grace: jobGrace, lines: func(line string) {
		done += m.heard(line)
	}}.run(own)
	switch {
	case done == len(m.Batches):
	case ctx.Err() != nil && form == "compiled":
		m.miss(what, whyEnded(ctx)+"; torch.compile takes minutes, --budget 15m gives them")
	case ctx.Err() != nil:
		m.miss(what, whyEnded(ctx))
	case own.Err() != nil:
		m.miss(what, fmt.Sprintf("it was given %.0f s of the budget, which was too little", eagerShare*m.Budget))
	case code != 0:
		m.miss(what, last)
	}
}

func (m *machine) threads() int {
	if n := m.f.device.threads; n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// heard reads a line of peer.py, and returns how many timings it had.
func (m *machine) heard(line string) int {
	var x struct {
		Torch    string  `json:"torch"`
		Device   string  `json:"device"`
		Name     string  `json:"name"`
		Compiles bool    `json:"compiles"`
		Note     string  `json:"note"`
		Right    *bool   `json:"right"`
		Off      float64 `json:"logits_off"`
		peerTiming
	}
	if json.Unmarshal([]byte(line), &x) != nil {
		return 0
	}
	switch p := m.PyTorch; {
	case x.Torch != "" && p == nil:
		m.PyTorch = &pytorch{Version: x.Torch, Device: x.Device, Name: x.Name, Compiles: x.Compiles}
	case p == nil:
	case x.Note != "":
		p.Notes = append(p.Notes, x.Note)
	case x.Right != nil && !*x.Right:
		p.Notes = append(p.Notes, fmt.Sprintf("batch %d: its logits differ from ours by %.1e, 1e-4 is allowed",
			x.Batch, x.Off))
	case x.Form != "":
		p.Timings = append(p.Timings, x.peerTiming)
		return 1
	}
	return 0
}

// interpreter finds a Python with PyTorch, and what that computes on; empty where there is none.
func (m *machine) interpreter(ctx context.Context) (python, device string) {
	list := []string{"python3", "/usr/bin/python3", "python"}
	if m.f.python != "" {
		list = []string{m.f.python}
	}
	const ask = "import torch; print('cuda' if torch.cuda.is_available() else 'cpu')"
	for _, p := range list {
		if path, err := exec.LookPath(p); err == nil {
			code, out, _ := child{program: path, args: []string{"-c", ask}, grace: jobGrace}.run(ctx)
			if code == 0 {
				return path, strings.TrimSpace(string(out))
			}
		}
	}
	return "", ""
}

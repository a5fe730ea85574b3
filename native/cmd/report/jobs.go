//go:build !js

package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mhacsp/model/zoo"
	"mhacsp/native/cli"
	"mhacsp/native/cmd/bench"
	"mhacsp/native/cmd/check"
	"mhacsp/native/words"
)

// Report is what report prints with --json.
type Report struct {
	facts
	Began   time.Time        `json:"began"`
	Seconds float64          `json:"seconds"`
	Budget  float64          `json:"budget_seconds"`
	Models  []string         `json:"models"`
	Batches []int            `json:"batches"`
	Checks  []check.Result   `json:"checks"`
	Timings []machineTiming  `json:"timings"`
	Missing []missingMeasure `json:"missing,omitempty"`
	Lost    string           `json:"lost,omitempty"` // what was under way when the GPU was lost
}

// machineTiming is the time of training steps.
type machineTiming struct {
	Backend string `json:"backend"` // gpu or cpu
	bench.Result
}

// missingMeasure is what was not measured, and why.
type missingMeasure struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// machine measures. Each measurement is a process of its own: where a driver ends or hangs one, the others go on.
type machine struct {
	Report
	f       machineFlags
	program string
	tell    *cli.Ticker
	losses  int   // of the GPU, one after another
	stopped error // what ended it before its time
}

// leadModel is the one that targets are set for.
const leadModel = "mha-csp"

const (
	maxLosses  = 2 // after that many lost devices one after another the GPU is left alone
	jobGrace   = 2 * time.Second
	jobLimit   = 30 * time.Second // of a measurement, more than it is given: a hung driver is noticed
	checkShare = 0.15             // of the budget, for the checks of each device
	slices180  = 180              // the part of the budget that one timing is given
)

func newMachine(f machineFlags, stderr io.Writer) (*machine, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the path of this program is not known: %w", err)
	}
	m := &machine{f: f, program: program, tell: cli.NewTicker(stderr)}
	m.Began, m.Budget, m.Models, m.Batches = time.Now().UTC(), f.budget.Seconds(), f.models, f.batches
	if len(m.Models) == 0 {
		m.Models = zoo.Names()
	}
	// These come before the others, for the case that time is short.
	for _, name := range slices.Backward([]string{leadModel, "mha-csp-m", "mha-csp-s", "csp", "mha-csp-2"}) {
		if at := slices.Index(m.Models, name); at > 0 {
			m.Models = slices.Insert(slices.Delete(slices.Clone(m.Models), at, at+1), 0, name)
		}
	}
	m.facts, err = factsOf(f.device)
	return m, err
}

// measure does all there is time for. What matters most comes first.
func (m *machine) measure(parent context.Context) {
	begin := time.Now()
	ctx, cancel := context.WithTimeout(parent, m.f.budget)
	defer cancel()
	defer m.tell.End()
	if m.Adapter != "" {
		m.examine(ctx, "gpu")
	}
	m.examine(ctx, "cpu")
	for _, models := range [][]string{m.Models[:1], m.Models[1:]} { // the lead on both first
		m.time(ctx, "gpu", models)
		m.time(ctx, "cpu", models)
	}
	m.stopped = context.Cause(parent)
	m.Seconds = time.Since(begin).Seconds()
}

// job runs this program for one measurement of that many seconds and reads its JSON. What failed is noted.
func (m *machine) job(ctx context.Context, backend, what string, seconds float64, into any, args ...string) bool {
	if ctx.Err() != nil {
		m.miss(what, whyEnded(ctx))
		return false
	}
	if backend == "gpu" && m.losses >= maxLosses {
		m.miss(what, "the GPU was lost before")
		return false
	}
	limit := jobLimit + time.Duration(5*seconds*float64(time.Second))
	own, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var doing atomic.Value
	doing.Store(what)
	defer m.tell.Every(func() string {
		return fmt.Sprintf("report, %.0f s of %v: %s", time.Since(m.Began).Seconds(), m.f.budget, doing.Load())
	})()
	args = append(args, "--json", fmt.Sprint("--seconds=", seconds), "--backend="+backend)
	if backend == "gpu" {
		args = append(args, "--adapter="+m.Adapter)
	}
	if n := m.f.device.Threads; n > 0 {
		args = append(args, fmt.Sprint("--threads=", n))
	}
	c := cli.Child{Program: m.program, Args: args, Grace: jobGrace, Heard: func(line string) {
		if _, at, ok := strings.Cut(line, "check: "); ok {
			doing.Store(what + ": " + at)
		}
	}}
	code, out, last := c.Run(own)
	at := doing.Load().(string)
	switch {
	case ctx.Err() != nil:
		m.miss(what, whyEnded(ctx))
	case own.Err() != nil:
		m.miss(what, fmt.Sprintf("it did not end within %v", limit))
		m.lose(backend, at)
	case json.Unmarshal(out, into) == nil:
		if backend == "gpu" {
			m.losses = 0
		}
		return true
	default:
		m.miss(what, last)
		if code == cli.CodeInternal {
			m.lose(backend, at)
		}
	}
	return false
}

func (m *machine) miss(what, why string) { m.Missing = append(m.Missing, missingMeasure{what, why}) }

// lose notes that the GPU's driver ended a measurement, or hung.
func (m *machine) lose(backend, what string) {
	if backend == "gpu" {
		m.losses++
		m.Lost = cmp.Or(m.Lost, what)
	}
}

// checkSeconds is how long the checks of a device may take: a share of the budget, and what check accepts.
func (m *machine) checkSeconds(backend string) float64 {
	seconds := min(checkShare*m.Budget, bench.MaxSeconds)
	if backend == "cpu" && m.Adapter != "" {
		seconds /= 5 // the CPU is the same everywhere, and every build tests it
	}
	return seconds
}

// examine has a device checked.
func (m *machine) examine(ctx context.Context, backend string) {
	var e check.Result
	if m.job(ctx, backend, "checks, "+strings.ToUpper(backend), m.checkSeconds(backend), &e, "check") {
		m.Checks = append(m.Checks, e)
	}
}

// time measures training steps.
func (m *machine) time(ctx context.Context, backend string, models []string) {
	if backend == "gpu" && m.Adapter == "" {
		return
	}
	for _, model := range models {
		for i, batch := range m.Batches {
			what := fmt.Sprintf("%s, batch %s, %s", model, words.Number(batch), strings.ToUpper(backend))
			args := []string{"bench", "--warmup=1", "--model=" + model, fmt.Sprint("--batch=", batch)}
			if backend == "gpu" && (model == leadModel || model == zoo.Default && i == 0) {
				args = append(args, "--kernels")
			} else {
				args = append(args, "--brief")
			}
			tuned := args
			if backend == "gpu" {
				tuned = append(args, "--tune")
			}
			t, seconds, before := machineTiming{Backend: backend}, m.Budget/slices180, m.losses
			right := m.job(ctx, backend, what, seconds, &t.Result, tuned...)
			// Where one of the forms is what ends the process, the device's own choice still can be timed.
			if !right && m.losses > before && ctx.Err() == nil {
				right = m.job(ctx, backend, what+", no other forms tried", seconds, &t.Result, args...)
			}
			if right {
				m.Timings = append(m.Timings, t)
			}
		}
	}
}

// find is a timing, nil where there is none.
func (m *machine) find(model, backend string, batch int) *machineTiming {
	for i := range m.Timings {
		if t := &m.Timings[i]; t.Model == model && t.Backend == backend && t.Batch == batch {
			return t
		}
	}
	return nil
}

//go:build !js

// Package check implements mhacsp check, which compares a device's results with the float64 reference.
package check

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mhacsp/model/backend"
	"mhacsp/model/backend/backendtest"
	"mhacsp/model/backend/reference"
	"mhacsp/model/firststep"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/native/cli"
	"mhacsp/native/cmd/bench"
	"mhacsp/native/hardware"
	"mhacsp/native/words"
	"mhacsp/tasks"
	"mhacsp/tasks/strict"
)

// New makes the command check, which prints to out.
func New(out *bufio.Writer) *cobra.Command {
	var device hardware.Flags
	var seconds float64
	var asJSON bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Check that a device computes right: kernels, training steps, the same bits twice",
		Long: "Check a device, as a new driver or a new GPU may need it. Cases of every kernel's contract run on\n" +
			"it and are compared with a float64 reference on the CPU, so is the first training step of every\n" +
			"model. A step must have the same bits in every form of the kernels that training may choose, and a\n" +
			"short training run must give the same bits twice. What is wrong is listed; the exit code is then 1.\n\n" +
			"A crash of the driver ends it, and its last line of progress says about where. \"mhacsp report\" goes\n" +
			"on after one. Without --backend gpu a machine whose GPU has no driver checks its CPU.",
		Example: "  mhacsp check --backend gpu\n  mhacsp check --backend gpu --seconds 0 --json",
		Args:    cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := strict.Within("seconds", seconds, 0, bench.MaxSeconds); err != nil {
				return err
			}
			b, err := hardware.Open(device)
			if err != nil {
				return err
			}
			defer b.Close()
			x := newExamination(b, seconds, c.ErrOrStderr())
			x.Device = hardware.DeviceLine(b, device)
			err = x.all(zoo.Names())
			if asJSON {
				err = errors.Join(cli.WriteJSON(out, x.Result), err)
			} else {
				x.print(out)
			}
			if err == nil && !x.Right() {
				err = errors.New("the device computes wrong")
			}
			return cli.Working(err)
		},
	}
	c.Flags().Float64Var(&seconds, "seconds", 20, "about how many `seconds` to take, 0: all cases, however long")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (default false)")
	hardware.AddFlags(c, &device, "auto")
	return c
}

// Result is what check prints.
type Result struct {
	Device string `json:"device"`
	Parts  []Part `json:"parts"`
}

// Part is one kind of checks.
type Part struct {
	Name   string   `json:"name"`
	Done   int      `json:"done"`             // checks
	Of     int      `json:"of"`               // that there are
	Wrong  int      `json:"wrong"`            // of those done
	Failed []string `json:"failed,omitempty"` // the first of them: which, and how
	Worst  []worst  `json:"worst,omitempty"`  // nearest to its bound, for each bound
}

// worst is the figure of a part that came nearest to a bound.
type worst struct {
	What  string  `json:"what"`  // forward, gradient or loss
	Off   float64 `json:"off"`   // relative
	Bound float64 `json:"bound"` // largest allowed
	Where string  `json:"where"`
}

const maxFailed = 6 // listed of each part

// Right reports whether something was checked and nothing was wrong.
func (e Result) Right() bool {
	done := 0
	for _, p := range e.Parts {
		done += p.Done
		if p.Wrong > 0 {
			return false
		}
	}
	return done > 0
}

func (p *Part) fail(where string, err error) {
	if p.Wrong++; len(p.Failed) < maxFailed {
		p.Failed = append(p.Failed, fmt.Sprintf("%s: %v", where, err))
	}
}

func (p *Part) note(what, where string, off, bound float64) {
	i := slices.IndexFunc(p.Worst, func(w worst) bool { return w.What == what })
	if i < 0 {
		p.Worst = append(p.Worst, worst{What: what, Off: -1, Bound: 1})
		i = len(p.Worst) - 1
	}
	if w := &p.Worst[i]; off/bound > w.Off/w.Bound {
		*w = worst{what, off, bound, where}
	}
}

// examination checks a device part by part.
type examination struct {
	Result
	device  backend.Backend
	began   time.Time
	seconds float64 // 0: no bound
	tell    *cli.Ticker
	firsts  []first // of the models whose steps were made
}

// first is a model's first training step in the default forms of the kernels.
type first struct {
	model  string
	config sequence.Config
	step   firststep.Step
}

// former is a device some of whose kernels have several forms (webgpu.Backend).
type former interface {
	EachForm(try func(name string) error) error
}

func newExamination(device backend.Backend, seconds float64, tell io.Writer) *examination {
	return &examination{device: device, began: time.Now(), seconds: seconds, tell: cli.NewTicker(tell)}
}

// Shares of the time after which a part ends; the last part is short.
const (
	kernelShare = 0.6
	stepShare   = 0.85
	formShare   = 0.95
)

// late reports whether a share of the time is spent.
func (x *examination) late(share float64) bool {
	return x.seconds > 0 && time.Since(x.began).Seconds() > share*x.seconds
}

// all makes every check there is time for. The error is one after which the device cannot go on; wrong numbers are
// none.
func (x *examination) all(models []string) error {
	defer x.tell.End()
	for _, part := range []func() error{x.kernels, func() error { return x.steps(models) }, x.forms, x.bits} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// say tells how far a part is.
func (x *examination) say(p Part) {
	x.tell.Say(fmt.Sprintf("check: %s, %s of %s", p.Name, words.Number(p.Done), words.Number(p.Of)))
}

// kernels runs cases of the contract that every backend keeps.
func (x *examination) kernels() error {
	cases := backendtest.Cases()
	p := Part{Name: "kernels against the float64 reference", Of: len(cases)}
	defer func() { x.Parts = append(x.Parts, p) }()
	yard := reference.New[float64]()
	for _, c := range cases {
		if x.late(kernelShare) {
			break
		}
		x.say(p)
		name := c.Kernel + "/" + c.Name
		figures, err := c.Check(x.device, yard)
		p.Done++
		for _, f := range figures {
			what := "forward"
			if f.Bound > forwardBound {
				what = "gradient"
			}
			p.note(what, name+" "+f.Tensor, f.Off, f.Bound)
		}
		if err != nil {
			p.fail(name, err)
		}
		if err := x.device.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// forwardBound is that of results; gradients have a larger one.
const forwardBound = 1e-5

// examBatch is the samples of the steps that are compared with the float64 reference, whose loops are plain.
const examBatch = 8

// steps compares the first training step of each model with the reference, and with a second run of it.
func (x *examination) steps(models []string) error {
	p := Part{Name: "first training steps against the float64 reference", Of: len(models)}
	defer func() { x.Parts = append(x.Parts, p) }()
	b := examSamples()
	for _, model := range models {
		if x.late(stepShare) {
			break
		}
		x.say(p)
		c, err := zoo.Preset(model)
		if err != nil {
			return err
		}
		yard, err := firststep.NewReference(c, b)
		if err != nil {
			return err
		}
		var made [2]firststep.Step
		for i := range made {
			if made[i], err = firststep.Make(x.device, c, b); err != nil {
				p.fail(model, err)
				return err
			}
		}
		x.firsts = append(x.firsts, first{model, c, made[0]})
		off, err := yard.Judge(made[0])
		p.Done++
		if err == nil { // else it stands among what failed, perhaps with what is no number, of which JSON has none
			p.note("loss", model, off.Loss, off.LossBound)
			p.note("gradient", model, off.Gradient, off.GradientBound)
		}
		if err = errors.Join(err, made[0].Same(made[1])); err != nil {
			p.fail(model, err)
		}
	}
	return nil
}

// forms compares the same steps in every form of the kernels that a tuner may take with those in the default form, bit
// by bit. Without such forms there is no such part.
func (x *examination) forms() error {
	device, ok := x.device.(former)
	if !ok {
		return nil
	}
	b := examSamples()
	p := Part{Name: "first training steps in other forms of the kernels, the same bits"}
	err := device.EachForm(func(form string) error {
		for _, f := range x.firsts {
			if p.Of++; x.late(formShare) {
				continue
			}
			x.say(p)
			made, err := firststep.Make(x.device, f.config, b)
			if err != nil {
				p.fail(f.model+", "+form, err)
				return err
			}
			p.Done++
			if err := f.step.Same(made); err != nil {
				p.fail(f.model+", "+form, err)
			}
		}
		return nil
	})
	if p.Of > 0 {
		x.Parts = append(x.Parts, p)
	}
	return err
}

// examSamples is a batch of the main task.
func examSamples() *sequence.Batch {
	task, err := tasks.New("arithmetic", tasks.Options{})
	cli.Must(err)
	b := &sequence.Batch{AnswerWeight: 3}
	for i := range examBatch {
		var s tasks.Sample
		task.Sample(&s, tasks.Draw{Seed: 5}, uint64(i))
		b.Prompts, b.Targets, b.AnswerAt =
			append(b.Prompts, s.Prompt), append(b.Targets, s.Target), append(b.AnswerAt, s.AnswerAt)
	}
	return b
}

// bits trains twice from the same start.
func (x *examination) bits() error {
	p := Part{Name: "ten training steps, the same bits twice", Of: 1}
	defer func() { x.Parts = append(x.Parts, p) }()
	r, err := train.Default("arithmetic")
	cli.Must(err)
	r.Training.Batch = 16
	_, err = r.Fit()
	cli.Must(err)
	var ends [2][]float32
	for i := range ends {
		x.say(p)
		t, err := bench.Trainer(r, x.device)
		if err != nil {
			return err
		}
		if _, _, err := (bench.Flags{Steps: 10}).Train(t, func() {}); err != nil {
			p.Done = 1
			p.fail(r.Config.Name(), err)
			return x.device.Sync()
		}
		if ends[i], err = t.Network.Params().Download(t.Network.Params().Values()); err != nil {
			return err
		}
	}
	p.Done = 1
	if !slices.Equal(ends[0], ends[1]) {
		p.fail(r.Config.Name(), errors.New("the parameters differ after ten steps from the same start"))
	}
	return nil
}

func (x *examination) print(out *bufio.Writer) {
	fmt.Fprintf(out, "device  %s\n", x.Device)
	for _, p := range x.Parts {
		fmt.Fprintf(out, "%s  %s\n", p.Verdict(), p.Text())
		for _, f := range p.Failed {
			fmt.Fprintf(out, "        %s\n", f)
		}
	}
}

// Verdict is one word, padded to six.
func (p Part) Verdict() string {
	switch {
	case p.Wrong > 0:
		return "WRONG "
	case p.Done == 0:
		return "not   "
	}
	return "right "
}

// Text is what was checked, and how near the worst figures came to their bounds.
func (p Part) Text() string {
	s := p.Name + fmt.Sprintf(": %s of %s", words.Number(p.Done), words.Number(p.Of))
	if p.Wrong > 0 {
		s += fmt.Sprintf(", %s wrong", words.Number(p.Wrong))
	}
	for _, w := range p.Worst {
		s += fmt.Sprintf("; %s off by %.1e at most (%.0e allowed)", w.What, w.Off, w.Bound)
	}
	return s
}

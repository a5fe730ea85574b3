//go:build !js

// Package probe implements mhacsp probe, which finds the units whose phase follows the value of what was read
// (clocks), and what is lost when they are cut.
package probe

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"mhacsp/model/backend/cpu"
	"mhacsp/model/probe"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
	"mhacsp/native/runs"
	"mhacsp/native/words"
	"mhacsp/tasks"
	"mhacsp/tasks/show"
	"mhacsp/tasks/strict"
)

type probeFlags struct {
	device      hardware.Flags
	run         string
	n           int
	seed        uint64
	quick, json bool
}

// New makes the command probe, which prints to out.
func New(out *bufio.Writer) *cobra.Command {
	var f probeFlags
	c := &cobra.Command{
		Use:   "probe",
		Short: "Find a model's clocks, and what is lost when they are cut",
		Long: `Look inside a trained model (model/probe/CLOCKS.md). A unit is a clock when its phase follows the sum
that was read so far. The command prints every clock: how often it goes round, how exactly (R, with the level of
chance), and how it votes for each answer. It also prints half-turn clocks, where twice the phase follows the sum.
Then it cuts every unit in turn and counts the answers that are lost: nothing is called a cause that was not cut. For
a run that kept checkpoints (train --keep-checkpoints) it also prints when the clocks appeared.

It knows the tasks arithmetic, mod3, parity and parenthesis. Cutting takes a minute or two; --quick does without.`,
		Example: "  mhacsp probe --run runs/arithmetic-mha-csp-m-0\n" +
			"  mhacsp probe --run site/demo/arithmetic.safetensors --quick\n" +
			"  mhacsp probe --run DIR --json",
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return probeRun(out, c, f) },
	}
	cli.AddFile(c, &f.run, "run", "",
		"`folder` of the run, or a checkpoint file (default: the newest under "+runs.Folder+"/)")
	c.Flags().IntVar(&f.n, "n", 500, "`samples` to measure on, and to cut on")
	c.Flags().Uint64Var(&f.seed, "seed", 0, "`number` that fixes the samples (default: the run's)")
	c.Flags().BoolVar(&f.quick, "quick", false, "cut nothing: find the clocks alone (default false)")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON (default false)")
	hardware.AddFlags(c, &f.device, "auto")
	return c
}

// probed is what probe --json prints.
type probed struct {
	Run        string `json:"run,omitempty"`
	Checkpoint string `json:"checkpoint"`
	Seed       uint64 `json:"seed"`
	IID        bool   `json:"iid,omitempty"` // the run's split is: its training may have drawn the samples too
	Device     string `json:"device"`
	*probe.Report

	task string
}

func probeRun(out *bufio.Writer, c *cobra.Command, f probeFlags) error {
	if err := strict.Within("n", f.n, 2, 1<<20); err != nil {
		return err
	}
	l, err := runs.Load(f.run, "", f.device)
	if err != nil {
		return err
	}
	defer l.Device.Close()
	if err := l.RefuseOwn("probe"); err != nil {
		return err
	}
	if err := probe.Refuse(l.Net.Config()); err != nil {
		return fmt.Errorf("%s: %w", l.Path, err)
	}
	if !c.Flags().Changed("seed") {
		f.seed = l.Run.Training.Seed
	}
	p := probed{
		Run: cmp.Or(l.Dir, f.run), Checkpoint: l.Path, Seed: f.seed, IID: l.Run.Training.Split == "iid",
		Device: hardware.DeviceLine(l.Device, f.device), task: cli.TaskText(l.Run.Training),
	}
	set, err := probe.Draw(l.Task, tasks.Draw{Seed: f.seed, IID: p.IID}, f.n)
	if err != nil {
		return fmt.Errorf("%s: %w", l.Path, err)
	}
	steps, err := probeSteps(l, set)
	if err != nil {
		return err
	}
	tell := cli.NewTicker(c.ErrOrStderr())
	cuts := func(done, of int) error {
		if tell.Say(fmt.Sprintf("cut %d of %d", done+1, of)); done+1 == of {
			tell.End()
		}
		return nil
	}
	if p.Report, err = set.Report(l.Net, !f.quick, cuts); err != nil {
		return cli.Working(err)
	}
	p.Steps = steps
	if f.json {
		return cli.WriteJSON(out, p)
	}
	p.print(out)
	return nil
}

// probeSteps measures the checkpoints that a run kept, one after another in the network of the run.
func probeSteps(l *runs.Loaded, set *probe.Set) ([]probe.Step, error) {
	if l.Dir == "" {
		return nil, nil
	}
	kept, err := train.Kept(l.Dir)
	if err != nil || len(kept) == 0 {
		return nil, err
	}
	host := cpu.New()
	defer host.Close()
	params := l.Net.Params()
	own, err := params.Download(params.Values())
	if err != nil {
		return nil, cli.Working(err)
	}
	defer params.Upload(own)
	var steps []probe.Step
	for _, k := range kept {
		m, _, err := train.LoadModel(k.Path, host)
		if errors.Is(err, fs.ErrNotExist) { // the run trains on, and has thinned them since
			continue
		}
		if err != nil {
			return nil, err
		}
		values, err := m.Params().Download(m.Params().Values())
		if err != nil {
			return nil, cli.Working(err)
		}
		if len(values) != len(own) {
			return nil, fmt.Errorf("%s: the checkpoint is of another model than the run; remove it", k.Path)
		}
		params.Upload(values)
		step, err := set.Step(l.Net, k.Step)
		if err != nil {
			return nil, cli.Working(err)
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// valueWord is what a task's value so far is called.
func (p *probed) valueWord() string {
	if p.Task == "parenthesis" {
		return "number of open brackets"
	}
	return "sum read so far"
}

// sums reports whether the task's texts are sums; else they are strings.
func (p *probed) sums() bool { return p.Places[0].At == probe.AfterOperand }

// placeWord says where a phase was compared.
func placeWord(at string) string {
	return map[string]string{
		probe.AfterOperand: "after an operand", probe.EveryToken: "after a token", probe.AtEnd: "at the end",
		probe.AtAnswer: "at the answer",
	}[at]
}

func (p *probed) print(out *bufio.Writer) {
	fmt.Fprintf(out, "checkpoint  %s\ndevice      %s\ntask        %s; values count modulo %d\n",
		show.Line(p.Checkpoint), p.Device, p.task, p.Modulus)
	fmt.Fprintf(out, "units       %d with a phase, %d of them turn with the state", p.Units, p.Turning)
	if p.Memory > 0 {
		fmt.Fprintf(out, "; besides %d of a memory of positions, which are no clocks", p.Memory)
	}
	what, unseen := "strings", "of the tests' stream (short ones occur in training too)"
	if p.sums() {
		what, unseen = "flat sums of two operands or more", "that training never drew"
	}
	if p.IID {
		unseen = "drawn as training draws (the run's split is iid: nothing is held out)"
	}
	fmt.Fprintf(out, "\nsamples     %s %s %s, seed %d\n\n", words.Number(p.Samples), what, unseen, p.Seed)
	for _, part := range []func(*bufio.Writer){
		p.printClocks, p.printHalfTurns, p.printBest, p.printKinds, p.printVotes, p.printCauses, p.printSteps,
	} {
		part(out)
	}
}

func (p *probed) printClocks(out *bufio.Writer) {
	fmt.Fprintf(out, "A clock is a unit whose phase follows the %s. R says how exactly: 1 is exact, 0 not at all;\n"+
		"a clock has at least %.2f. Chance is the most that any unit reaches when the values are shuffled.\n\n",
		p.valueWord(), probe.Least)
	if len(p.Clocks) == 0 {
		fmt.Fprint(out, "clocks      none found\n")
		return
	}
	fmt.Fprintf(out, "clocks      %d found\n", len(p.Clocks))
	places := func(k probe.Clock) []probe.Following {
		if k.Answer == nil {
			return k.Places
		}
		return append(slices.Clone(k.Places), *k.Answer)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name string, column func(probe.Following) string, last string) {
		fmt.Fprintf(t, "  %s\t", name)
		for _, x := range places(p.Clocks[0]) {
			fmt.Fprintf(t, "%s\t", column(x))
		}
		fmt.Fprintln(t, last)
	}
	line("unit", func(x probe.Following) string { return "R " + placeWord(x.At) }, "what it does")
	for _, k := range p.Clocks {
		fmt.Fprintf(t, "  %d\t", k.Unit)
		for _, x := range places(k) {
			fmt.Fprintf(t, "%.2f\t", x.R)
		}
		fmt.Fprintln(t, k.Words(p.Modulus))
	}
	line("chance", func(x probe.Following) string { return fmt.Sprintf("%.2f", x.Chance) }, "")
	line("tokens", func(x probe.Following) string { return words.Number(x.Samples) }, "")
	t.Flush()
}

// printHalfTurns is the units that keep the value with their line.
func (p *probed) printHalfTurns(out *bufio.Writer) {
	if len(p.HalfTurns) == 0 {
		fmt.Fprint(out, "half-turn clocks  none found\n")
		return
	}
	fmt.Fprintf(out, "half-turn clocks  %d found %s\n", len(p.HalfTurns), placeWord(p.HalfTurns[0].At))
	fmt.Fprintf(out, "  Twice the phase of such a unit follows the %s, with R₂ for R. So each value\n"+
		"  has two phases, half a turn apart: the two ends of a line. A partner tells the ends apart: the two\n"+
		"  phases together are a clock that goes κ times round, with R₃ for R.\n\n", p.valueWord())
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "  unit\tR₂\tchance\ttokens\tpartner\tκ\tR₃\twhat it does\n")
	for i := range p.HalfTurns {
		h := &p.HalfTurns[i]
		partner := "none\t\t"
		if x := h.Partner; x != nil {
			partner = fmt.Sprintf("%d\t%+d\t%.2f", x.Unit, x.K, x.R)
		}
		fmt.Fprintf(t, "  %d\t%.3f\t%.2f\t%s\t%s\t%s\n",
			h.Unit, h.R, h.Chance, words.Number(h.Samples), partner, h.Words(p.Modulus))
	}
	t.Flush()
}

// fewest is how many tokens a kind has at least that is printed; JSON has all.
const fewest = 20

// printKinds is where the hands stand when the value is 0, for each kind of token.
func (p *probed) printKinds(out *bufio.Writer) {
	if len(p.Clocks) == 0 {
		return
	}
	fmt.Fprintf(out, "\nwhere a hand stands while the value is 0, by the token that was read and the sign that\n"+
		"rules there (R at the phase; in texts of any form; kinds with %d tokens or more)\n", fewest)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "token\tsign\ttokens\tchance\t")
	for _, k := range p.Clocks {
		fmt.Fprintf(t, "unit %d\t", k.Unit)
	}
	fmt.Fprintln(t)
	for i, x := range p.Clocks[0].Kinds {
		if x.Samples < fewest {
			continue
		}
		sign := map[bool]string{true: "+", false: "-"}[x.Sign > 0]
		fmt.Fprintf(t, "%s\t%s\t%s\t%.2f\t", x.After, sign, words.Number(x.Samples), x.Chance)
		for _, k := range p.Clocks {
			fmt.Fprintf(t, "%.2f at %.0f°\t", k.Kinds[i].R, degrees(k.Kinds[i].Offset))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

func (p *probed) printBest(out *bufio.Writer) {
	fmt.Fprintf(out, "\nthe best unit of each frequency, clock or not (R: the least of the places; %s)\n",
		words.Plural(p.Samples, "text"))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "times round\tunit\tR\tchance\t\n")
	for _, u := range p.Best {
		fmt.Fprintf(t, "%+d\t%d\t%.2f\t%.2f\t\n", u.K, u.Unit, u.R, p.Chance)
	}
	t.Flush()
}

func degrees(x float64) float64 { return x * 180 / math.Pi }

func (p *probed) printVotes(out *bufio.Writer) {
	if len(p.Clocks) == 0 {
		return
	}
	fmt.Fprint(out, "\nhow the clocks vote: to each answer's logit a clock adds weight × cos(its phase − angle)\n")
	if p.Clocks[0].Answer != nil {
		fmt.Fprint(out, "(angles less the clock's offset at the answer: an exact vote stands at the answer's own\n"+
			"multiple of the angle by which +1 turns the clock)\n")
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "answer\t")
	for _, k := range p.Clocks {
		fmt.Fprintf(t, "unit %d\t", k.Unit)
	}
	fmt.Fprintln(t)
	for i := range p.Clocks[0].Votes {
		fmt.Fprintf(t, "%s\t", p.Clocks[0].Votes[i].Answer)
		for _, k := range p.Clocks {
			offset := 0.0
			if k.Answer != nil {
				offset = k.Answer.Offset
			}
			angle := math.Remainder(k.Votes[i].Angle-offset, 2*math.Pi)
			fmt.Fprintf(t, "%.2f at %.0f°\t", k.Votes[i].Weight, degrees(angle))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

func (p *probed) printCauses(out *bufio.Writer) {
	c := p.Causes
	if c == nil {
		fmt.Fprintf(out, "\nNo unit was cut: %s. So nothing here is called a cause.\n", p.NoCut)
		return
	}
	texts := "strings"
	if p.sums() {
		texts = "prompts of two operands or more"
	}
	fmt.Fprintf(out, "\nwhat is lost: %s %s, %s answered right by the whole model (a constant guess: %s)\n",
		words.Number(c.Whole.Count), texts, cli.Percent(c.Whole.Rate()), cli.Percent(c.Guess))
	fmt.Fprint(out, "cut: nobody reads the units; frozen: everybody reads their mean\n")
	p.printEffects(out)
	by := "frozen"
	if c.NoStill != "" {
		by = "cut"
		fmt.Fprintf(out, "nothing was frozen: %s\n", c.NoStill)
	}
	fmt.Fprintf(out, "by operands or length: right when %s\n", by)
	p.printRoles(out, by)
}

// printEffects is the table of what was lost, by operands or length too.
func (p *probed) printEffects(out *bufio.Writer) {
	c := p.Causes
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	keys := c.Whole.Groups()
	word := "operands"
	if !p.sums() {
		word = "length ≤"
	}
	fmt.Fprint(t, "units\tright, cut\tright, frozen\t")
	for _, k := range keys {
		fmt.Fprintf(t, "%s %d\t", word, k)
	}
	fmt.Fprintln(t)
	effect := func(name string, e *probe.Effect) {
		frozen := ""
		if e.Freeze != nil {
			frozen = cli.Percent(e.Freeze.Rate())
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t", name, cli.Percent(e.Cut.Rate()), frozen)
		for _, k := range keys {
			g := e.Fairer().Group[k]
			fmt.Fprintf(t, "%.0f %% of %d\t", 100*g.Rate(), g.Count)
		}
		fmt.Fprintln(t)
	}
	effect("none", &probe.Effect{Cut: &c.Whole, Freeze: &c.Whole})
	for _, k := range p.Clocks {
		effect(fmt.Sprintf("clock %d", k.Unit), &c.Single[k.Unit])
	}
	if len(p.Clocks) > 2 {
		for i, k := range p.Clocks {
			effect(fmt.Sprintf("all clocks but %d", k.Unit), &c.Others[i])
		}
	}
	if len(p.Clocks) > 1 {
		effect("all clocks", c.Clocks)
	}
	for i := range c.Control {
		effect("drawn by lot: "+strings.Trim(fmt.Sprint(c.Control[i].Units), "[]"), &c.Control[i])
	}
	t.Flush()
}

// printRoles lists the units by role, those whose loss costs most first.
func (p *probed) printRoles(out *bufio.Writer, by string) {
	c := p.Causes
	lists := map[probe.Role][]int{}
	for u, role := range c.Roles {
		lists[role] = append(lists[role], u)
	}
	fmt.Fprintf(out, "\nroles: what each unit's loss costs when it alone is %s (a clock's also on top of all other\n"+
		"clocks; half-turn clocks are none here); it counts from one answer of a hundred and three\n"+
		"standard errors\n", by)
	for _, x := range []struct {
		role probe.Role
		word string
	}{
		{probe.Carries, "carry the value"}, {probe.Steers, "steer: no clocks, yet answers need them"},
		{probe.Idle, "idle: nothing is lost that could be told from noise"},
	} {
		list := lists[x.role]
		fmt.Fprintf(out, "  %d %s", len(list), x.word)
		if x.role != probe.Idle && len(list) > 0 {
			slices.SortStableFunc(list, func(a, b int) int {
				return cmp.Compare(c.Single[b].Fairer().Lost, c.Single[a].Fairer().Lost)
			})
			for i, u := range list {
				sign := map[bool]string{true: ":", false: ","}[i == 0]
				fmt.Fprintf(out, "%s %d (%.1f %%)", sign, u, 100*c.Single[u].Fairer().Lost)
			}
		}
		fmt.Fprintln(out)
	}
}

func (p *probed) printSteps(out *bufio.Writer) {
	if len(p.Steps) == 0 {
		return
	}
	fmt.Fprint(out, "\nduring training, from the kept checkpoints: R of the best unit of each frequency\n")
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "step\tclocks\thalf-turn\t")
	for i := range p.Best {
		fmt.Fprintf(t, "%d × round\t", i+1)
	}
	fmt.Fprint(t, "chance\t\n")
	for _, s := range p.Steps {
		fmt.Fprintf(t, "%s\t%d\t%d\t", words.Number(s.Step), s.Clocks, s.HalfTurns)
		for _, u := range s.Best {
			fmt.Fprintf(t, "%.2f\t", u.R)
		}
		fmt.Fprintf(t, "%.2f\t\n", s.Chance)
	}
	t.Flush()
}

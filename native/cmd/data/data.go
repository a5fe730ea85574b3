//go:build !js

// Package data implements mhacsp data, which writes samples of a task.
package data

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mhacsp/model/checkpoint"
	"mhacsp/native/cli"
	"mhacsp/native/input"
	"mhacsp/native/runs"
	"mhacsp/native/words"
	"mhacsp/tasks"
	"mhacsp/tasks/strict"
)

// maxDescribed bounds the samples that the summary counts.
const maxDescribed = 20000

// New makes the command data, which prints to out.
func New(out *bufio.Writer) *cobra.Command {
	split, path := "train", ""
	var n int
	var seed uint64
	var s *runs.Settings
	c := &cobra.Command{
		Use:   "data",
		Short: "Write a task's samples as JSON lines",
		Long: `Write samples, one JSON object a line: prompt and target or label as text (without <SOS> and
<EOS>), the same as ids (prompt_ids with <SOS>, target_ids with <EOS>, label_id), operands, depth, and trivial for a
single number. A summary goes to standard error. The samples are those that eval, and the validations and the test of
train, draw with the same seed and split; iid draws test samples that are not held out from training. What a network is
trained on is that of --split train where train has --long-share 0 and --curriculum=false: else it gets long samples
more often, or short ones first.`,
		Example: "  mhacsp data --task arithmetic --preset author --format repeat --split test --n 1000 --seed 1 " +
			"--out FILE.jsonl\n  mhacsp data --task parity --n 5 --out -",
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := strict.Within("n", n, 1, 1<<30); err != nil {
				return err
			}
			_, task, err := s.Resolve("")
			if err != nil {
				return err
			}
			d := input.DrawOf(split, seed)
			if err := writeSamples(c.Context(), out, path, task, d, n); err != nil {
				return err
			}
			describeData(c.ErrOrStderr(), tasks.Describe(task, d, min(n, maxDescribed)))
			return nil
		},
	}
	s = runs.AddSettings(c, runs.TaskSettings())
	cli.AddChoice(c, &split, "split", input.Splits(), "what is drawn; iid: test samples without held-out expressions")
	c.Flags().IntVar(&n, "n", 1000, "`samples` to write")
	c.Flags().Uint64Var(&seed, "seed", 0, "`number` that fixes the samples")
	cli.AddOut(c, &path, "", "`file` to write, replaced if it exists; - for standard output", "jsonl")
	cli.Must(c.MarkFlagRequired("out"))
	return c
}

func writeSamples(ctx context.Context, out *bufio.Writer, path string, t tasks.Task, d tasks.Draw, n int) error {
	write := func(w io.Writer) error {
		var s tasks.Sample
		for i := 0; i < n && ctx.Err() == nil; i++ {
			t.Sample(&s, d, uint64(i))
			if err := input.WriteSample(w, t, &s); err != nil {
				return err
			}
		}
		return context.Cause(ctx)
	}
	if path == "-" {
		return write(out)
	}
	ctx, release := cli.WhenToStop(ctx, 0, func(string) {}) // so that WriteAtomic leaves nothing half written
	defer release()
	return checkpoint.WriteAtomic(path, write)
}

// describeData prints what was drawn.
func describeData(w io.Writer, r tasks.Report) {
	split := "split " + r.Role
	if r.IID {
		split = "drawn as training is"
	}
	of := fmt.Sprintf("on average %.1f prompt tokens", r.PromptTokens)
	if r.TargetTokens > 0 {
		of = fmt.Sprintf("one-number prompts %s, on average %.1f prompt and %.1f target tokens",
			cli.Percent(r.Trivial), r.PromptTokens, r.TargetTokens)
	}
	fmt.Fprintf(w, "%s of %s, %s: a constant guess of %q is right for %s, %s\n",
		words.Plural(r.Samples, "sample"), r.Task, split, r.MostCommon, cli.Percent(r.Majority), of)
	for _, x := range []struct {
		name   string
		shares []tasks.Share
	}{{"operands", r.Operands}, {"depth", r.Depth}} {
		if len(x.shares) < 2 {
			continue
		}
		fmt.Fprintf(w, "%-9s", x.name)
		for _, s := range x.shares {
			fmt.Fprintf(w, " %d: %s ", s.Value, cli.Percent(s.Share))
		}
		fmt.Fprintln(w)
	}
}

//go:build !js

// Package ask implements mhacsp ask, which puts a typed question to a run's model and checks its answer.
package ask

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mhacsp/model/ask"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
	"mhacsp/native/input"
	"mhacsp/native/runs"
	"mhacsp/native/words"
	"mhacsp/tasks"
	"mhacsp/tasks/own"
	"mhacsp/tasks/show"
)

// New makes the command ask, which prints to out.
func New(out *bufio.Writer) *cobra.Command {
	var dir string
	var device hardware.Flags
	var asJSON bool
	c := &cobra.Command{
		Use:   `ask [--run DIR] "PROMPT"`,
		Short: "Ask a run's model and check its answer",
		Long: "Let a run's model answer a prompt, free-running, and print the probability of every token, the three " +
			"most probable\nanswers, and whether the answer is right. A prompt is an expression (\"mod 9 =\" may be " +
			"left out), or the string to\nclassify where the run's task is about strings.",
		Example: "  mhacsp ask \"((2 + 3) - 4) mod 9 =\"\n" +
			"  mhacsp ask --run runs/parity-csp-4 1011001",
		Args: func(c *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return promptMissing(dir)
			case 1:
				return nil
			}
			return fmt.Errorf("%d prompts given; put the whole prompt in one pair of quotes", len(args))
		},
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := runs.Load(dir, "", device)
			if err != nil {
				return err
			}
			defer l.Device.Close()
			return reply(out, l, args[0], hardware.DeviceLine(l.Device, device), asJSON)
		},
	}
	cli.AddFile(c, &dir, "run", "",
		"`folder` of the run, or a checkpoint file (default: the newest under "+runs.Folder+"/)")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (default false)")
	hardware.AddFlags(c, &device, "auto")
	return c
}

// promptMissing shows a prompt of the run in a folder, or of the task that train takes.
func promptMissing(dir string) error {
	command := cli.Program + " ask "
	t, err := tasks.New(train.DefaultTask, tasks.Options{})
	cli.Must(err)
	if l, err := runs.Load(dir, "", hardware.Flags{Backend: "cpu"}); err == nil {
		l.Device.Close()
		t = l.Task
		if dir != "" {
			command += "--run " + cli.Quote(dir) + " "
		}
	}
	return fmt.Errorf("the prompt is missing; write for example: %s%s", command,
		cli.PromptFor(t.Example(), filepath.Separator))
}

// Answer is what ask prints.
type Answer struct {
	Checkpoint string `json:"checkpoint"`
	Device     string `json:"device"`
	ask.Reply

	run string // to name it in a command
}

// reply prints what the model makes of a prompt.
func reply(out *bufio.Writer, l *runs.Loaded, text, device string, asJSON bool) error {
	if n := utf8.RuneCountInString(text); n > input.MaxTokens {
		return fmt.Errorf("the prompt has %s characters, at most %s are possible; shorten it",
			words.Number(n), words.Number(input.MaxTokens))
	}
	var q ask.Question
	var err error
	t, isOwn := l.Task.(*own.Task)
	if isOwn {
		q.Tokens, err = t.Prompt(text)
		q.Prompt = t.Text(q.Tokens)
	} else {
		text = cli.AsTyped(text)
		q, err = ask.Parse(l.Task, l.Run.Training.Format, text)
	}
	if err != nil {
		return cli.PointAt(text, err)
	}
	r, err := ask.Put(l.Net, l.Task, l.Run.Training.Format, q)
	switch {
	case errors.Is(err, ask.ErrNotFinite):
		return runs.Unusable(l.Path, l.Net, "a probability")
	case err != nil:
		return cli.Working(err)
	}
	if note := l.Note(len(q.Tokens)); note != "" {
		r.Note = strings.TrimPrefix(r.Note+"; "+note, "; ")
	}
	var a interface{ print(*bufio.Writer) }
	a = &Answer{Checkpoint: l.Path, Device: device, Reply: *r, run: cmp.Or(l.Dir, l.Path)}
	if isOwn {
		a = ownAnswer(l.Path, device, t, r)
	}
	if asJSON {
		return cli.WriteJSON(out, a)
	}
	a.print(out)
	return nil
}

func (a *Answer) print(out *bufio.Writer) {
	fmt.Fprintf(out, "checkpoint  %s (%s)\nprompt      %s\noutput      %s\n",
		show.Line(a.Checkpoint), a.Device, a.Prompt, a.Output)
	verdict := "right"
	if !a.Right {
		verdict = "wrong, " + a.Expected + " is right"
	}
	fmt.Fprintf(out, "answer      %s: %s\n", cmp.Or(a.Answer, "none"), verdict)
	if a.Exact != nil {
		fmt.Fprintf(out, "exact match %t\n", *a.Exact)
	}
	printScores(out, a.Top, cli.Noted(a.Unpractised, a.Note), a.Tokens, func() {
		if a.Instead != "" {
			fmt.Fprintf(out, "practised   %s ask --run %s %s\n", cli.Program, cli.Quote(a.run),
				cli.PromptFor(a.Instead, filepath.Separator))
		}
	})
}

// printScores prints probabilities, and before the tokens the note and what else there is to say.
func printScores(out *bufio.Writer, top []ask.Scored, note string, tokens []ask.Scored, more func()) {
	if len(top) > 0 {
		fmt.Fprint(out, "most probable")
		for _, x := range top {
			fmt.Fprintf(out, "  %s: %s", show.Text(x.Text), cli.Percent(float64(x.Probability)))
		}
		fmt.Fprintln(out)
	}
	if note != "" {
		fmt.Fprintf(out, "note        %s\n", note)
	}
	more()
	for i, x := range tokens {
		if i == 0 {
			fmt.Fprint(out, "tokens and their probability:\n")
		}
		fmt.Fprintf(out, "  %-10q %s\n", x.Text, cli.Percent(float64(x.Probability)))
	}
}

// OwnAnswer is what ask prints of a run with data of its own: nobody knows the right answer.
type OwnAnswer struct {
	Checkpoint string       `json:"checkpoint"`
	Device     string       `json:"device"`
	Prompt     string       `json:"prompt"`
	Output     string       `json:"output"` // the target that it wrote, or the label
	Ended      *bool        `json:"ended,omitempty"`
	Tokens     []ask.Scored `json:"tokens,omitempty"`
	Top        []ask.Scored `json:"top"` // the most probable labels or first tokens, three at most
	Note       string       `json:"note,omitempty"`

	Unpractised []tasks.Unpractised `json:"unpractised,omitempty"` // what of the prompt training never had
}

// ownAnswer is what a reply tells where nobody knows what is right.
func ownAnswer(path, device string, t *own.Task, r *ask.Reply) *OwnAnswer {
	a := &OwnAnswer{
		Checkpoint: path, Device: device, Prompt: r.Prompt, Output: r.Output, Tokens: r.Tokens, Top: r.Top,
		Note: r.Note, Unpractised: r.Unpractised,
	}
	if t.Classes() == 0 {
		body, ended := strings.CutSuffix(r.Output, "<EOS>")
		a.Output, a.Ended = body, &ended
		if t.Data().Tokens == own.Words {
			a.Output = strings.TrimPrefix(body, " ")
		}
	}
	return a
}

func (a *OwnAnswer) print(out *bufio.Writer) {
	fmt.Fprintf(out, "checkpoint  %s (%s)\nprompt      %s\noutput      %s\n",
		show.Line(a.Checkpoint), a.Device, show.Text(a.Prompt), show.Text(a.Output))
	if a.Ended != nil && !*a.Ended {
		a.Note = strings.TrimPrefix(a.Note+"; the output has no end: it was cut off", "; ")
	}
	printScores(out, a.Top, cli.Noted(a.Unpractised, a.Note), a.Tokens, func() {})
}

//go:build !js

package main

import (
	"bufio"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"mhacsp/model"
	"mhacsp/tasks"
)

func newAsk(out *bufio.Writer) *cobra.Command {
	var dir string
	var device deviceFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   `ask [--run DIR] "PROMPT"`,
		Short: "Ask a run's model and check its answer",
		Long: "Let a run's model answer a prompt, free-running, and print the probability of every token, the three most probable\n" +
			"answers, and whether the answer is right. A prompt is an expression (\"mod 9 =\" may be left out), or the string to\n" +
			"classify where the run's task is about strings.",
		Example: "  mhacsp ask \"((2 + 3) - 4) mod 9 =\"\n" +
			"  mhacsp ask --run runs/parity-csp-4 1011001",
		Args: func(c *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return fmt.Errorf("the prompt is missing; write for example: mhacsp ask %q", examplePrompt(defaultTask))
			case 1:
				return nil
			}
			return fmt.Errorf("%d prompts given; put the whole prompt in one pair of quotes", len(args))
		},
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := load(dir, "", device)
			if err != nil {
				return err
			}
			defer l.device.Close()
			a, err := l.ask(args[0])
			if err != nil {
				return err
			}
			a.Device = deviceLine(l.device, device)
			if asJSON {
				return writeJSON(out, a)
			}
			a.print(out)
			return nil
		},
	}
	addFile(c, &dir, "run", "", "`folder` of the run (default: the newest under "+runsFolder+"/)")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (default false)")
	addBackend(c, &device, "auto")
	return c
}

// scored is a token or class with its probability.
type scored struct {
	Text        string  `json:"text"`
	Probability float32 `json:"probability"`
}

// answer is what ask prints.
type answer struct {
	Checkpoint string   `json:"checkpoint"`
	Device     string   `json:"device"`
	Prompt     string   `json:"prompt"` // as the model read it
	Output     string   `json:"output"` // what it wrote, or the class
	Tokens     []scored `json:"tokens,omitempty"`
	Answer     string   `json:"answer"` // empty where the output has none
	Expected   string   `json:"expected"`
	Right      bool     `json:"right"`
	Exact      *bool    `json:"exact,omitempty"` // of sequences: the whole output is the target
	Top        []scored `json:"top"`
	Note       string   `json:"note,omitempty"`
}

func (l *loaded) ask(text string) (*answer, error) {
	if len(text) > maxTokens {
		return nil, fmt.Errorf("the prompt has %s characters, at most %s are possible; shorten it", group(len(text)), group(maxTokens))
	}
	prompt, expected, err := l.read(text)
	if err != nil {
		return nil, err
	}
	ids, err := l.task.Vocabulary().Tokenise(prompt)
	if err != nil {
		return nil, pointAt(prompt, err)
	}
	ids = append([]int32{tasks.SOS}, ids...)
	a := &answer{Checkpoint: l.path, Prompt: prompt, Expected: expected}
	if len(ids) > l.task.MaxPrompt() {
		a.Note = fmt.Sprintf("the prompt has %s, training saw at most %d", plural(len(ids), "token"), l.task.MaxPrompt())
	}
	if l.task.Classes() > 0 {
		err = l.classify(a, ids)
	} else {
		err = l.generate(a, ids)
	}
	if err != nil {
		return nil, working(err)
	}
	for _, x := range append(a.Top, a.Tokens...) {
		if x.Probability != x.Probability {
			return nil, fmt.Errorf("%s: a probability is not a number; the checkpoint holds numbers that are not finite", l.path)
		}
	}
	a.Right = a.Answer == expected
	return a, nil
}

func (l *loaded) classify(a *answer, ids []int32) error {
	labels, logits, err := l.net.Classify([][]int32{ids})
	if err != nil {
		return err
	}
	a.Answer = l.task.ClassName(labels[0])
	a.Output = a.Answer
	a.Top = top(model.Softmax(logits), l.task.ClassName)
	return nil
}

func (l *loaded) generate(a *answer, ids []int32) error {
	limit := max(l.task.MaxTarget(), 2*len(ids)) + 1
	outs, err := l.net.Generate([][]int32{ids}, limit, true)
	if err != nil {
		return err
	}
	v, g := l.task.Vocabulary(), outs[0]
	a.Output = v.Detokenise(g.Tokens)
	for i, id := range g.Tokens {
		a.Tokens = append(a.Tokens, scored{v.Token(id), g.Probs[i][id]})
	}
	exact := a.Output == l.target(a.Prompt, a.Expected)
	a.Exact = &exact
	at := sort.Search(len(g.Tokens), func(n int) bool { // the token with which Answer first finds one
		_, ok := l.task.Answer(g.Tokens[:n+1])
		return ok
	})
	switch {
	case at < len(g.Tokens):
		a.Answer = v.Token(g.Tokens[at])
	case l.run.Training.Format == "copy":
		return nil // where the answer would be depends on the output
	default:
		at = 0
	}
	a.Top = top(g.Probs[at], v.Token)
	return nil
}

// target is the output that the run's format asks for.
func (l *loaded) target(prompt, digit string) string {
	switch l.run.Training.Format {
	case "direct":
		return digit + "<EOS>"
	case "copy":
		return prompt + digit + "<EOS>"
	}
	return digit + " repeat " + prompt + digit + "<EOS>"
}

// top lists the three most probable.
func top(probs []float32, name func(int32) string) []scored {
	list := make([]scored, len(probs))
	for i, p := range probs {
		list[i] = scored{name(int32(i)), p}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Probability > list[j].Probability })
	return list[:min(3, len(list))]
}

// read turns what was typed into a prompt as the task writes it, and the exact answer.
func (l *loaded) read(text string) (prompt, expected string, err error) {
	switch l.task.Name() {
	case "arithmetic":
		return readArithmetic(text)
	case "modarith":
		return readModArith(text)
	}
	text = strings.Join(strings.Fields(text), "")
	if text == "" {
		return "", "", errors.New("the prompt is empty; write the string to classify")
	}
	alphabet, label := stringRule(l.task.Name(), text)
	for i := range len(text) {
		if strings.IndexByte(alphabet, text[i]) < 0 {
			return "", "", pointAt(text, &tasks.ParseError{Offset: i, Found: fmt.Sprintf("%q", []rune(text[i:])[0]), Expected: "one of " + strings.Join(strings.Split(alphabet, ""), " ")})
		}
	}
	return text, l.task.ClassName(label), nil
}

// stringRule is a string task's characters and the label of a text over them.
func stringRule(task, text string) (alphabet string, label int32) {
	sum, height, balanced := 0, 0, true
	for _, c := range text {
		switch c {
		case '(':
			height++
		case ')':
			height--
			balanced = balanced && height >= 0
		default:
			sum += int(c - '0')
		}
	}
	switch task {
	case "parity":
		return "01", int32(sum & 1)
	case "mod3":
		return "0123456789", int32((sum%3 + 3) % 3)
	}
	if balanced && height == 0 {
		label = 1
	}
	return "()", label
}

func readArithmetic(text string) (prompt, expected string, err error) {
	e, mod, err := tasks.ParsePrompt(text)
	if err != nil {
		return "", "", pointAt(text, err)
	}
	if mod != tasks.Modulus {
		return "", "", fmt.Errorf("the modulus is %d; the task has mod %d only", mod, tasks.Modulus)
	}
	if at := strings.IndexByte(text, '*'); at >= 0 {
		return "", "", pointAt(text, &tasks.ParseError{Offset: at, Found: `"*"`, Expected: "+ or - (the task has no other operators)"})
	}
	return fmt.Sprintf("%s mod %d = ", e, mod), fmt.Sprint(e.Eval(mod)), nil
}

func readModArith(text string) (prompt, expected string, err error) {
	const modulus = 5
	e, mod, err := tasks.ParsePrompt(text)
	if err != nil {
		return "", "", pointAt(text, err)
	}
	if mod != modulus && strings.Contains(text, "mod") {
		return "", "", fmt.Errorf("the modulus is %d; the task has mod %d only", mod, modulus)
	}
	return strings.ReplaceAll(e.String(), " ", ""), fmt.Sprint(e.Eval(modulus)), nil
}

// pointAt shows the text with a caret under the place that an error names.
func pointAt(text string, err error) error {
	var parse *tasks.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	clean := strings.Map(func(r rune) rune { // one column a character, so that the caret stands right
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
	return fmt.Errorf("%w\n  %s\n  %s^", err, clean, strings.Repeat(" ", parse.Offset))
}

func (a *answer) print(out *bufio.Writer) {
	fmt.Fprintf(out, "checkpoint  %s (%s)\nprompt      %s\noutput      %s\n", a.Checkpoint, a.Device, a.Prompt, a.Output)
	verdict := "right"
	if !a.Right {
		verdict = "wrong, " + a.Expected + " is right"
	}
	fmt.Fprintf(out, "answer      %s: %s\n", orElse(a.Answer, "none"), verdict)
	if a.Exact != nil {
		fmt.Fprintf(out, "exact match %t\n", *a.Exact)
	}
	if len(a.Top) > 0 {
		fmt.Fprint(out, "most probable")
		for _, x := range a.Top {
			fmt.Fprintf(out, "  %s: %s", x.Text, percent(float64(x.Probability)))
		}
		fmt.Fprintln(out)
	}
	if a.Note != "" {
		fmt.Fprintf(out, "note        %s\n", a.Note)
	}
	for i, x := range a.Tokens {
		if i == 0 {
			fmt.Fprint(out, "tokens and their probability:\n")
		}
		fmt.Fprintf(out, "  %-10q %s\n", x.Text, percent(float64(x.Probability)))
	}
}

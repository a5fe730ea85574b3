// Package ask puts a typed question to a trained network: it reads the text as the task writes it, lets the network
// answer free-running, and tells what would have been right.
package ask

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"mhacsp/tasks"
)

// Question is a prompt of a task.
type Question struct {
	Prompt   string  // as the task writes it
	Tokens   []int32 // of Prompt, <SOS> first
	Expected string  // the exact answer: a digit, or a label; empty where nobody knows it
	Target   string  // the whole output that the task's format asks for; Expected where the task has labels
}

// Parse reads what was typed: an expression ("mod 9 =" may be left out), or the string to classify, in which white
// space does not count. format is that of the run's targets (SPEC §9). A text that does not parse is a
// *tasks.ParseError with the place in text.
func Parse(t tasks.Task, format, text string) (Question, error) {
	q, err := read(t, text)
	if err != nil {
		return q, err
	}
	ids, err := t.Vocabulary().Tokenise(q.Prompt)
	q.Tokens = append([]int32{tasks.SOS}, ids...)
	q.Target = q.Expected
	if t.Classes() == 0 {
		q.Target = target(format, q.Prompt, q.Expected)
	}
	return q, err
}

// target is the output that a format asks for.
func target(format, prompt, digit string) string {
	switch format {
	case "direct":
		return digit + "<EOS>"
	case "copy":
		return prompt + digit + "<EOS>"
	}
	return digit + " repeat " + prompt + digit + "<EOS>"
}

func read(t tasks.Task, text string) (Question, error) {
	switch t.Name() {
	case "arithmetic":
		return readArithmetic(text)
	case "modarith":
		return readModArith(text)
	}
	return readString(t, text)
}

func readString(t tasks.Task, text string) (Question, error) {
	alphabet := t.Characters()
	var clean strings.Builder
	for i, c := range text {
		switch {
		case strings.ContainsRune(" \t\r\n", c):
		case strings.ContainsRune(alphabet, c):
			clean.WriteRune(c)
		default:
			return Question{}, &tasks.ParseError{Offset: i, Found: fmt.Sprintf("%q", c),
				Expected: "one of " + strings.Join(strings.Split(alphabet, ""), " ")}
		}
	}
	if clean.Len() == 0 {
		return Question{}, errors.New("the prompt is empty; write the string to classify")
	}
	n, err := label(t.Name(), clean.String())
	if err != nil {
		return Question{}, err
	}
	return Question{Prompt: clean.String(), Expected: t.ClassName(n)}, nil
}

// label is what a task about strings calls a text over its alphabet.
func label(task, text string) (int32, error) {
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
	switch {
	case task == "parity":
		return int32(sum % 2), nil
	case task == "mod3":
		return int32(sum % 3), nil
	case task != "parenthesis":
		return 0, fmt.Errorf("what is right in task %s is not known: label in model/ask needs a case for it", task)
	case balanced && height == 0:
		return 1, nil
	}
	return 0, nil
}

// readExpression reads one that is taken by a modulus, and says which digit is the same as a longer number.
func readExpression(text string, modulus int) (*tasks.Expression, error) {
	e, mod, err := tasks.ParsePrompt(text)
	if p, ok := errors.AsType[*tasks.ParseError](err); ok {
		before, behind := string([]rune(text)[:p.Offset]), string([]rune(text)[p.Offset:])
		before = before[len(strings.TrimRightFunc(before, unicode.IsDigit)):]
		behind = behind[:len(behind)-len(strings.TrimLeftFunc(behind, unicode.IsDigit))]
		if n, err := strconv.Atoi(before + behind); err == nil && n > 9 && !strings.Contains(text[:p.Offset], "mod") {
			p.Expected += fmt.Sprintf("; %d is %d mod %d: try %[2]d", n, n%modulus, modulus)
		}
	} else if mod != modulus && strings.Contains(text, "mod") {
		err = fmt.Errorf("the modulus is %d; the task has mod %d only", mod, modulus)
	}
	return e, err
}

func readArithmetic(text string) (Question, error) {
	e, err := readExpression(text, tasks.Modulus)
	if err != nil {
		return Question{}, err
	}
	if at := strings.IndexByte(text, '*'); at >= 0 {
		p := &tasks.ParseError{Offset: at, Found: `"*"`, Expected: "+ or - (the task has no other operators)"}
		left, right := strings.TrimRight(text[:at], " \t"), strings.TrimLeft(text[at+1:], " \t")
		if digit := left[len(left)-1]; digit != ')' && right[0] >= '1' && right[0] <= '9' {
			p.Expected += "; try (" + strings.Repeat(string(digit)+"+", int(right[0]-'1')) + string(digit) + ")"
		}
		return Question{}, p
	}
	const mod = tasks.Modulus
	return Question{Prompt: fmt.Sprintf("%s mod %d = ", e, mod), Expected: fmt.Sprint(e.Eval(mod))}, nil
}

func readModArith(text string) (Question, error) {
	const modulus = 5
	e, err := readExpression(text, modulus)
	if err != nil {
		return Question{}, err
	}
	return Question{Prompt: strings.ReplaceAll(e.String(), " ", ""), Expected: fmt.Sprint(e.Eval(modulus))}, nil
}

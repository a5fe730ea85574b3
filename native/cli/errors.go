//go:build !js

// Package cli holds what all commands share: flags, error messages, exit codes, output to pipes that may not be read,
// signals, and texts that several commands print.
package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mhacsp/model/backend"
	"mhacsp/model/checkpoint"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/tasks/own"
	"mhacsp/tasks/show"
	"mhacsp/tasks/strict"
)

// Exit codes.
const (
	CodeOK          = 0
	CodeInternal    = 1  // the run failed: a device, a full disk or output, numbers that are not finite, our fault
	CodeUser        = 2  // a mistake on the command line or in a file, a disk too small for what was asked
	CodeBusy        = 3  // another process trains the run
	CodePreempted   = 75 // a run was stopped and can go on, or another process is at it (EX_TEMPFAIL of sysexits.h)
	CodeInterrupted = 130
)

// The same in words, for help: of all commands, and of one without --time-limit.
const (
	codesBegin = "Exit codes: 0 finished; 1 the run failed; 2 the request was wrong; " +
		"3 another process trains the run;\n75 stopped by a signal"
	codesEnd         = ", training with a checkpoint: run the same command again; 130 Ctrl-C."
	ExitCodes        = codesBegin + " or --time-limit" + codesEnd
	ExitCodesUntimed = codesBegin + codesEnd
)

// internalError marks what the user could not have avoided.
type internalError struct{ error }

// Internal marks an error as one that the user could not have avoided: the exit code is CodeInternal.
func Internal(err error) error { return internalError{err} }

func (e internalError) Unwrap() error { return e.error }

// Working sorts an error that came while a device computed: what the file system says, and a text too long for the
// model, are the user's to mend, the rest is internal.
func Working(err error) error {
	if _, long := errors.AsType[*sequence.TooLongError](err); err == nil || train.OfSystem(err) || long {
		return err
	}
	return Internal(err)
}

// ExitCode is that of a command which ends with this error.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return CodeOK
	case errors.Is(err, ErrInterrupted):
		return CodeInterrupted
	case errors.Is(err, ErrPreempted):
		return CodePreempted
	case errors.As(err, new(internalError)), errors.As(err, new(*train.NotFiniteError)),
		errors.Is(err, backend.ErrOutOfMemory), errors.Is(err, backend.ErrDeviceLost), checkpoint.Full(err):
		return CodeInternal
	case errors.As(err, new(*train.BusyError)):
		return CodeBusy
	case errors.Is(err, ErrElsewhere):
		return CodePreempted
	}
	return CodeUser
}

// InWords is an error in words of the command line: libraries know remedies and keys, it has flags.
func InWords(err error) string {
	text := err.Error()
	var numbers *train.NotFiniteError
	var data *own.Error
	var long *sequence.TooLongError
	switch {
	case errors.As(err, &long): // the flag is train's
		text = strings.Replace(text, long.Error(), long.Named("--context", "--positions"), 1)
	case errors.As(err, &numbers):
		text = strings.Replace(text, numbers.Error(), numbers.Named("--state-clip"), 1)
	case errors.As(err, &data):
		text += [...]string{
			own.NameFields:     "; --fields prompt=NAME,label=NAME (or target=NAME) names others",
			own.AddToken:       "; train with a --vocabulary that has it, or with data that has it too",
			own.TakeCharacters: "; take characters for tokens, or give a --vocabulary",
			own.ChooseGroup:    "; --group names another field, --group \"\" none",
		}[data.Remedy]
	case errors.Is(err, train.ErrLeft):
		text += "; or choose another --out, or replace what is there with --overwrite"
	case errors.Is(err, train.ErrTaken):
		text += "; resume it with --resume, choose another --out, or replace it with --overwrite"
	case errors.Is(err, train.ErrChanged):
		text += "; change it back, make a run longer with --steps, or, where the network keeps its shape, train on " +
			"with --accept-changes"
	case errors.Is(err, syscall.EMFILE):
		text = strings.Replace(text, syscall.EMFILE.Error(), "too many open files (raise the limit: ulimit -n)", 1)
	}
	return text + ownerOf(err)
}

// ownerOf is who can let this user at the file or folder that an error was denied, and how; empty where it is this
// user's own.
func ownerOf(err error) string {
	var path *fs.PathError
	var disk *checkpoint.DiskError
	denied, needed := "", "X"
	switch {
	case !errors.Is(err, fs.ErrPermission):
		return ""
	case errors.As(err, &disk):
		denied, needed = disk.Path, "wX"
	case errors.As(err, &path):
		denied = path.Path
		if path.Op == "mkdir" {
			needed = "wX"
		}
	default:
		return ""
	}
	for ; ; denied = filepath.Dir(denied) { // what lies in a closed folder cannot be seen
		switch of := train.Owner(denied); of {
		case "":
		case "root":
			return "; " + denied + " is of root"
		default:
			return fmt.Sprintf("; %s is of %s, who can let your group in (chgrp GROUP %s; chmod g+r%s %s)", denied, of,
				Quote(denied), needed, Quote(denied))
		}
		if info, err := os.Stat(denied); err == nil && info.IsDir() || denied == filepath.Dir(denied) {
			return ""
		}
	}
}

// Message is the one line that an error of a command is worth. A key that no file has given is called by its flag.
func Message(c *cobra.Command, err error) string {
	text := strings.Replace(InWords(err), err.Error(), Flagged(c, err), 1)
	var name string
	if n, _ := fmt.Sscanf(text, "unknown command %q for", &name); n == 1 {
		return fmt.Sprintf("there is no command %q%s; mhacsp --help lists the commands",
			name, Meant(",", name, commandNames(c.Root())))
	}
	if list, ok := strings.CutPrefix(text, "required flag(s) "); ok {
		flags := strings.NewReplacer(`", "`, " and --", `" not set`, "", `"`, "").Replace(list)
		return "missing: --" + flags + "; the command's --help tells what to give"
	}
	return show.Escaped(strings.TrimRight(text, "\n"))
}

// Flagged is an error in which flags stand in place of a library's keys, unless a file may have given the key.
func Flagged(c *cobra.Command, err error) string {
	var field *strict.FieldError
	if !errors.As(err, &field) {
		return err.Error()
	}
	f := c.Flags().Lookup(FlagOf(field.Key))
	unread := c.Flags().Lookup("config") != nil &&
		!slices.ContainsFunc([]string{"config", "resume", "run", "checkpoint"}, c.Flags().Changed)
	given := f != nil && f.Changed && strings.Contains(f.Value.String(), fmt.Sprint(field.Value))
	if !given && !(f != nil && unread) {
		return err.Error()
	}
	name := func(key string) string { return FlagName(c, key) }
	return strings.Replace(err.Error(), field.Error(), field.Named(name), 1)
}

// FlagName is what a command calls a key: by its flag, where it has one.
func FlagName(c *cobra.Command, key string) string {
	if f := c.Flags().Lookup(FlagOf(key)); f != nil {
		return "--" + f.Name
	}
	return key
}

func commandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// FlagError adds what an unknown flag may have been meant to be.
func FlagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &invalid):
		return valueError(invalid)
	case !errors.As(err, &unknown):
		return fmt.Errorf("%w; %s --help tells what it takes", err, c.CommandPath())
	}
	if unknown.GetSpecifiedShortnames() != "" {
		if c.Name() == "ask" {
			return fmt.Errorf(`-%s is taken for a flag; `+
				`a prompt that begins with "-" stands after two dashes: %s -- "-3 + 4"`,
				unknown.GetSpecifiedShortnames(), c.CommandPath())
		}
		return fmt.Errorf("%w; flags are written with two dashes, and %s --help lists them", err, c.CommandPath())
	}
	name := unknown.GetSpecifiedName()
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	hint := ";"
	if near := nearest(name, names); near != "" {
		hint = ", did you mean --" + near + "?"
	}
	return fmt.Errorf("there is no flag --%s%s %s --help lists the flags", name, hint, c.CommandPath())
}

// valueError says what a flag takes.
func valueError(e *pflag.InvalidValueError) error {
	kind := e.GetFlag().Value.Type()
	if errors.Is(e, strconv.ErrRange) {
		return fmt.Errorf("--%s is %q, which no %s here can be; give a number nearer to 0",
			e.GetFlag().Name, e.GetValue(), map[bool]string{true: "number", false: "whole number"}[kind == "float64"])
	}
	needed := map[string]string{
		"int": "a whole number is needed", "uint64": "a whole number from 0 is needed",
		"float64": "a number is needed", "bool": "true or false is needed",
		"duration": "a time is needed, as in 55m or 1h30m",
	}[kind]
	return fmt.Errorf("--%s is %q; %s", e.GetFlag().Name, e.GetValue(), cmp.Or(needed, e.Unwrap().Error()))
}

// Meant is "did you mean x?" behind a mark, empty where nothing known is near.
func Meant(mark, typed string, known []string) string {
	if name := nearest(typed, known); name != "" {
		return mark + " did you mean " + name + "?"
	}
	return ""
}

// alsoCalled are names that other programs have for a flag or key.
var alsoCalled = map[string]string{
	"learning-rate": "lr", "batch-size": "batch", "epochs": "steps", "iterations": "steps", "max-steps": "steps",
	"hidden-size": "width", "grad-clip": "clip", "max-grad-norm": "clip", "output": "out", "workers": "jobs",
	"threads": "jobs",
}

// nearest is what may have been meant, or empty. Cobra's own measure decides, for commands, flags and values alike;
// the nearest counts, whatever its case.
func nearest(typed string, known []string) string {
	if name := alsoCalled[strings.ReplaceAll(strings.ToLower(typed), "_", "-")]; slices.Contains(known, name) {
		return name
	}
	c := &cobra.Command{}
	for _, name := range known {
		if strings.EqualFold(name, typed) { // of the names that begin with what was typed, it may be one itself
			return name
		}
		c.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	if typed == "" {
		return ""
	}
	for ; c.SuggestionsMinimumDistance <= 2; c.SuggestionsMinimumDistance++ {
		if near := c.SuggestionsFor(typed); len(near) > 0 {
			return near[0]
		}
	}
	for _, name := range known {
		if len(typed) > 2 && strings.HasSuffix(name, typed) { // lse for no-lse
			return name
		}
	}
	return ""
}

// NoneEmpty refuses flags that are given without a value, as a script's variable that was never set gives them, and
// lists with an item that is empty. --group "" is no group.
func NoneEmpty(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		text := f.Value.String()
		empty := text == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			items := list.GetSlice()
			text, empty = strings.Join(items, ","), len(items) == 0 && f.Name != "group" || slices.Contains(items, "")
		}
		if empty && err == nil {
			unit, _ := pflag.UnquoteUsage(f)
			err = fmt.Errorf("--%s is %q; give %s, or leave the flag out", f.Name, text, some(unit))
		}
	})
	return err
}

// some is a word with its article, where it is one thing.
func some(word string) string {
	switch {
	case strings.HasSuffix(word, "s") || word != strings.ToLower(word):
		return word
	case strings.ContainsAny(word[:1], "aeiou"):
		return "an " + word
	}
	return "a " + word
}

// ShellArgument refuses a shell that c, the completion command, has no command of its own for.
func ShellArgument(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("there is no completion for %q%s; %s --help lists the shells",
		args[0], Meant(",", args[0], commandNames(c)), c.CommandPath())
}

// Apart refuses flags that would say nothing, or the contrary, next to another one.
func Apart(c *cobra.Command, other, why string, flags ...string) error {
	for _, name := range flags {
		if c.Flags().Changed(other) && c.Flags().Changed(name) {
			return fmt.Errorf("--%s cannot be given with --%s, which %s; leave one of them out", name, other, why)
		}
	}
	return nil
}

// NoArguments refuses arguments that are not flags.
func NoArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, found %s; values follow their flag, as in --seed 3",
			c.CommandPath(), strconv.Quote(args[0]))
	}
	return nil
}

//go:build !js

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mhacsp/model/checkpoint"
)

// choice is the value of a flag that takes one of a few words.
type choice struct {
	value   *string
	allowed []string
}

func (c choice) String() string { return *c.value }

// Type is what help shows behind the flag's name: its words, where they are few.
func (c choice) Type() string {
	if c.many() {
		return "word"
	}
	return strings.Join(c.allowed, "|")
}

// many reports whether the words are too long for a column that all flags share.
func (c choice) many() bool { return len(strings.Join(c.allowed, "|")) > 60 }

func (c choice) Set(text string) error {
	if !slices.Contains(c.allowed, text) {
		return NoChoice(text, c.allowed)
	}
	*c.value = text
	return nil
}

// NoChoice says which words there are in place of one that is none of them.
func NoChoice(text string, allowed []string) error {
	return fmt.Errorf("choose one of %s%s", strings.Join(allowed, ", "), Meant(";", text, allowed))
}

// AddChoice adds an enumerated flag and its shell completion. The flag's default is what *value holds. Words that the
// flag's own column has no room for stand behind its usage.
func AddChoice(c *cobra.Command, value *string, name string, allowed []string, usage string) {
	flag := choice{value, allowed}
	if flag.many() {
		usage += "; one of " + strings.Join(allowed, ", ")
	}
	c.Flags().Var(flag, name, usage)
	// The only errors are programming errors: a flag that does not exist or is registered twice.
	Must(c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp)))
}

// AddFile adds a flag for a file; completion offers files with the given endings, or folders if there are none.
func AddFile(c *cobra.Command, value *string, name, preset, usage string, endings ...string) {
	c.Flags().StringVar(value, name, preset, usage)
	if len(endings) == 0 {
		Must(c.MarkFlagDirname(name))
		return
	}
	Must(c.MarkFlagFilename(name, endings...))
}

// AddOut adds --out of a command that computes long before it writes: what cannot be written is refused at the start,
// unless nothing will be.
func AddOut(c *cobra.Command, value *string, preset, usage string, endings ...string) {
	AddFile(c, value, "out", preset, usage, endings...)
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		dry, _ := c.Flags().GetBool("dry-run") // false where there is no such flag
		report, _ := c.Flags().GetBool("report")
		switch {
		case dry || report || *value == "" || *value == "-":
			return nil
		case len(endings) > 0:
			return checkpoint.Writable(*value)
		}
		return WritableFolder("out", *value)
	}
}

// WritableFolder refuses a file where a folder is needed, and a folder that cannot be written. Where it is not there
// yet, the one above it counts.
func WritableFolder(flag, dir string) error {
	there := dir
	info, err := os.Stat(there)
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(there) != there {
		there = filepath.Dir(there)
		info, err = os.Stat(there)
	}
	if err == nil && !info.IsDir() {
		return fmt.Errorf("--%s is %q, and %s is a file; give a folder", flag, dir, there)
	}
	var disk *checkpoint.DiskError
	if err = checkpoint.Writable(filepath.Join(there, ".mhacsp-writable")); errors.As(err, &disk) {
		disk.Path = dir
	}
	return err
}

// Must is for errors that programming alone can make.
func Must(err error) {
	if err != nil {
		panic(err)
	}
}

// FlagOf is the flag of a key of the configuration.
func FlagOf(key string) string { return strings.ReplaceAll(key, "_", "-") }

//go:build !js

// Package native is the program mhacsp, which trains, evaluates and questions MHA-CSP models (model/train/FORMATS.md).
// Its main package stands alone in native/mhacsp, so that the program gets its name.
//
// Every command is a package in cmd, by its name; what they share is in cli, hardware, runs and input.
package native

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"mhacsp/native/cli"
	"mhacsp/native/cmd/ask"
	"mhacsp/native/cmd/bench"
	"mhacsp/native/cmd/check"
	"mhacsp/native/cmd/data"
	"mhacsp/native/cmd/devices"
	"mhacsp/native/cmd/eval"
	"mhacsp/native/cmd/figures"
	"mhacsp/native/cmd/network"
	"mhacsp/native/cmd/probe"
	"mhacsp/native/cmd/report"
	"mhacsp/native/cmd/serve"
	"mhacsp/native/cmd/tables"
	traincmd "mhacsp/native/cmd/train"
	"mhacsp/native/cmd/view"
)

// Main carries out the command line of this process and ends it.
func Main() {
	if found, err := exec.LookPath(cli.Program); err != nil || !sameFile(found, os.Args[0]) {
		cli.Program = cli.Quote(near(os.Args[0]))
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// near is a path from the working folder where it leads into that. PowerShell calls programs by their whole path,
// which it does not take back where it has blanks.
func near(path string) string {
	here, _ := os.Getwd()
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsAbs(path) && filepath.IsLocal(rel) {
		return "." + string(filepath.Separator) + rel
	}
	return path
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y) || filepath.Base(b) == b
}

// run executes one command line and returns its exit code (cli.ExitCode). A panic is an internal failure: one line
// that names a file with the stack trace.
func run(args []string, stdout, stderr io.Writer) (code int) {
	to := cli.NewConsole(stdout, stderr)
	defer to.Err.Drain()
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(to.Err, "mhacsp: internal error: %v; please report it with the command line%s\n", r,
				keepStack())
			code = cli.CodeInternal
		}
	}()
	out := bufio.NewWriter(to.Out)
	root := newRoot(out, to.Err)
	root.SetArgs(args)
	command, err := root.ExecuteContextC(context.WithValue(context.Background(), cli.ConsoleKey{}, to))
	if failed := cmp.Or(out.Flush(), to.Out.Drain()); failed != nil && (err == nil || errors.Is(err, failed)) {
		err = cli.Internal(fmt.Errorf("writing the output: %w", cmp.Or(err, failed)))
	}
	if err != nil {
		fmt.Fprintln(to.Err, "mhacsp: "+cli.Message(command, err))
	}
	return cli.ExitCode(err)
}

// keepStack writes the stack of a panic into a file, and names it.
func keepStack() string {
	f, err := os.CreateTemp("", "mhacsp-stack-*.txt")
	if err != nil {
		return ""
	}
	defer f.Close()
	f.Write(debug.Stack())
	return " and the stack in " + f.Name()
}

// newRoot puts the commands together. Their output is buffered in out; a command that takes long flushes it.
func newRoot(out *bufio.Writer, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "mhacsp",
		Short: "Train, evaluate and question MHA-CSP models",
		Long: "Train, evaluate and question models of Mahalanobis-based " +
			"multi-head attention for complex state propagation.\n" +
			"Start with: mhacsp train\n\n" + cli.ExitCodes,
		SilenceErrors:      true, // cli.Message prints them, on one line
		SilenceUsage:       true,
		DisableSuggestions: true, // cli.Message adds its own
	}
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if c.Name() != "view" {
			view.LeaveMainThread()
		}
		return cli.NoneEmpty(c)
	}
	root.Version, _ = cli.BuiltOf() // makes the flag --version
	root.SetVersionTemplate(cli.VersionText())
	root.SetOut(out)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(cli.FlagError)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.AddCommand(
		traincmd.New(out), view.New(out), eval.New(out), ask.New(out), probe.New(out), tables.NewTables(out),
		tables.NewSweep(out), figures.New(out), network.NewInit(out), network.NewForward(out), network.NewGrad(out),
		data.New(out), network.NewDescribe(out), bench.New(out), check.New(out), report.New(out), devices.New(out),
		serve.New(out), cli.NewVersion(out),
	)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() { // where there is no such command or shell, Cobra's print a list and succeed
		case "completion":
			c.Args, c.RunE = cli.ShellArgument, func(c *cobra.Command, _ []string) error { return c.Help() }
			c.DisableFlagsInUseLine = true
			for _, shell := range c.Commands() {
				shell.Args = cli.NoArguments
			}
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				_, _, err := root.Find(args)
				return err
			}
		}
	}
	return root
}

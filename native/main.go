//go:build !js

// Package native is the program mhacsp, which trains, evaluates and questions MHA-CSP models (FORMATS.md). Its main
// package stands alone in native/mhacsp, so that the program gets its name.
//
// Every command is one file; what they share: settings.go (the flags of a run), loaded.go (a run or checkpoint from
// disk), report.go (texts of evaluations), errors.go (messages and exit codes), outlet.go (what is printed, also where
// nobody reads it), backend.go (devices). The command report is in machine.go and the files that begin so.
package native

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Main carries out the command line of this process and ends it.
func Main() {
	if found, err := exec.LookPath(program); err != nil || !sameFile(found, os.Args[0]) {
		program = quote(os.Args[0])
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y) || filepath.Base(b) == b
}

// run executes one command line and returns the exit code of errors.go. A panic is an internal failure: one line that
// names a file with the stack trace.
func run(args []string, stdout, stderr io.Writer) (code int) {
	to := newConsole(stdout, stderr)
	defer to.err.drain()
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(to.err, "mhacsp: internal error: %v; please report it with the command line%s\n", r,
				keepStack())
			code = codeInternal
		}
	}()
	out := bufio.NewWriter(to.out)
	root := newRoot(out, to.err)
	root.SetArgs(args)
	command, err := root.ExecuteContextC(context.WithValue(context.Background(), consoleKey{}, to))
	if failed := cmp.Or(out.Flush(), to.out.drain()); failed != nil && err == nil {
		err = fmt.Errorf("writing the output: %w", failed)
	}
	if err != nil {
		fmt.Fprintln(to.err, "mhacsp: "+message(command, err))
	}
	return exitCode(err)
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
			"Start with: mhacsp train\n\n" + exitCodes,
		SilenceErrors:      true, // message prints them, on one line
		SilenceUsage:       true,
		DisableSuggestions: true, // message adds its own
	}
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if c.Name() != "view" {
			leaveMainThread()
		}
		return noneEmpty(c)
	}
	root.Version, _ = builtOf() // makes the flag --version
	root.SetVersionTemplate(versionText())
	root.SetOut(out)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.AddCommand(
		newTrain(out), newView(out), newEval(out), newAsk(out), newProbe(out), newTables(out), newSweep(out),
		newFigures(out),
		newInit(out), newForward(out), newGrad(out), newData(out),
		newDescribe(out), newBench(out), newCheck(out), newReport(out), newDevices(out), newServe(out),
		newVersion(out),
	)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() { // where there is no such command or shell, Cobra's print a list and succeed
		case "completion":
			c.Args, c.RunE = shellArgument, func(c *cobra.Command, _ []string) error { return c.Help() }
			c.DisableFlagsInUseLine = true
			for _, shell := range c.Commands() {
				shell.Args = noArguments
			}
		case "help":
			show := c.Run
			c.RunE = func(c *cobra.Command, args []string) error {
				if _, _, err := root.Find(args); err != nil {
					return err
				}
				show(c, args)
				return nil
			}
		}
	}
	return root
}

//go:build !js

// Package figures implements mhacsp figures, which draws figures of runs as SVG and PNG.
package figures

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mhacsp/model/checkpoint"
	"mhacsp/native/album"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
	"mhacsp/native/words"
)

type figuresFlags struct {
	device        hardware.Flags
	runs, records []string
	out, text     string
	only, formats []string
	overwrite     bool
}

// New makes the command figures, which prints to out.
func New(out *bufio.Writer) *cobra.Command {
	var f figuresFlags
	c := &cobra.Command{
		Use:   "figures",
		Short: "Draw figures of runs: curves, accuracy, states, digits, matrices",
		Long: "Draw figures as SVG and PNG, from the records and checkpoints of runs (model/study/FIGURES.md):\n\n" +
			"  curves     loss and accuracy over the steps, a line and a band for the seeds of each model, and\n" +
			"             where the accuracy rises (the grokking interval)\n" +
			"  accuracy   by operands and depth, or by length, with intervals of 95 %\n" +
			"  spectrum   how many principal components the last states have, next to the paper's 8 for 90 %\n" +
			"  embedding  the digits by t-SNE and PCA, and their learned angles on a circle\n" +
			"  matrices   distance, tree, fusion and attention of one text, for each head\n\n" +
			"The first three are drawn for each task, of all runs; the others for each run. Runs that differ in\n" +
			"their seed alone are one group. What cannot be drawn is said, with the reason.",
		Example: "  mhacsp figures --run runs/parity-csp-1 --run runs/parity-csp-2 --out figures\n" +
			"  mhacsp figures --run STUDY --only curves,accuracy --out figures\n" +
			"  mhacsp figures --run DIR --only matrices --text \"(3 + 5) - 2\" --out figures\n" +
			"  mhacsp eval --run DIR --lengths --json > FILE.jsonl\n" +
			"  mhacsp figures --records FILE.jsonl --only accuracy --out figures",
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.draw(out, c) },
	}
	c.Flags().StringArrayVar(&f.runs, "run", nil, "`folder` of a run, a checkpoint file, or a cell's record (tables "+
		"--records); once for each; or the folder of a study, or of records: all that is finished there")
	cli.Must(c.MarkFlagDirname("run"))
	c.Flags().StringArrayVar(&f.records, "records", nil,
		"`file` of what eval --json printed, for the accuracy, in place of the test that the run's log has; no "+
			"records of tables, which --run draws")
	cli.Must(c.MarkFlagFilename("records", "jsonl", "json"))
	cli.AddOut(c, &f.out, "", "`folder` for the figures")
	cli.Must(c.MarkFlagRequired("out"))
	addList(c, &f.only, "only", album.Kinds(), "`kinds` of figures, as in curves,matrices (default: all)")
	c.Flags().StringVar(&f.text, "text", "", "`prompt` for the matrices (default: an example of the task)")
	addList(c, &f.formats, "format", []string{"svg", "png"}, "`formats` of the files (default svg,png)")
	c.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace files that hold other figures (default false)")
	hardware.AddFlags(c, &f.device, "auto")
	return c
}

// addList adds a flag that takes some of a few words, with commas between, and its shell completion.
func addList(c *cobra.Command, value *[]string, name string, allowed []string, usage string) {
	c.Flags().StringSliceVar(value, name, nil, usage+"; of "+strings.Join(allowed, ", "))
	cli.Must(c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp)))
}

// chosen are the words of such a flag, all where none is given.
func chosen(name string, value, allowed []string) ([]string, error) {
	for _, x := range value {
		if !slices.Contains(allowed, x) {
			return nil, fmt.Errorf("--%s is %q; choose of %s%s", name, x, strings.Join(allowed, ", "),
				cli.Meant(";", x, allowed))
		}
	}
	if len(value) == 0 {
		return allowed, nil
	}
	return value, nil
}

func (f *figuresFlags) draw(out *bufio.Writer, c *cobra.Command) error {
	kinds, err := chosen("only", f.only, album.Kinds())
	if err != nil {
		return err
	}
	formats, err := chosen("format", f.formats, []string{"svg", "png"})
	if err != nil {
		return err
	}
	if len(f.runs)+len(f.records) == 0 {
		return errors.New("nothing to draw is named; name runs with --run, or what eval --json printed with --records")
	}
	if c.Flags().Changed("text") && !slices.Contains(kinds, album.Matrices) {
		return errors.New("--text is for the matrices, which --only leaves out; leave one of the two out")
	}
	var a album.Album
	if err := f.collect(&a, kinds); err != nil {
		return err
	}
	for _, kind := range f.only {
		if !slices.ContainsFunc(a.Pages, func(d album.Drawn) bool { return d.Kind == kind }) {
			return fmt.Errorf("no figure of %s can be drawn: %s", kind, strings.Join(a.WhyNot(kind), "; "))
		}
	}
	if len(a.Pages) == 0 {
		return fmt.Errorf("no figure can be drawn: %s", strings.Join(a.WhyNot(kinds...), "; "))
	}
	written, err := WriteAlbum(&a, f.out, formats, f.overwrite)
	for _, path := range written {
		fmt.Fprintln(out, path)
	}
	if err != nil {
		return err
	}
	for _, reason := range a.WhyNot(kinds...) {
		fmt.Fprintln(out, "not drawn:", reason)
	}
	return nil
}

// collect makes the figures of the kinds asked for.
func (f *figuresFlags) collect(a *album.Album, kinds []string) error {
	wanted := func(kind string) bool { return slices.Contains(kinds, kind) }
	var sources []*album.Run
	for _, path := range f.runs {
		list, err := readSources(path)
		if err != nil {
			return err
		}
		for _, s := range list {
			if i := slices.IndexFunc(sources, func(other *album.Run) bool { return sameSource(s, other) }); i >= 0 {
				return fmt.Errorf("%s and %s are the same run; its samples would count twice, leave one out",
					sources[i].Path, s.Path)
			}
			sources = append(sources, s)
		}
	}
	for _, s := range sources {
		if s.Run.Config == nil || slices.ContainsFunc(ofNetworks(), wanted) {
			if err := f.look(a, s, kinds); err != nil {
				return err
			}
		}
		if s.Damaged > 0 {
			a.Miss(album.Curves, words.Plural(s.Damaged, "damaged line")+" in the log of "+s.Path, "not readable")
		}
	}
	for len(sources) > 0 { // one task after another
		first := sources[0]
		other := func(s *album.Run) bool { return s.Task != first.Task }
		groups, err := album.GroupsOf(slices.DeleteFunc(slices.Clone(sources), other))
		if err != nil {
			return err
		}
		file := taskName(first.Run.Training)
		a.AddCurves(first.Task, file, groups)
		if len(f.records) == 0 {
			a.AddAccuracy(first.Task, file, groups)
		}
		if wanted(album.Spectrum) {
			a.AddSpectrum(first.Task, file, groups)
		}
		sources = slices.DeleteFunc(sources, func(s *album.Run) bool { return !other(s) })
	}
	if err := f.recorded(a); err != nil {
		return err
	}
	a.Pages = slices.DeleteFunc(a.Pages, func(d album.Drawn) bool { return !wanted(d.Kind) })
	return nil
}

// WriteAlbum draws all figures, then writes them, and returns the paths. Where a file stands that holds anything else,
// nothing is written, unless overwrite is set.
func WriteAlbum(a *album.Album, dir string, formats []string, overwrite bool) ([]string, error) {
	type file struct {
		path string
		data []byte
	}
	var files []file
	for _, d := range a.Pages {
		for _, format := range formats {
			render := d.Page.SVG
			if format == "png" {
				render = d.Page.PNG
			}
			data, err := render()
			if err != nil {
				return nil, cli.Internal(err)
			}
			path := filepath.Join(dir, d.Name+"."+format)
			old, err := os.ReadFile(path)
			switch {
			case err == nil && !overwrite && !bytes.Equal(old, data):
				return nil, fmt.Errorf("%s holds another figure; choose another --out, "+
					"or replace it with --overwrite", path)
			case err != nil && !errors.Is(err, fs.ErrNotExist):
				return nil, err
			}
			files = append(files, file{path, data})
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("--out: %w; choose another folder", err)
	}
	var paths []string
	for _, f := range files {
		if err := checkpoint.WriteText(f.path, f.data); err != nil {
			return paths, err
		}
		paths = append(paths, f.path)
	}
	return paths, nil
}

//go:build !js

// Package view implements mhacsp view, the desktop window. Built without it, the command keeps its flags and says what
// is missing.
package view

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mhacsp/native/cli"
	traincmd "mhacsp/native/cmd/train"
	"mhacsp/native/runs"
)

// viewFlags are the flags of view in addition to those of train.
type viewFlags struct {
	train                                  traincmd.Flags
	run                                    string // folder or file to show
	ask, record, theme, size               string
	width, height                          int
	class, clocks, play, close, fullScreen bool
}

// New makes the command view, which prints to out.
func New(out *bufio.Writer) *cobra.Command {
	f := viewFlags{theme: "auto"}
	var s *runs.Settings
	c := &cobra.Command{
		Use:   "view",
		Short: "Train in a window and watch, or show a finished run",
		Long: "This needs the build of \"make desktop\".\n\n" +
			"Open a window that trains as \"mhacsp train\" does, " +
			"with its flags but those of\nyour own data and of a time at which it stops, and the same run folder, " +
			"and shows the phase\n" +
			"circle of an expression, the curves and samples of the run. " +
			"--run shows a finished run instead, with a slider over\n" +
			"the checkpoints that \"train --keep-checkpoints\" kept.\n" +
			"\n" +
			"For sums it opens with a clock whose hand you turn, the table of all sums of two digits as the network " +
			"answers them,\nand its own hands that became clocks. The key A, --ask, --clocks and --play show all " +
			"units.\n\n" +
			"Pointing at a unit shows its phase after every sum of two digits.\n\n" +
			"The key ? lists the keys. Closing the window and Ctrl-C write a\n" +
			"checkpoint first; \"mhacsp train --resume\" or \"mhacsp view --resume\" goes on.\n\n" +
			"--record FOLDER writes what is shown as numbered PNG frames with a list of their times, for a film:\n" +
			"  ffmpeg -i FOLDER/frames.ffconcat -vf fps=30,format=yuv420p film.mp4\n" +
			"and --record FILE.gif a GIF.",
		Example: "  mhacsp view --task parity --model csp\n" +
			"  mhacsp view --model mha-csp-s --format direct --theta product --width 48 --seed 1 \\\n" +
			"    --gate-bias -1.3 --embedding-std 0.7 --batch 96 --lr 0.004 --beta2 0.99 --weight-decay 0.0005 \\\n" +
			"    --curriculum --long-share 0.3 --warmup 50 --eval-every 200 --steps 2000\n" +
			"  mhacsp view --run runs/first\n" +
			"  mhacsp view --run site/demo/arithmetic.safetensors --class\n" +
			"  mhacsp view --run site/demo/clocks.safetensors --clocks --ask \"4-(3+5)\"\n" +
			"  mhacsp view --run runs/first --ask \"(3+5)-7\" --play --record slide.gif --close",
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(s); err != nil {
				return err
			}
			return view(c, out, f, s)
		},
	}
	s = traincmd.AddFlags(c, &f.train)
	c.Flags().Lookup("resume").Usage = "go on with the run in this `folder` to its own end; " +
		"--steps makes it longer; of other flags that describe a run none may be given with it"
	cli.AddFile(c, &f.run, "run", "",
		"show the finished run in this `folder`, or a checkpoint file; nothing is trained")
	c.Flags().StringVar(&f.ask, "ask", "", "`expression` to read at first (default: an example of the task)")
	c.Flags().BoolVar(&f.play, "play", false, "read the expression from its start; "+
		"with --run and several checkpoints play these first (default false)")
	c.Flags().BoolVar(&f.class, "class", false,
		"for a class: large type, one step a key, the rule in words (default false)")
	c.Flags().BoolVar(&f.clocks, "clocks", false, "show the model's clocks as dials at first (default false)")
	c.Flags().StringVar(&f.record, "record", "",
		"record what is shown: a `folder` for PNG frames, or a file that ends in .gif")
	c.Flags().BoolVar(&f.close, "close", false,
		"close the window when training and playing have ended (default false)")
	c.Flags().BoolVar(&f.fullScreen, "full-screen", false, "start with the full screen (default false)")
	c.Flags().StringVar(&f.size, "size", "1280x800", "`WxH` of the window")
	cli.AddChoice(c, &f.theme, "theme", []string{"auto", "light", "dark"}, "colours; auto is the desktop's own choice")
	return c
}

// smallestSide is the least width and height of the window in pixels. It is circle.Smallest, which a program without
// the window does not import; a test compares the two.
const smallestSide = 280

// films are endings that --record cannot write, but that somebody may ask for.
var films = []string{".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".png", ".apng", ".jpg", ".jpeg", ".webp"}

// check refuses flags that contradict each other.
func (f *viewFlags) check(s *runs.Settings) error {
	if n, err := fmt.Sscanf(f.size+"\n", "%dx%d\n", &f.width, &f.height); err != nil ||
		n != 2 || min(f.width, f.height) < smallestSide || f.width > 16384 || f.height > 16384 {
		return fmt.Errorf("--size is %q; give width and height in pixels, %dx%d to 16384x16384, as in 1280x800",
			f.size, smallestSide, smallestSide)
	}
	if slices.Contains(films, strings.ToLower(filepath.Ext(f.record))) {
		return fmt.Errorf("--record is %q; give a file that ends in .gif, "+
			"or a folder for PNG frames, of which ffmpeg makes any film", f.record)
	}
	switch {
	case f.train.Resume != "" && f.run != "":
		return errors.New("--run and --resume exclude each other; --run shows a run, --resume trains on")
	case f.train.Resume != "":
		return traincmd.OnlyResume(s)
	case f.run != "":
		return cli.Apart(s.Command, "run", "shows a run and trains none", append(s.Describing(), "mirror")...)
	}
	return nil
}

// openTraining makes or picks up the run that the flags describe, without a step.
func (f *viewFlags) openTraining(c *cobra.Command, out *bufio.Writer, s *runs.Settings) (*traincmd.Training, error) {
	t := traincmd.NewTraining(out, c, f.train, s)
	var err error
	if f.train.Resume == "" {
		err = t.Begin(f.train, s)
	} else {
		err = t.PickUp(f.train.Resume)
	}
	if errors.Is(err, traincmd.ErrFinished) {
		err = fmt.Errorf("%w; show it with: %s view --run %s", err, cli.Program, cli.Quote(t.Folder.Dir))
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

//go:build !js

package network

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"mhacsp/model/backend/cpu"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/native/cli"
	"mhacsp/native/runs"
	"mhacsp/tasks/show"
)

type describeFlags struct {
	preset, config, checkpoint, run string
	all, json                       bool
}

// NewDescribe makes the command describe, which prints to out.
func NewDescribe(out *bufio.Writer) *cobra.Command {
	var f describeFlags
	c := &cobra.Command{
		Use:   "describe",
		Short: "Print a model's configuration, parameters and their number",
		Example: "  mhacsp describe --all\n  mhacsp describe --model mha-csp\n  mhacsp describe --run DIR\n" +
			"  mhacsp describe --checkpoint CK.safetensors --json",
		Args: cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			if f.all {
				return f.presets(out)
			}
			set, config, err := f.open()
			if err != nil {
				return err
			}
			if f.json {
				return describeJSON(out, set, config)
			}
			text, err := json.MarshalIndent(config, "", "  ")
			if err != nil {
				return cli.Internal(err)
			}
			fmt.Fprintf(out, "%s\n\n%s", show.JSON(string(text)), zoo.Describe(set))
			return nil
		},
	}
	cli.AddChoice(c, &f.preset, "model", zoo.Names(), "model preset (default "+zoo.Default+", where no file is named)")
	cli.AddFile(c, &f.config, "config", "", "configuration of a model or a run, a JSON `file`", "json")
	cli.AddFile(c, &f.checkpoint, "checkpoint", "", "checkpoint `file`", "safetensors")
	cli.AddFile(c, &f.run, "run", "", "`folder` of a run")
	c.Flags().BoolVar(&f.all, "all", false, "list every preset with its parameters (default false)")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON (default false)")
	return c
}

// presets lists every preset, for the vocabulary of the paper's arithmetic.
func (f describeFlags) presets(out *bufio.Writer) error {
	if f.preset+f.config+f.checkpoint+f.run != "" {
		return errors.New("--all lists every preset, and --model, --config, --checkpoint or --run names one; " +
			"give one of them")
	}
	type row struct {
		Model       string `json:"model"`
		Parameters  int    `json:"parameters"`
		Tensors     int    `json:"tensors"`
		Supervision string `json:"supervision"`
		Units       int    `json:"units_with_phase"`
	}
	var rows []row
	for _, p := range zoo.Presets() {
		c := p.New()
		set, err := c.Parameters()
		cli.Must(err)
		rows = append(rows, row{p.Name, set.Count(), len(set.Tensors), c.Shape().Supervision(), c.Traits().Units})
	}
	if f.json {
		return cli.WriteJSON(out, rows)
	}
	fmt.Fprintf(out, "%-12s %10s %8s  %-11s %s\n", "model", "parameters", "tensors", "supervision",
		"units with a phase")
	for _, r := range rows {
		fmt.Fprintf(out, "%-12s %10d %8d  %-11s %d\n", r.Model, r.Parameters, r.Tensors, r.Supervision, r.Units)
	}
	return nil
}

// open gives the parameters and the configuration, a train.Run where a task is known and a sequence.Config where not.
func (f describeFlags) open() (*param.Set, any, error) {
	given := []string{f.preset, f.config, f.checkpoint, f.run}
	given = slices.DeleteFunc(given, func(name string) bool { return name == "" })
	switch {
	case len(given) > 1:
		return nil, nil, errors.New("--model, --config, --checkpoint and --run exclude each other; give one")
	case f.run != "":
		if _, err := runs.ReadRun(f.run); err != nil {
			return nil, nil, err
		}
		return describeCheckpoint(filepath.Join(f.run, train.ModelFile))
	case f.checkpoint != "":
		return describeCheckpoint(f.checkpoint)
	case f.config != "":
		return describeFile(f.config)
	}
	c, err := zoo.Preset(cmp.Or(f.preset, zoo.Default))
	if err != nil {
		return nil, nil, err
	}
	set, err := c.Parameters()
	return set, c, err
}

func describeCheckpoint(path string) (*param.Set, any, error) {
	device := cpu.New()
	defer device.Close()
	m, text, err := train.LoadModel(path, device) // refuses a checkpoint that does not fit its configuration
	if err != nil {
		return nil, nil, err
	}
	if r, err := train.ParseRun(text); err == nil {
		return m.Params(), r, nil
	}
	return m.Params(), m.Config(), nil
}

// describeFile takes what train --config and init --config take: the configuration of a model, or that of a run, of
// which keys may be left out.
func describeFile(path string) (*param.Set, any, error) {
	text, err := cli.ReadText(path)
	if err != nil {
		return nil, nil, err
	}
	c, config, err := describedBy(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	set, err := c.Parameters()
	return set, config, err
}

// describedBy is the network of a configuration text, and the whole of what the text describes.
func describedBy(text []byte) (sequence.Config, any, error) {
	var head struct {
		Data json.RawMessage `json:"data"`
	}
	h, err := train.ParseHead(text)
	if err == nil {
		err = train.ReadJSON(text, &head)
	}
	if err != nil {
		return nil, nil, err
	}
	if h.Task == "" {
		if c, err := zoo.Parse(text, false); err == nil {
			return c, c, nil
		}
	}
	r, err := train.ParseRun(text)
	if err != nil && head.Data == nil {
		r, _, err = train.Resolve(text)
	}
	return r.Config, r, err
}

func describeJSON(out *bufio.Writer, set *param.Set, config any) error {
	type tensor struct {
		Name  string `json:"name"`
		Shape []int  `json:"shape"`
		Count int    `json:"count"`
	}
	d := struct {
		Config     any      `json:"config"`
		Parameters int      `json:"parameters"`
		Tensors    []tensor `json:"tensors"`
	}{Config: config, Parameters: set.Count()}
	for _, t := range set.Tensors {
		d.Tensors = append(d.Tensors, tensor{t.Name, t.Shape, t.Len})
	}
	return cli.WriteJSON(out, d)
}

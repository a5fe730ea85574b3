//go:build !js

// Package network implements mhacsp init, forward, grad and describe, which work on one network, so that other
// implementations can compare.
package network

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
	"mhacsp/native/runs"
	"mhacsp/native/words"
)

// NewInit makes the command init, which prints to out.
func NewInit(out *bufio.Writer) *cobra.Command {
	var config, preset, path string
	var seed uint64
	c := &cobra.Command{
		Use:   "init",
		Short: "Write a freshly initialised checkpoint",
		Long:  "Write a checkpoint whose parameters are the start values that a seed gives (model/SPEC.md §8).",
		Example: "  mhacsp init --config CFG.json --seed 3 --out CK.safetensors\n" +
			"  mhacsp init --model csp --out CK.safetensors",
		Args: cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := modelConfig(config, preset)
			if err != nil {
				return err
			}
			m, err := runs.Build(cfg, reference.New[float32](), hardware.BytesBuilt)
			if err != nil {
				return err
			}
			m.Initialise(seed)
			p := m.Params()
			values, err := p.Download(p.Values())
			if err != nil {
				return cli.Internal(err)
			}
			if err := train.WriteModel(path, cfg, p, values); err != nil {
				return err
			}
			fmt.Fprintf(out, "%s: %s, %s, seed %d\n", path, cfg.Name(), words.Plural(p.Count(), "parameter"), seed)
			return nil
		},
	}
	cli.AddFile(c, &config, "config", "", "model configuration, a JSON `file` (model/train/FORMATS.md)", "json")
	cli.AddChoice(c, &preset, "model", zoo.Names(), "model preset, in place of --config")
	c.Flags().Uint64Var(&seed, "seed", 0, "`number` that fixes the start values")
	cli.AddOut(c, &path, "", "checkpoint `file` to write; replaced if it exists", "safetensors")
	cli.Must(c.MarkFlagRequired("out"))
	return c
}

// modelConfig is the configuration of a file or of a preset; exactly one is named.
func modelConfig(path, preset string) (sequence.Config, error) {
	switch {
	case path != "" && preset != "":
		return nil, errors.New("--config and --model exclude each other; give one")
	case preset != "":
		return zoo.Preset(preset)
	case path == "":
		return nil, errors.New("--config or --model is missing; name a JSON file or a preset")
	}
	text, err := cli.ReadText(path)
	if err != nil {
		return nil, err
	}
	c, err := zoo.Parse(text, false)
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

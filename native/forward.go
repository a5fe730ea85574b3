//go:build !js

package main

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"mhacsp/model/backend"
	"mhacsp/model/checkpoint"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
)

// passFlags are what forward and grad share.
type passFlags struct {
	device                 deviceFlags
	checkpoint, batch, out string
	maxLength              int
}

func (f *passFlags) add(c *cobra.Command) {
	addFile(c, &f.checkpoint, "checkpoint", "", "checkpoint `file`", "safetensors")
	addFile(c, &f.batch, "batch", "", "batch, a JSON `file` (model/SPEC.md §12)", "json")
	addFile(c, &f.out, "out", "", "safetensors `file` to write; replaced if it exists", "safetensors")
	c.Flags().IntVar(&f.maxLength, "max-length", maxTokens, "longest prompt or target in `tokens`")
	addBackend(c, &f.device, "cpu")
	c.Flags().Lookup("backend").Usage = "what computes: cpu or cpu64 (the float64 reference), cpu32 (the float32 path that trains), gpu, or auto"
	for _, name := range []string{"checkpoint", "batch", "out"} {
		must(c.MarkFlagRequired(name))
	}
}

// open loads the model and the batch.
func (f *passFlags) open() (sequence.Network, *sequence.Batch, backend.Backend, error) {
	if err := inRange("max-length", f.maxLength, 1, 1<<30); err != nil {
		return nil, nil, nil, err
	}
	device, err := openExact(f.device)
	if err != nil {
		return nil, nil, nil, err
	}
	m, _, err := train.LoadModel(f.checkpoint, device)
	if err != nil {
		return nil, nil, nil, err
	}
	b, err := readBatch(f.batch, m.Config().Shape(), f.maxLength)
	return m, b, device, err
}

func newForward(out *bufio.Writer) *cobra.Command {
	var f passFlags
	var gib float64
	c := &cobra.Command{
		Use:   "forward",
		Short: "Run a batch and write every block's matrices, the logits and the loss",
		Long: "Run a batch through a checkpoint and write the tensors of model/SPEC.md §12: for every block state, distance,\n" +
			"tree, fusion, attention and output, then logits and, given targets or labels, loss. The matrices take memory in\n" +
			"the square of the longest prompt.",
		Example: "  mhacsp forward --checkpoint CK.safetensors --batch BATCH.json --out OUT.safetensors",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			m, b, device, err := f.open()
			if err != nil {
				return err
			}
			defer device.Close()
			if need := m.Config().Traits().DumpBytes(m.Config().Shape(), b) / (1 << 30); need > gib {
				return fmt.Errorf("%s: the matrices of this batch take %.1f GiB; shorten its prompts or raise --max-memory (%g GiB)", f.batch, need, gib)
			}
			tensors, err := m.Dump(b)
			if err != nil {
				return internalError{err}
			}
			file := &checkpoint.File{}
			for _, t := range tensors {
				file.Tensors = append(file.Tensors, checkpoint.Tensor{Name: t.Name, Shape: t.Shape, Data: t.Data})
			}
			if err := checkpoint.WriteFile(f.out, file); err != nil {
				return err
			}
			fmt.Fprintf(out, "%s: %s%s; %s\n", f.out, plural(len(tensors), "tensor"), lossText(file), deviceLine(device, f.device))
			return nil
		},
	}
	f.add(c)
	c.Flags().Float64Var(&gib, "max-memory", 8, "most memory for the written tensors in `GiB`")
	return c
}

func lossText(f *checkpoint.File) string {
	if t, ok := f.Find("loss"); ok {
		return fmt.Sprintf(", loss %.7g", t.Data[0])
	}
	return ""
}

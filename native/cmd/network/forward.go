//go:build !js

package network

import (
	"bufio"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mhacsp/model/checkpoint"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
	"mhacsp/native/input"
	"mhacsp/native/runs"
	"mhacsp/native/words"
	"mhacsp/tasks/strict"
)

// passFlags are what forward and grad share.
type passFlags struct {
	device                 hardware.Flags
	checkpoint, batch, out string
	maxLength              int
}

func (f *passFlags) add(c *cobra.Command) {
	cli.AddFile(c, &f.checkpoint, "checkpoint", "", "checkpoint `file`", "safetensors")
	cli.AddFile(c, &f.batch, "batch", "", "batch, a JSON `file` (model/train/FORMATS.md)", "json")
	cli.AddOut(c, &f.out, "", "safetensors `file` to write; replaced if it exists", "safetensors")
	c.Flags().IntVar(&f.maxLength, "max-length", input.MaxTokens, "longest prompt or target in `tokens`")
	hardware.AddFlags(c, &f.device, "cpu")
	c.Flags().Lookup("backend").Usage = "what computes: cpu or cpu64 (the float64 reference), " +
		"cpu32 (the float32 path that trains), gpu, or auto"
	for _, name := range []string{"checkpoint", "batch", "out"} {
		cli.Must(c.MarkFlagRequired(name))
	}
}

// run opens the model and the batch, lets compute make tensors of them, and writes these.
func (f *passFlags) run(out *bufio.Writer,
	compute func(sequence.Network, *sequence.Batch) ([]checkpoint.Tensor, error)) error {
	if err := strict.Within("max-length", f.maxLength, 1, 1<<30); err != nil {
		return err
	}
	// These commands exist to be compared with: cpu is the float64 reference, so that what is written is right to the
	// last digit of float32 however ill-conditioned the model; cpu32 is the path that trains.
	exact := f.device
	if exact.Adapter == "" && (exact.Backend == "cpu" || exact.Backend == "auto") { // else Open says what is wrong
		exact.Backend = "cpu64"
	}
	device, err := hardware.Open(exact)
	if err != nil {
		return err
	}
	defer device.Close()
	m, _, err := train.LoadModel(f.checkpoint, device)
	if err != nil {
		return err
	}
	b, err := input.ReadBatch(f.batch, m.Config().Shape(), f.maxLength)
	if err != nil {
		return err
	}
	tensors, err := compute(m, b)
	if err != nil {
		return err
	}
	for _, t := range tensors {
		if slices.ContainsFunc(t.Data, func(x float32) bool { return x-x != 0 }) { // not finite
			return runs.Unusable(f.checkpoint, m, t.Name)
		}
	}
	file := &checkpoint.File{Tensors: tensors}
	if err := checkpoint.WriteFile(f.out, file); err != nil {
		return err
	}
	loss := ""
	if t, ok := file.Find("loss"); ok {
		loss = fmt.Sprintf(", loss %.7g", t.Data[0])
	}
	fmt.Fprintf(out, "%s: %s%s; %s\n", f.out, words.Plural(len(tensors), "tensor"), loss,
		hardware.DeviceLine(device, f.device))
	return nil
}

// NewForward makes the command forward, which prints to out.
func NewForward(out *bufio.Writer) *cobra.Command {
	var f passFlags
	var gib float64
	c := &cobra.Command{
		Use:   "forward",
		Short: "Run a batch and write every block's matrices, the logits and the loss",
		Long: `Run a batch through a checkpoint and write the tensors of model/train/FORMATS.md: for every block
state, distance, tree, fusion, attention and output, then logits and, given targets or labels, loss. The matrices
take memory in the square of the longest prompt.`,
		Example: "  mhacsp forward --checkpoint CK.safetensors --batch BATCH.json --out OUT.safetensors",
		Args:    cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			return f.run(out, func(m sequence.Network, b *sequence.Batch) ([]checkpoint.Tensor, error) {
				if need := m.Config().Traits().DumpBytes(m.Config().Shape(), b) / (1 << 30); need > gib {
					return nil, fmt.Errorf("%s: the matrices of this batch take %.1f GiB; "+
						"shorten its prompts or raise --max-memory (%g GiB)", f.batch, need, gib)
				}
				dump, err := m.Dump(b)
				if err != nil {
					return nil, cli.Internal(err)
				}
				var tensors []checkpoint.Tensor
				for _, t := range dump {
					tensors = append(tensors, checkpoint.Tensor(t))
				}
				return tensors, nil
			})
		},
	}
	f.add(c)
	c.Flags().Float64Var(&gib, "max-memory", 8, "most memory for the written tensors in `GiB`")
	return c
}

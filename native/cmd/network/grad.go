//go:build !js

package network

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"mhacsp/model/checkpoint"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/native/cli"
)

// NewGrad makes the command grad, which prints to out.
func NewGrad(out *bufio.Writer) *cobra.Command {
	var f passFlags
	c := &cobra.Command{
		Use:   "grad",
		Short: "Write the gradient of a batch's loss by every parameter",
		Long: "Write one tensor for each parameter, under the parameter's name, and loss (model/train/FORMATS.md). " +
			"The loss is the\nmean cross-entropy over all target tokens, or labels, of the batch.",
		Example: "  mhacsp grad --checkpoint CK.safetensors --batch BATCH.json --out GRAD.safetensors",
		Args:    cli.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return f.run(out, f.gradients) },
	}
	f.add(c)
	return c
}

// gradients are what grad writes.
func (f *passFlags) gradients(m sequence.Network, b *sequence.Batch) ([]checkpoint.Tensor, error) {
	if b.Targets == nil && b.Labels == nil {
		return nil, fmt.Errorf(`%s: the batch has neither "targets" nor "labels"; a gradient needs one of them`,
			f.batch)
	}
	p := m.Params()
	m.Backend().Zero(p.Grads())
	m.Gradients(b)
	loss, err := m.Loss()
	if err != nil {
		return nil, cli.Internal(err)
	}
	flat, err := p.Download(p.Grads())
	if err != nil {
		return nil, cli.Internal(err)
	}
	all := train.Split("", p, flat)
	return append(all, checkpoint.Tensor{Name: "loss", Shape: []int{1}, Data: []float32{loss}}), nil
}

//go:build !js

package main

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"mhacsp/model/checkpoint"
	"mhacsp/model/sequence"
)

func newGrad(out *bufio.Writer) *cobra.Command {
	var f passFlags
	c := &cobra.Command{
		Use:     "grad",
		Short:   "Write the gradient of a batch's loss by every parameter",
		Long:    "Write one tensor for each parameter, under the parameter's name, and loss (model/SPEC.md §12). The loss is the\nmean cross-entropy over all target tokens, or labels, of the batch.",
		Example: "  mhacsp grad --checkpoint CK.safetensors --batch BATCH.json --out GRAD.safetensors",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			m, b, device, err := f.open()
			if err != nil {
				return err
			}
			defer device.Close()
			if b.Targets == nil && b.Labels == nil {
				return fmt.Errorf(`%s: the batch has neither "targets" nor "labels"; a gradient needs one of them`, f.batch)
			}
			file, err := gradients(m, b)
			if err != nil {
				return internalError{err}
			}
			if err := checkpoint.WriteFile(f.out, file); err != nil {
				return err
			}
			fmt.Fprintf(out, "%s: %s%s; %s\n", f.out, plural(len(file.Tensors), "tensor"), lossText(file), deviceLine(device, f.device))
			return nil
		},
	}
	f.add(c)
	return c
}

func gradients(m sequence.Network, b *sequence.Batch) (*checkpoint.File, error) {
	p := m.Params()
	m.Backend().Zero(p.Grads())
	m.Gradients(b)
	loss, err := m.Loss()
	if err != nil {
		return nil, err
	}
	flat, err := p.Download(p.Grads())
	if err != nil {
		return nil, err
	}
	file := &checkpoint.File{}
	for _, t := range p.Tensors {
		file.Tensors = append(file.Tensors, checkpoint.Tensor{Name: t.Name, Shape: t.Shape, Data: flat[t.Offset : t.Offset+t.Len]})
	}
	file.Tensors = append(file.Tensors, checkpoint.Tensor{Name: "loss", Shape: []int{1}, Data: []float32{loss}})
	return file, nil
}

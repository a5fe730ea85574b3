// Package model is MHA-CSP: complex state propagation, Mahalanobis distances, tree accumulation, head fusion and
// the phase readout (SPEC §§1–7), forward and backward by hand over a backend. CSP is the same without what compares
// positions.
//
// SPEC.md in this folder has every equation with its shapes; comments everywhere in this module cite
// it as "SPEC §n". It also has the training (§8), the tasks (§9) and the baselines (§13). File formats are in
// train/FORMATS.md. The site shows all of these as "The model in formulas".
package model

import (
	"fmt"
	"slices"

	"mhacsp/model/backend"
	"mhacsp/model/layer"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
)

// block is the layers of one block.
type block struct {
	link      layer.Linear // U_l; not of block 0
	cell      layer.Drive
	recurrent layer.Recurrence
	attention layer.Attention
	output    layer.Output
	memory    layer.Memory // of block 0, where there is one
}

// Model is MHA-CSP, or CSP, on one backend: a sequence.Network. It is not safe for concurrent use.
type Model struct {
	sequence.Net
	config    Config
	params    *param.Set
	context   layer.CSP
	attention bool // the blocks compare positions

	embedding param.ID
	blocks    []block // as each pass begins with them
	head      layer.Linear
}

// Device is what the network needs of a backend.
type Device interface {
	backend.Base
	backend.CSP
}

// New builds the network with all parameters zero; Initialise it next, or upload a checkpoint's.
func New(c Config, b Device) (*Model, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	m := declared(c)
	if c.Memory > 0 {
		m.fixMemory(b)
	}
	m.context = layer.CSP{Context: layer.Context{B: b, P: m.params}, K: b}
	m.Start(sequence.Design{
		Config: &m.config, Params: m.params, Head: m.head,
		After: !m.attention, Rows: c.Layers > 1, Positions: c.Memory > 0,
		Core: func() sequence.Core {
			return &pass{
				m: m, blocks: slices.Clone(m.blocks), answer: layer.Output{N: c.Core(), Gate: param.None},
				speaking: m.blocks[0].recurrent, memory: m.blocks[0].memory, recalling: m.blocks[0].memory,
			}
		},
	}, b)
	return m, nil
}

// declared is a model without a device, its parameters in the order of FORMATS.md.
func declared(c Config) *Model {
	m := &Model{config: c, params: &param.Set{}, attention: c.Attention()}
	p, n, core := m.params, c.Width, c.Core()
	d := core / c.Heads
	m.embedding = p.Add("embedding.weight", param.Normal(c.EmbeddingStd), c.Vocab, n)
	for l := range c.Layers {
		name := func(s string) string { return fmt.Sprintf("blocks.%d.%s", l, s) }
		var b block
		if l > 0 {
			b.link = layer.Linear{Weight: p.Add(name("drive.weight"), param.Xavier, n, 2*n), Bias: param.None}
		}
		dr := layer.Drive{N: n, Turn: c.Turn(), StateTheta: c.Steered(), Product: c.Theta == "product",
			Slots: c.Memory}
		re := layer.Recurrence{N: core, Turn: c.Turn(), Normalise: c.Ablation != "no-norm", ThetaH: param.None,
			ThetaHBias: param.None}
		dr.Theta = p.Add(name("theta.weight"), param.Xavier, n, n)
		dr.ThetaBias = p.Add(name("theta.bias"), param.Constant(0), n)
		if dr.StateTheta {
			rows := n // where all units could turn; with a memory those that do
			if c.Memory > 0 {
				rows = c.Turn()
			}
			re.ThetaH = p.Add(name("theta_h.weight"), param.Normal(0.002), rows, 2*core)
			if dr.Product {
				re.ThetaHBias = p.Add(name("theta_h.bias"), param.Constant(steerBias), rows)
			}
		}
		dr.Gamma = p.Add(name("gamma.weight"), param.Xavier, n, n)
		dr.GammaBias = p.Add(name("gamma.bias"), gatesInit(c), n)
		dr.Input = p.Add(name("input.weight"), param.Xavier, n, n)
		re.DeltaH = p.Add(name("delta_h.weight"), param.Normal(0.02), core, 2*core)
		dr.DeltaU = p.Add(name("delta_u.weight"), param.Xavier, core, n)
		dr.DeltaBias = p.Add(name("delta.bias"), param.Constant(c.DeltaBias), core)
		b.cell, b.recurrent = dr, re
		b.output = layer.Output{N: core, Gate: param.None}
		if m.attention {
			b.attention = layer.Attention{
				N: core, Heads: c.Heads,
				Factor: p.Add(name("metric.factor"), factorInit, c.Heads, d, d),
				Rho:    p.Add(name("metric.rho"), param.Constant(-1), c.Heads),
				Fusion: p.Add(name("fusion.weight"), param.Normal(0.01), c.Heads, c.Heads),
				Mode:   fusionOf(c), Tree: treeOf(c),
			}
			if c.Skip && l < c.Layers-1 {
				b.output.Gate = p.Add(name("skip.gate"), param.Constant(0), n)
			}
		}
		if c.Memory > 0 {
			b.memory = m.declareMemory(name)
		}
		m.blocks = append(m.blocks, b)
	}
	m.head = layer.NewLinear(p, "head", param.Xavier, c.Shape().Outputs(), 2*n)
	return m
}

// declareMemory lists the memory's parameters. What is not learned is no parameter: New gives it to the device.
func (m *Model) declareMemory(name func(string) string) layer.Memory {
	c, p := m.config, m.params
	fixed := layer.Operand{Learned: param.None}
	o := layer.Memory{N: c.Memory, Normalise: c.Ablation == "norm-memory", Psi: fixed, Omega: fixed, Zeta: fixed}
	if c.Ablation != "fixed-psi" {
		o.Psi.Learned = p.Add(name("memory.phase"), starting(m.psi), c.Memory)
	}
	if c.Ablation != "no-zeta" {
		o.Zeta.Learned = p.Add(name("memory.gate"), gateInit, c.Vocab, c.Memory)
	}
	if c.Ablation == "learned-omega" {
		o.Omega.Learned = p.Add(name("memory.rate"), starting(m.omega), c.Memory)
	}
	return o
}

// fixMemory puts what the memory does not learn on the device.
func (m *Model) fixMemory(b backend.Memory) {
	memory := &m.blocks[0].memory
	open := func() []float32 { return slices.Repeat([]float32{1}, m.config.Vocab*m.config.Memory) } // read as it is
	for _, x := range []struct {
		operand *layer.Operand
		numbers func() []float32
	}{{&memory.Omega, m.omega}, {&memory.Psi, m.psi}, {&memory.Zeta, open}} {
		if x.operand.Learned == param.None {
			numbers := x.numbers()
			x.operand.Fixed = backend.All(b.Floats(len(numbers)))
			b.Upload(x.operand.Fixed, numbers)
		}
	}
}

func fusionOf(c Config) backend.Fusion {
	switch {
	case c.Ablation == "no-B" || c.Fusion == "mean":
		return backend.FusionMean
	case c.Fusion == "pooled":
		return backend.FusionPooled
	}
	return backend.FusionMesh
}

func treeOf(c Config) backend.Tree {
	switch c.Ablation {
	case "no-tree":
		return backend.TreeNone
	case "no-lse":
		return backend.TreeSum
	}
	return backend.TreeLogSumExp
}

package oracle

import "slices"

// What follows reads a network of one block a token at a time, for whoever changes states on the way. Units that are
// cut are read by nobody: in every product they stand as 0.

// Drives are those of each token.
func (m *Net) Drives() (list []Drive) {
	for _, u := range m.embedding {
		list = append(list, m.drive(m.blocks[0], u))
	}
	return list
}

// Step is the state after h and a token's drive (SPEC §2). The gates read seen in the place of h.
func (m *Net) Step(d Drive, h, seen []complex128) []complex128 {
	return m.cell(m.blocks[0], d, stack(seen), h)
}

// Onward is y where the cell alone goes on from y, by the drive of <SOS> (SPEC §7).
func (m *Net) Onward(d Drive, y, seen []complex128) []complex128 {
	return normalise(m.Step(d, y, seen))
}

// Output is y of the last of the states (SPEC §§3 to 6).
func (m *Net) Output(states [][]complex128, cut []int) []complex128 {
	if m.c.Model == "csp" {
		return normalise(states[len(states)-1])
	}
	var seen [][]complex128
	for _, h := range states {
		seen = append(seen, Without(h, cut))
	}
	return normalise(m.attend(m.blocks[0], states, seen).o)
}

// Logits are what the head makes of y and of the memory of positions, if there is one, where the first token of the
// answer is written (SPEC §§2, 7). drives are those of the prompt.
func (m *Net) Logits(y []complex128, drives []Drive, cut []int) []float64 {
	var recalled []complex128
	if m.c.Memory > 0 {
		memory := make([]complex128, m.c.Memory)
		for _, d := range drives {
			memory = m.remember(m.blocks[0], d, memory)
		}
		start := m.drive(m.blocks[0], m.embedding[startTok])
		memory = m.remember(m.blocks[0], start, m.handOver(memory, len(drives)))
		recalled = m.recalled(memory, startTok)
	}
	return m.readout(Without(slices.Concat(y, recalled), cut))
}

// Without is z with 0 for what is cut.
func Without(z []complex128, cut []int) []complex128 {
	if len(cut) == 0 {
		return z
	}
	z = slices.Clone(z)
	for _, u := range cut {
		z[u] = 0
	}
	return z
}

// Package probe looks for the mechanism inside a trained network (CLOCKS.md): units whose phase follows the value that
// was read so far, which are clocks, and what is lost when a unit is cut.
//
// The halves differ in cost. Set.Measure finds the clocks: it reads the states of a fixed set of samples and changes
// nothing, so it can run during a training. Experiment finds causes: it writes the network's parameters and asks all
// samples again for every unit, so it takes a network that nobody else uses. Follow says what the value so far is, and
// Cutter takes single units out.
//
// A Network here is what a probe needs of one: its states as Dump gives them, its parameters by the names of
// FORMATS.md, its logits. Which family it is of does not matter, as long as its units have phases.
package probe

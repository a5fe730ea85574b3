// Package circle draws what the model does while it reads: the phase circle. It is one package for the desktop and the
// browser, imports nothing of ours, and receives plain values (Reading).
//
// Honesty. At rest every dot, arrow, bar and cell is exactly a number of the Reading: a dot stands at its unit's phase
// after the present token, the arrow is Σ_k p_k e^{2πik/m} of the present probabilities p. Between two tokens the dots
// move from their phases at the one to their phases at the other along the shorter arc, and bars and arrow in a
// straight line: those frames are motion, no numbers, and the legend says so. The unit circle is drawn twice, one ring
// for the units that turn with the state and, inside, one for those that hold it (SPEC §2), since dots of both kinds
// would hide each other; the arrow's own circle of length 1 is the innermost. Without a reading no value is drawn.
//
// A memory (SPEC §2) is drawn within the arrow's circle, for its units have a length: the direction of a dot is the
// phase, its distance from the middle the square root of the length, as lengths differ a hundredfold. The circle is
// the longest that a unit has over the whole text; it and the rings for powers of ten within it bear their lengths.
// Between two tokens a unit turns by its own angle while what is added to it is added evenly, as the formula has it.
//
// At rest the unit under the pointer is reported in figures.
//
// View is the picture with its controls; it is told the time, so that tests can tell it. Everything but draw.go,
// atlas.go and game.go knows no ebiten. Game runs a View in an ebiten loop that stops when nothing moves.
//
// Angles are in radians, from the top, clockwise; lengths in device-independent pixels unless a name ends in px; times
// in seconds.
package circle

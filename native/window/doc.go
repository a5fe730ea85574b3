// Package window is the desktop window: the phase circle of site/circle with a line to type an expression, and next to
// it the numbers, curves and samples of a run. Sums begin with another view: a clock to turn and the table of all sums
// (adding.go). It knows no model: it receives plain values (content.go) and hands what the user asks for to a Host.
//
// Screen is what is shown and how it answers keys and pointer; it knows no ebiten, and is told the time. Window runs a
// Screen in ebiten's loop, which stands still while nothing changes. Recorder writes what the window showed to files.
//
// Lengths are in device-independent pixels, times in seconds, phases in radians from the top, clockwise.
package window

package window

import "mhacsp/site/circle"

// Host does what the user asks for. Its methods are called in the window's loop and must not wait.
type Host interface {
	Ask(text string)   // read an expression; the answer comes by SetReading or SetNotice
	Train(on bool)     // go on training, or pause
	Step()             // make one training step
	Checkpoint(at int) // show a checkpoint of Content.Checkpoints
	Clocks(on bool)    // look for clocks; they come with the next reading
	Cut()              // cut the next of the clocks, none after the last
	Turn(after int)    // turn all clocks on by one mark after a token; once round is not at all
	Table(on bool)     // bring Content.Table along, or no longer
	Sums()             // find the phases after every sum of two digits; they come by SetSums
}

// Row is a line of the numbers.
type Row struct{ Label, Value string }

// Role says what a series is, and so its colour.
type Role int

const (
	Loss Role = iota
	Exact
	Answer
)

// Series is a curve, or single points where Dots is set. X rises.
type Series struct {
	Name string
	Role Role
	Dots bool
	X, Y []float64
}

// Chart is a set of series over training steps from 0 to Steps. Share charts run from 0 to 1 and are labelled in
// percent; others run from 0 to their greatest value.
type Chart struct {
	Title  string
	Share  bool
	Series []Series
}

// Sample is a test sample and what the model wrote: right where the answer is.
type Sample struct {
	Prompt, Output, Target string
	Right                  bool
}

// Content is what stands next to the circle.
type Content struct {
	Rows    []Row
	Steps   int // where the charts end
	Step    int // where the model stands
	Loss    Chart
	Shares  Chart
	Samples []Sample
	Table   *Table

	Checkpoints []int // training steps of the checkpoints to choose from; fewer than two: none to choose
	Checkpoint  int   // index of the one shown
}

// State is what training does.
type State int

const (
	NoTraining State = iota // a finished model is shown
	Training
	Paused
	Ended
)

// Reading is what the circle draws, and the rule of every token in words.
type Reading struct {
	*circle.Reading
	Rule  []string // [T]; empty where units have no phase
	Dials *circle.Dials
}

// Sums are the phases of a model's units after every sum of two digits, S of them.
type Sums struct {
	None   string // why there are none; the rest is then empty
	Values []int  // [S] the value of each sum, from 0
	Units  []Unit // by number
}

// Unit is one unit of a model.
type Unit struct {
	Name   string    // how often it goes round, where it is a clock
	Says   string    // how exactly it follows the value
	Phases []float64 // [S] radians
}

package backend

// StepTime is what a training step took.
type StepTime struct {
	// Seconds from the end of the step before it; 0 where that was not under way any more when this one began, for
	// then they say more of the host than of the device.
	Seconds float64
	Tokens  int // of all sequences of the batch
	Longest int // tokens of the longest
}

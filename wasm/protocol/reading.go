package protocol

// Unpractised is something of a text that training never draws (package tasks lists the kinds).
type Unpractised struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`          // what stands in the text
	Least int    `json:"least"`          // the range that is practised
	Most  int    `json:"most"`           //
	Same  string `json:"same,omitempty"` // what means the same and is practised
}

// Reading answers "read".
type Reading struct {
	Traced
	Unpractised []Unpractised `json:"unpractised,omitempty"`
	Instead     string        `json:"instead,omitempty"` // a text that is practised, of the same right answer
}

// Traced is everything that the phase circle draws of one text: T tokens, N units, M memory units, H heads, C
// outcomes. Every number is one that the model computed. The page hands it to the circle as it came.
type Traced struct {
	Text    string   `json:"text"`    // as the model read it
	Tokens  []string `json:"tokens"`  // T, as shown; the first is "<SOS>"
	Width   int      `json:"width"`   // N; 0 for a model whose units have no phase
	Heads   int      `json:"heads"`   // H; 0 for a model without attention, which has no matrices
	Turning int      `json:"turning"` // units [0, Turning) turn with the state, the rest hold (SPEC §2)

	State [][]float32 `json:"state"` // [T][2N] after each token, real plane first; of the last block

	// SPEC §2, memory; left out where the model has none.
	Memory [][]float32 `json:"memory,omitempty"` // [T][2M] after each token, real plane first; of any length
	Period int         `json:"period,omitempty"` // P: a token turns unit j by 2πj/P, clockwise; 0: at other rates

	Outcomes []string `json:"outcomes"` // C labels of the readout
	Modulus  int      `json:"modulus"`  // where outcomes 0..Modulus−1 are residues, which lie on the circle; else 0

	// Probabilities [T][C]: what the model would answer if the text ended at this token. They are the softmax over all
	// the model's outputs, so that a row sums to less than 1 where other tokens take a share.
	Probabilities [][]float32 `json:"probabilities"`

	// Of the last block (SPEC §3–§6); row i, column j ≤ i, 0 above the diagonal. What the model does not have is
	// empty.
	Distance  [][][]float32 `json:"distance"`  // [H][T][T]: D
	Tree      [][][]float32 `json:"tree"`      // [H][T][T]: C̃
	Attention [][][]float32 `json:"attention"` // [H][T][T]: P
	Fusion    [][][]float32 `json:"fusion"`    // [T][H][H]: A, row k column l

	Answer   string `json:"answer"` // free-running
	Expected string `json:"expected"`
	Right    bool   `json:"right"`
	Step     int    `json:"step"` // training steps behind the weights
}

// Type is the message's "type".
func (Reading) Type() string { return "reading" }

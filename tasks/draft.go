package tasks

// expressionBytes prints the tokens of an arithmetic expression, by id.
const expressionBytes = "0123456789+-= ()"

// draft is an arithmetic expression while it is drawn: its tokens follow what
// is already in tokens, and each method returns the value of what it appended.
type draft struct {
	random   stream
	tokens   []int32
	start    int // where the expression starts in tokens
	operands int
	nest     int // brackets now open
	depth    int // the most that were open
}

// restart drops the expression but not what stands before it.
func (d *draft) restart() {
	d.tokens = d.tokens[:d.start]
	d.operands, d.nest, d.depth = 0, 0, 0
}

func (d *draft) put(ids ...int32) { d.tokens = append(d.tokens, ids...) }

func (d *draft) open() {
	d.put(openToken)
	d.nest++
	d.depth = max(d.depth, d.nest)
}

func (d *draft) close() {
	d.put(closeToken)
	d.nest--
}

// number appends an operand of one digit and perhaps a sign.
func (d *draft) number(value int) int {
	if value < 0 {
		d.put(minusToken)
	}
	d.put(int32(max(value, -value)))
	d.operands++
	return value
}

// operator appends " + " or " - ", each as often, and returns its sign.
func (d *draft) operator() int {
	if d.random.chance(1, 2) {
		d.put(spaceToken, plusToken, spaceToken)
		return 1
	}
	d.put(spaceToken, minusToken, spaceToken)
	return -1
}

// role is the split that the expression belongs to.
func (d *draft) role() Role {
	text := make([]byte, 0, 128) // room on the stack
	for _, id := range d.tokens[d.start:] {
		text = append(text, expressionBytes[id])
	}
	return splitOf(d.operands, text)
}

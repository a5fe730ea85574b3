package tasks

// Bounds of preset paper (SPEC §9).
const (
	paperFewest = 2
	paperMost   = 5
	paperDepth  = 8
	paperTotal  = 128 // tokens of prompt and target in format repeat

	// An expression of E tokens makes a prompt of 1+E+7 and a target of 2+E+7+2 tokens.
	paperTokens = (paperTotal - (1 + promptTail) - (2 + promptTail + 2)) / 2
)

// paperTries is how often a cell of operand count and depth is tried for a role before another cell is drawn. Small
// cells (three operands without brackets have four structures) can lack a role altogether; those with 10 % of their
// structures in it fail one time in 800.
const paperTries = 64

// paperDraw draws an operand count and then a depth, both uniform, and then expressions of that kind until one has the
// role. Test and validation thus keep the even spread except for cells that have nothing in them.
func (d *draft) paperDraw(draw Draw) int {
	most := paperMost
	if draw.MaxOperands > 0 {
		most = min(most, max(draw.MaxOperands, paperFewest))
	}
	least := min(max(draw.MinOperands, paperFewest), most)
	for {
		operands := d.random.between(least, most)
		depth := d.random.intn(paperDepth + 1)
		for range paperTries {
			d.restart()
			value := d.nested(operands, depth)
			if len(d.tokens)-d.start > paperTokens {
				continue
			}
			if draw.IID || d.role() == draw.Role {
				return value
			}
		}
	}
}

// nested draws an expression of that many operands whose deepest bracket is exactly so deep. On the way down to the
// deepest place there are depth brackets to open and operands-1 chances to divide; they come in random order, as if
// shuffled, so depth beyond what the operands call for is spread as redundant brackets around sums and numbers alike.
func (d *draft) nested(operands, depth int) int {
	switch {
	case operands == 1:
		return d.wrappedDigit(depth)
	case depth == 0:
		return d.plain(operands)
	case d.random.chance(operands-1, operands-1+depth):
		return d.divided(operands, depth)
	}
	return d.bracketed(operands, depth-1)
}

// plain draws digits without brackets.
func (d *draft) plain(operands int) int {
	value := d.digit()
	for range operands - 1 {
		sign := d.operator()
		value += sign * d.digit()
	}
	return value
}

// divided draws two or more terms. The term that holds a random operand goes down to the full depth; another is a
// digit, in one redundant pair of brackets one time in eight, or a bracketed sum no deeper than its operands call for.
func (d *draft) divided(operands, depth int) int {
	var sizes [paperMost]int
	terms := d.random.between(2, operands)
	for i := range terms {
		sizes[i] = 1
	}
	for range operands - terms {
		sizes[d.random.intn(terms)]++
	}
	deep, operand := 0, d.random.intn(operands)
	for operand >= sizes[deep] {
		operand -= sizes[deep]
		deep++
	}
	value, sign := 0, 1
	for i, size := range sizes[:terms] {
		if i > 0 {
			sign = d.operator()
		}
		switch {
		case i == deep:
			value += sign * d.bracketed(size, depth-1)
		case size > 1:
			value += sign * d.bracketed(size, d.random.between(0, min(depth-1, size-2)))
		case d.random.chance(1, 8):
			value += sign * d.wrappedDigit(1)
		default:
			value += sign * d.digit()
		}
	}
	return value
}

func (d *draft) bracketed(operands, depth int) int {
	d.open()
	value := d.nested(operands, depth)
	d.close()
	return value
}

func (d *draft) wrappedDigit(depth int) int {
	for range depth {
		d.open()
	}
	value := d.digit()
	for range depth {
		d.close()
	}
	return value
}

func (d *draft) digit() int { return d.number(d.random.intn(10)) }

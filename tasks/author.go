package tasks

// Bounds of preset author. The longest expression has three terms of four
// signed numbers: 3·23 tokens, two operators between them and the outer pair.
const (
	authorNumber   = 8 // numbers are −8 to 8
	authorNesting  = 2 // levels of binary expressions within a term
	authorTerms    = 3
	authorOperands = 12
	authorTokens   = 3*23 + 2*3 + 2
)

// author draws one expression with the distribution of the paper's public
// code (SPEC §9), 35 % of which are a single number.
func (d *draft) author() int {
	if !d.random.chance(3, 10) {
		return d.authorSequence()
	}
	d.open()
	value := d.authorSequence()
	d.close()
	return value
}

func (d *draft) authorSequence() int {
	most := d.random.intn(authorTerms + 1)
	if most < 2 {
		return d.authorTerm(0)
	}
	terms := d.random.between(2, most)
	level := 0
	if d.random.chance(2, 10) {
		level = 1
		d.open()
	}
	value := d.authorTerm(level)
	for range terms - 1 {
		sign := d.operator()
		value += sign * d.authorTerm(level)
	}
	if level == 1 {
		d.close()
	}
	return value
}

// authorTerm draws a number or a bracketed binary expression.
func (d *draft) authorTerm(level int) int {
	if level == authorNesting || !d.random.chance(3, 10) {
		return d.number(d.random.between(-authorNumber, authorNumber))
	}
	d.open()
	value := d.authorTerm(level + 1)
	sign := d.operator()
	value += sign * d.authorTerm(level+1)
	d.close()
	return value
}

// authorDraw draws until the limits and the role are met. What decides whether the sample is a single number is drawn
// before the role is asked, so that their share is the same in every role although they all belong to Train.
func (d *draft) authorDraw(draw Draw) int {
	least := min(draw.MinOperands, authorOperands)
	if draw.MaxOperands > 0 {
		least = min(least, draw.MaxOperands)
	}
	value := d.authorWithin(least, draw.MaxOperands)
	if draw.IID || d.operands == 1 {
		return value
	}
	for d.operands == 1 || d.role() != draw.Role {
		value = d.authorWithin(least, draw.MaxOperands)
	}
	return value
}

// authorWithin draws until there are that many numbers; most 0 is no bound.
func (d *draft) authorWithin(least, most int) int {
	for {
		d.restart()
		if value := d.author(); d.operands >= least && (most <= 0 || d.operands <= most) {
			return value
		}
	}
}

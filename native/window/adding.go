package window

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mhacsp/site/circle"
)

// The first view of a model of sums, as on the page: a clock whose hand the reader turns, the table of all sums of two
// digits in the colours of the model's answers, and its hands that became clocks, which turn as the reader's did.

// Table is what a model answers to every sum a + b of two digits, at index m·a + b, and where its clocks point.
type Table struct {
	None    string // why there is none; the rest is then empty
	Step    string // how far the model has learnt
	Answers []int
	Sure    []float64 // the answers' probabilities
	Hands   []Swept   // the clocks, the best first
}

// Swept is where a clock's hand points in every sum, in radians from the top, clockwise, −π to π.
type Swept struct {
	K             int // how often it goes round while the value goes once round
	R             float64
	First, Second []float64 // after each of the two digits
}

// adding is the state of the first view.
type adding struct {
	shown bool
	terms []int   // by which the reader turned the hand; two at most
	minus bool    // the next number turns it back
	held  bool    // the hand is
	from  float64 // radians: where the pointer was last
	by    float64 // radians by which the hand was turned since it was taken
	cell  int     // of the table, under the pointer; −1: none
}

const mostTerms = 2

// addingLayout says where its parts stand, each picture with words below.
type addingLayout struct {
	em                                       float64
	title, state, foot                       rect
	clock, worked, table, says, dials, found rect
}

func (s *Screen) arrangeAdding() addingLayout {
	l, area := frameOf(s.width, s.height, s.class)
	em := l.em
	a := addingLayout{em: em, title: l.field, state: l.notice, foot: l.foot}
	split := func(r rect) (picture, words rect) { // with room for three lines
		picture, words = r.CutTop(min(max(r.H-4.8*em, 0), r.W))
		_, words = words.CutTop(0.3 * em)
		return picture, words
	}
	var clock, table, dials rect
	gap := 1.2 * em
	switch {
	case area.W >= 1.45*area.H: // side by side
		clock, area = area.CutLeft(0.38 * area.W)
		table, dials = area.CutLeft(0.6 * area.W)
		_, table = table.CutLeft(gap)
		_, dials = dials.CutLeft(gap)
	case area.W >= 0.75*area.H: // dials below
		area, dials = area.CutTop(0.64 * area.H)
		clock, table = area.CutLeft(0.5 * area.W)
		_, table = table.CutLeft(gap)
	default:
		clock, area = area.CutTop(0.38 * area.H)
		table, dials = area.CutTop(0.6 * area.H)
	}
	a.clock, a.worked = split(clock)
	a.table, a.says = split(table)
	a.dials, a.found = dials.CutTop(max(dials.H-4.5*em, 0))
	return a
}

// face is where the clock stands.
func (a *addingLayout) face() (c point, radius float64) {
	return a.clock.Center(), 0.48 * min(a.clock.W, a.clock.H)
}

// square is the square of a + b in a table of m; −1 stands for the names of rows or columns.
func (a *addingLayout) square(m, row, column int) rect {
	side := min(a.table.W, a.table.H) / float64(m+1)
	x, y := a.table.X+(a.table.W-side*float64(m+1))/2, a.table.Y
	return (rect{X: x + side*float64(column+1), Y: y + side*float64(row+1), W: side, H: side}).Inset(0.04 * side)
}

// squareAt is the square at a place; −1: none.
func (s *Screen) squareAt(p point) int {
	a, m := s.arrangeAdding(), s.modulus
	for i := range m * m {
		if a.square(m, i/m, i%m).Contains(p) {
			return i
		}
	}
	return -1
}

// showAdding chooses between the first view and the lab, which is all else and reads the sum that was turned.
func (s *Screen) showAdding(on bool) {
	if on && s.modulus == 0 {
		s.SetNotice("There is no table of sums here: it takes the task arithmetic and a model whose units turn.", true)
		return
	}
	s.adding.shown, s.adding.held, s.adding.cell, s.pointed, s.notice, s.dirty = on, false, -1, -1, "", true
	s.host.Table(on)
	if terms := s.adding.terms; !on && len(terms) == mostTerms {
		s.line.set(sumOf(terms))
		s.host.Ask(s.line.String())
	}
	s.fit()
}

// turn turns the reader's hand by a number more; a third begins a new sum.
func (s *Screen) turn(by int) {
	a := &s.adding
	if len(a.terms) == mostTerms {
		a.terms = nil
	}
	a.terms = append(slices.Clone(a.terms), by)
	a.minus, a.cell, s.notice, s.dirty = false, -1, "", true
}

// stops are the angles at which the reader's hand stood.
func (s *Screen) stops() []float64 {
	list, sum := []float64{0}, 0
	for _, x := range s.adding.terms {
		sum += x
		list = append(list, circle.DigitPhase(sum, s.modulus))
	}
	if s.adding.held {
		if last := list[len(list)-1]; len(s.adding.terms) == mostTerms {
			list = []float64{last, last + s.adding.by}
		} else {
			list = append(list, last+s.adding.by)
		}
	}
	return list
}

// pair is the table's sum that the reader's hand was turned by: its first numbers, none where one is not in the table.
func (s *Screen) pair() []int {
	if slices.ContainsFunc(s.adding.terms, func(x int) bool { return x < 0 || x >= s.modulus }) {
		return nil
	}
	return s.adding.terms
}

// index is where a pair stands in lists of a table; of less than two numbers the sum with 0.
func (s *Screen) index(pair []int) int {
	var both [mostTerms]int
	copy(both[:], pair)
	return both[0]*s.modulus + both[1]
}

// worked says what the reader's hand did, as scripts/first.js does.
func (s *Screen) worked() string {
	terms, m := s.adding.terms, s.modulus
	switch len(terms) {
	case 0:
		return "The hand stands at 0. What is 3 + 5? Press 3, then 5, or turn the hand."
	case 1:
		return "A sum begins. Turned by " + minus(terms[0]) + ". Now turn it on by another number."
	}
	total := terms[0] + terms[1]
	ends := (total%m + m) % m
	way, moral := "on", "Adding is turning."
	if terms[1] < 0 {
		way, moral = "back", "Taking away is turning back."
	}
	stands := fmt.Sprintf("it stands at %d", ends)
	switch {
	case total >= m:
		stands = fmt.Sprintf("past %d it begins again at 0, so it stands at %d and not at %d", m-1, ends, total)
	case total < 0:
		stands = fmt.Sprintf("before 0 comes %d, so it stands at %d and not at %s", m-1, ends, minus(total))
	}
	size := max(terms[1], -terms[1])
	return fmt.Sprintf("%s = %d. Turned by %s, then %s by %d: %s. %s", sumOf(terms), ends, minus(terms[0]), way, size,
		stands, moral)
}

// sumOf writes two terms as a sum.
func sumOf(terms []int) string {
	if terms[1] < 0 {
		return fmt.Sprintf("%s − %d", minus(terms[0]), -terms[1])
	}
	return fmt.Sprintf("%s + %d", minus(terms[0]), terms[1])
}

func minus(x int) string { return strings.Replace(strconv.Itoa(x), "-", "−", 1) }

// saysOf says what the model answers to the sum that is pointed at or turned.
func (s *Screen) saysOf(t *Table) string {
	i := s.adding.cell
	if pair := s.pair(); i < 0 && len(pair) == mostTerms {
		i = s.index(pair)
	}
	if i < 0 {
		return "Point at a square, or press it, to see its sum."
	}
	a, b := i/s.modulus, i%s.modulus
	end := fmt.Sprintf("The clock says %d.", (a+b)%s.modulus)
	if t.Answers[i] == (a+b)%s.modulus {
		end = "That is right."
	}
	return fmt.Sprintf("%d + %d: the network says %d (%s sure). %s", a, b, t.Answers[i], circle.Percent(t.Sure[i]),
		end)
}

// right counts the sums that a table has right.
func (s *Screen) right(t *Table) (n int) {
	for i, x := range t.Answers {
		if x == (i/s.modulus+i%s.modulus)%s.modulus {
			n++
		}
	}
	return n
}

func (s *Screen) paintAdding(p pen) {
	a, c, t := s.arrangeAdding(), circle.Colours(s.dark), s.content.Table
	title := "Adding is turning. Will this network find out?"
	if t != nil && t.None == "" && s.right(t) == len(t.Answers) {
		title = "Adding is turning. Nobody told this network."
	}
	write(p, title, point{X: a.title.X, Y: a.title.Center().Y}, 1.3*a.em, a.title.W, true, c.Text)
	s.paintNotice(p, a.state, a.em, s.learnt(t), &c)
	s.paintFoot(p, a.foot, a.em, &c)

	at, radius := a.face()
	p.Face(circle.Face{Modulus: s.modulus, K: 1, Stops: s.stops(), Exact: math.NaN(), Hues: true}, at, radius, &c)
	paragraph(p, s.worked(), a.worked, a.em, c.Text)
	if t != nil && t.None != "" {
		paragraph(p, t.None, a.table, a.em, c.Muted)
		return
	}
	s.paintTable(p, &a, t, &c)
	if t == nil {
		return
	}
	paragraph(p, s.saysOf(t), a.says, a.em, c.Text)
	s.paintSwept(p, &a, t, &c)
}

func (s *Screen) learnt(t *Table) string {
	if t == nil || t.None != "" {
		return ""
	}
	return strings.TrimPrefix(fmt.Sprintf("%s · %d of %d sums right", t.Step, s.right(t), len(t.Answers)), " · ")
}

func (s *Screen) paintTable(p pen, a *addingLayout, t *Table, c *circle.Palette) {
	m := s.modulus
	chosen := -1
	if pair := s.pair(); len(pair) == mostTerms {
		chosen = s.index(pair)
	}
	size := 0.5 * a.square(m, 0, 0).H
	name := func(row, column int, text string) {
		p.Text(text, a.square(m, row, column).Center(), 0.9*size, false, circle.AlignMiddle, c.Muted)
	}
	name(-1, -1, "+")
	for k := range m {
		name(-1, k, strconv.Itoa(k))
		name(k, -1, strconv.Itoa(k))
	}
	for i := range m * m {
		r := a.square(m, i/m, i%m)
		if t == nil {
			p.Rect(r, 0.12*r.H, c.Raised)
			continue
		}
		even := 1 / float64(m) // as sure as somebody who guesses
		p.Rect(r, 0.12*r.H, c.Square(t.Answers[i], m, max(t.Sure[i]-even, 0)/(1-even)))
		text := strconv.Itoa(t.Answers[i])
		p.Text(text, r.Center(), size, false, circle.AlignMiddle, c.Text)
		if t.Answers[i] != (i/m+i%m)%m {
			w := 1.6 * p.Measure(text, size, false)
			p.Rect(rect{X: r.Center().X - w/2, Y: r.Center().Y - 0.05*size, W: w, H: max(0.1*size, 1)}, 0, c.Text)
		}
		if i == chosen || i == s.adding.cell {
			frame(p, r, max(2, 0.07*r.H), c.Text)
		}
	}
}

// best are the hands that are drawn: of each speed, on or back, the one that follows best, the slowest first.
func best(hands []Swept) (list []Swept) {
	for _, h := range hands {
		if !slices.ContainsFunc(list, func(x Swept) bool { return max(x.K, -x.K) == max(h.K, -h.K) }) {
			list = append(list, h)
		}
	}
	slices.SortStableFunc(list, func(a, b Swept) int { return cmp.Compare(max(a.K, -a.K), max(b.K, -b.K)) })
	return list
}

// paintSwept draws the model's hands while it reads the sum that the reader's hand was turned by.
func (s *Screen) paintSwept(p pen, a *addingLayout, t *Table, c *circle.Palette) {
	list, pair, em := best(t.Hands), s.pair(), a.em
	if len(list) == 0 {
		none := "No hand of this network follows the sum."
		if s.state == Training || s.state == Paused {
			none = "No hand of the network follows the sum yet. They will appear here."
		}
		paragraph(p, none, a.dials, em, c.Muted)
		return
	}
	found := fmt.Sprintf("%d of its hands became clocks", len(t.Hands))
	if len(t.Hands) == 1 {
		found = "1 of its hands became a clock"
	}
	if len(list) < len(t.Hands) {
		found += ", the best of each speed is shown"
	}
	columns, side := 1, 0.0
	for n := 1; n <= len(list); n++ {
		rows := (len(list) + n - 1) / n
		if x := min(a.dials.W/float64(n), a.dials.H/float64(rows)-2.8*em); x > side {
			columns, side = n, x
		}
	}
	height := side + 2.8*em
	below := a.dials.Y + height*float64((len(list)+columns-1)/columns)
	if found += "."; !s.class {
		found += " R 1 follows the sum exactly; the thin line is the exact place."
	}
	paragraph(p, found, rect{X: a.found.X, Y: below, W: a.found.W, H: a.found.Bottom() - below}, em, c.Muted)
	for i, h := range list {
		cell := rect{W: a.dials.W / float64(columns), H: height}
		cell.X, cell.Y = a.dials.X+cell.W*float64(i%columns), a.dials.Y+height*float64(i/columns)
		at := point{X: cell.Center().X, Y: cell.Y + side/2}
		stops, sum := []float64{0}, 0
		for k, x := range pair {
			sum += x
			exact, angles := circle.DigitPhase(h.K*sum, s.modulus), [][]float64{h.First, h.Second}[k]
			stops = append(stops, exact+math.Remainder(angles[s.index(pair)]-exact, 2*math.Pi))
		}
		exact := circle.DigitPhase(h.K*sum, s.modulus)
		p.Face(circle.Face{Modulus: s.modulus, K: h.K, Stops: stops, Exact: exact}, at, 0.47*side, c)
		for j, text := range []string{circle.Turns(h.K, s.modulus), fmt.Sprintf("R %.2f", h.R)} {
			below := point{X: at.X, Y: cell.Y + side + em*(0.7+1.35*float64(j))}
			size := em * min(1, cell.W/p.Measure(text, em, j == 0))
			p.Text(text, below, size, j == 0, circle.AlignMiddle, c.Text)
		}
	}
}

// addingKey does what a key stands for in the first view. Where it is not done, the key means what it does elsewhere.
func (s *Screen) addingKey(k Key) (done, known bool) {
	if len(k) == 1 && k[0] >= '0' && k[0] <= '9' {
		if digit := int(k[0] - '0'); digit < s.modulus {
			if s.adding.minus {
				digit = -digit
			}
			s.turn(digit)
		} else {
			s.SetNotice(fmt.Sprintf("This clock has no %d: after %d comes 0.", digit, s.modulus-1), false)
		}
		return true, true
	}
	switch k {
	case "Backspace": // the minus that waits, or the last number
		if n := len(s.adding.terms); n > 0 && !s.adding.minus {
			s.adding.terms = s.adding.terms[:n-1]
		}
		s.adding.minus, s.notice, s.dirty = false, "", true
		return true, true
	case "-", "−":
		s.SetNotice("The next number turns the hand back.", false)
		s.adding.minus = true
		return true, true
	case "k":
		s.showAdding(false)
		s.showClocks(true)
		return true, true
	case "Space":
		idle := s.state != Training && s.state != Paused
		return idle, !idle
	case "e", "Enter": // they are about what the lab shows
		s.showAdding(false)
	case "c", "o", "x":
		return true, false
	}
	return false, false
}

func (s *Screen) addingFoot() []string {
	words := append(map[State][]string{
		Training: {"Training.", "Space: pause"}, Paused: {"Paused.", "Space: go on"}, Ended: {"Training has ended."},
	}[s.state], "0–"+strconv.Itoa(s.modulus-1)+": turn the hand", "−: back", "Backspace: undo")
	if len(s.content.Checkpoints) > 1 {
		words = append(words, "P: play the checkpoints")
	}
	return append(words, "A: all units", "?: help")
}

// takeHand acts on a press: it takes the hand, or turns it by the two numbers of a square.
func (s *Screen) takeHand(p point) {
	if i := s.squareAt(p); i >= 0 {
		s.adding.terms = []int{i / s.modulus, i % s.modulus}
	} else if a := s.arrangeAdding(); a.clock.Contains(p) {
		s.adding.held, s.adding.by, s.adding.from = true, 0, s.bearing(p)
	}
}

// bearing is the angle at which a place lies as seen from the clock's middle, from the top, clockwise.
func (s *Screen) bearing(p point) float64 {
	a := s.arrangeAdding()
	c, _ := a.face()
	return math.Atan2(p.X-c.X, c.Y-p.Y)
}

// dragHand turns the hand that is held, by less than once round.
func (s *Screen) dragHand(p point) {
	if !s.adding.held {
		return
	}
	at := s.bearing(p)
	most := circle.DigitPhase(s.modulus-1, s.modulus)
	s.adding.by = min(max(s.adding.by+math.Remainder(at-s.adding.from, 2*math.Pi), -most), most)
	s.adding.from, s.dirty = at, true
}

// dropHand lets the hand go: it stands at the nearest mark.
func (s *Screen) dropHand() {
	if !s.adding.held {
		return
	}
	s.adding.held, s.dirty = false, true
	if by := int(math.Round(s.adding.by / circle.DigitPhase(1, s.modulus))); by != 0 {
		if t := s.adding.terms; len(t) == mostTerms { // on from where it stands
			s.adding.terms = []int{((t[0]+t[1])%s.modulus + s.modulus) % s.modulus}
		}
		s.turn(by)
	}
}

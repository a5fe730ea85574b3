package circle

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
)

const looking = "Looking for clocks"

// dialLayout says where the parts of the clocks' view stand.
type dialLayout struct {
	words  Rect   // the sum so far
	dials  []Rect // one a hand, its lines of words below it included
	lines  int    // of words below a dial
	others Rect   // the other units; none where there is no height for them
	votes  Rect
}

// newsLines is how many lines a dial has but for those about its units.
const newsLines = 2

// A dial is at least this large, in sizes of text, before it has all its lines; the row of the other units is drawn
// where there is this much height for it and the dials.
const (
	fairDial   = 8
	fairHeight = 12
)

// voteSize is the size of a vote's name, as a share of its row's height.
const voteSize = 0.47

// leastVotes is the height from which votes can be read. Dials get fairVotes sizes of text first.
func leastVotes(l Layout, hands int) float64 { return 2*l.Em + leastText*float64(hands+3)/voteSize }

const fairVotes = 10

// dialLines are how many lines a dial may have, the most first: those about its units are the first to go.
func (v *View) dialLines(l Layout) []int {
	fewer := []int{newsLines, newsLines - 1}
	if v.width < 34*l.Em {
		return fewer
	}
	about := 1
	if d := v.shown(); d != nil && slices.ContainsFunc(d.Hands, func(h Hand) bool { return h.Ends != nil }) {
		about = 2
	}
	return append([]int{newsLines + about}, fewer...)
}

func linesHeight(l Layout, lines int) float64 { return (1.4*float64(lines) + 0.2) * l.Em }

// arrangeDials lays the clocks' view out: dials next to the votes where it is wide, above them where it is not.
func (v *View) arrangeDials(l Layout, hands int) dialLayout {
	var d dialLayout
	area := Rect{l.Track.X, l.Track.Bottom() + 0.3*l.Em, l.Track.W, v.height - 1.1*l.Em - l.Track.Bottom()}
	d.words, area = area.CutTop(2.8 * l.Em)
	if v.width >= 1.25*v.height && v.width >= 40*l.Em {
		area, d.votes = area.CutLeft(0.6 * area.W)
		_, d.votes = d.votes.CutLeft(1.2 * l.Em)
	} else {
		rows := 2.3*l.Em + 2.1*l.Em*float64(hands+2)
		if height := max(min(rows, 0.42*area.H), leastVotes(l, hands)); area.H-height >= fairVotes*l.Em {
			d.votes, area = area.CutBottom(height)
			_, area = area.CutBottom(0.4 * l.Em)
		}
	}
	if d.votes.H < leastVotes(l, hands) {
		d.votes = Rect{}
	}
	if area.H >= fairHeight*l.Em {
		d.others, area = area.CutBottom(2.8 * l.Em)
	}
	best, columns := 0.0, 1
	for _, d.lines = range v.dialLines(l) {
		best, columns = 0, 1
		for c := 1; c <= hands; c++ {
			rows := (hands + c - 1) / c
			if side := min(area.W/float64(c), area.H/float64(rows)-linesHeight(l, d.lines)); side > best {
				best, columns = side, c
			}
		}
		if best >= fairDial*l.Em {
			break
		}
	}
	if hands == 0 || best <= 0 {
		return d
	}
	rows := (hands + columns - 1) / columns
	cell := Rect{0, 0, area.W / float64(columns), area.H / float64(rows)}
	for i := range hands {
		row, column := i/columns, i%columns
		inRow := min(columns, hands-row*columns) // the last row stands in the middle
		x := area.X + (area.W-cell.W*float64(inRow))/2 + cell.W*float64(column)
		d.dials = append(d.dials, Rect{x, area.Y + cell.H*float64(row), cell.W, cell.H})
	}
	return d
}

// face is where a dial stands in its cell, and its lines of words below it.
func (d *dialLayout) face(l Layout, cell Rect) (c Point, radius float64, words Rect) {
	face, words := cell.CutTop(cell.H - linesHeight(l, d.lines))
	side := min(face.W, face.H)
	c = face.Center()
	words.Y = c.Y + 0.5*side
	return c, 0.47 * side, words
}

func (v *View) paintDials(p painter, l Layout) {
	d, t := v.shown(), &v.theme
	if d == nil || len(d.Hands) == 0 {
		lines := []string{looking + " …"}
		if d != nil {
			lines = d.None
		}
		v.paintLines(p, l, lines)
		return
	}
	g := v.arrangeDials(l, len(d.Hands))
	v.paintSum(p, l, d, g.words)
	for i, cell := range g.dials {
		v.paintClock(p, l, &g, d, &d.Hands[i], cell, handInk(t, i))
	}
	v.paintOthers(p, l, d, g.others)
	v.paintVotes(p, l, d, g.votes)
	v.paintTold(p, l)
}

// handInk is the colour of a hand by its place among the hands.
func handInk(t *Palette, i int) color.NRGBA {
	return []color.NRGBA{t.Turning, t.Memory, t.Holding}[i%3]
}

func (v *View) paintLines(p painter, l Layout, lines []string) {
	y := l.Track.Bottom() + 0.3*v.height/2
	for i, line := range lines {
		size, ink := 1.15*l.Em, v.theme.Muted
		if i == 0 {
			size, ink = 1.5*l.Em, v.theme.Text
		}
		for _, part := range wrapped(p, line, size, v.width-3*l.Em) {
			p.text(part, Point{v.width / 2, y}, size, textStyle{i == 0, middle}, ink)
			y += 1.5 * size
		}
		y += 0.4 * l.Em
	}
}

// paintSum says the sum so far and what the last token does.
func (v *View) paintSum(p painter, l Layout, d *Dials, area Rect) {
	t, at := &v.theme, v.player.at
	size := min(0.85*area.H, 2.4*l.Em)
	number := strconv.Itoa(d.Values[at])
	badge := Rect{area.X, area.Center().Y - size/2, max(size, p.measure(number, 0.8*size, true)+0.5*size), size}
	p.rect(badge, 0.25*size, t.Raised)
	p.text(number, badge.Center(), 0.8*size, textStyle{true, middle}, t.Text)
	first, second := d.truth(), ""
	waiting := false
	for i := range d.Hands {
		_, token, _ := d.course(&d.Hands[i], at)
		waiting = waiting || token < at && d.since(token, at) != 0
	}
	switch change := d.Changes[at]; {
	case waiting && change != 0:
		second = signed(change) + " was read: the hands turn with the next character"
	case waiting:
		second = "the hands have not followed yet"
	case v.Ended() && len(d.Answers) > 0:
		best := top(d.Probabilities)
		second = fmt.Sprintf("its answer is %s, %s sure", d.Answers[best], Percent(d.Probabilities[best]))
	case d.Signs[at] < 0 && len(d.Lit[at]) > 0 && v.inBracket(at):
		second = "a minus stands before this bracket: the next digit counts down"
	case d.Signs[at] < 0:
		second = "the next digit counts down: the hands will turn the other way"
	}
	x := badge.Right() + 0.6*l.Em
	y := area.Center().Y
	if second != "" {
		y -= 0.7 * l.Em
		write(p, second, Point{x, y + 1.4*l.Em}, l.Em, area.Right()-x, textStyle{false, left}, t.Muted)
	}
	write(p, first, Point{x, y}, l.Em, area.Right()-x, textStyle{true, left}, t.Text)
}

// inBracket reports whether token at stands in a bracket that is still open.
func (v *View) inBracket(at int) bool {
	read := strings.Join(v.reading.Tokens[:at+1], "")
	return strings.Count(read, "(") > strings.Count(read, ")")
}

// arcsShown is how many turns of a hand a dial shows at most: the newest.
const arcsShown = 4

// paintClock draws one dial: the marks where its hand stands for each value, the hand, an arc for each number that has
// turned it, end to end and each in its colour, and faintly the place where it should stand.
func (v *View) paintClock(p painter, l Layout, g *dialLayout, d *Dials, h *Hand, cell Rect, ink color.NRGBA) {
	t := &v.theme
	c, radius, words := g.face(l, cell)
	if radius < l.Em {
		return
	}
	if h.Cut {
		ink = t.Muted
	}
	thin := max(1, 0.012*radius)
	from, to, s := v.player.place()
	start, _, _ := d.course(h, from)
	end, token, turns := d.course(h, to)
	now := lerp(start, end, s)

	if token < 0 {
		paintRim(p, t, l.Em, d.Modulus, h.K, c, radius, math.NaN(), false)
		v.paintClockWords(p, l, d, h, words, g.lines, token, turns, ink)
		return
	}
	paintRim(p, t, l.Em, d.Modulus, h.K, c, radius, now, false)
	if h.Ends != nil {
		v.paintEnds(p, h, c, 0.3*radius, from, to, s, ink)
	}
	for i := max(0, len(turns)-arcsShown); i < len(turns); i++ {
		x, colour := turns[i], t.Arcs[i%len(t.Arcs)]
		tip := x.to
		if way := x.to - x.from; i == len(turns)-1 && s < 1 && from < to && way != 0 { // the hand is on its way
			tip = x.from + min(max((now-x.from)/way, 0), 1)*way
		}
		if h.Cut {
			colour = t.Muted
		}
		inside := min(i, i-len(turns)+arcsShown) // of the arcs before it that are shown
		paintArc(p, c, radius, inside, x.from, tip, colour)
	}
	if !h.gone(to) && d.since(token, to) == 0 {
		exact := h.step(d.Modulus) * float64(d.Values[to])
		p.line([]Point{c, OnCircle(c, 0.68*radius, exact)}, thin, fade(t.Text, 0.4), false)
	}
	shade := t.Text // the colours of hands are near those of arcs
	if !h.stands(to) || h.Cut {
		shade = fade(shade, 0.45)
	}
	paintHand(p, t, c, radius, now, shade)
	if h.Cut { // a cross over the face
		for _, a := range []float64{math.Pi / 4, 3 * math.Pi / 4} {
			stroke := []Point{OnCircle(c, 0.8*radius, a), OnCircle(c, 0.8*radius, a+math.Pi)}
			p.line(stroke, max(2, 0.03*radius), t.Wrong, false)
		}
	}
	v.paintClockWords(p, l, d, h, words, g.lines, token, turns, ink)
}

// paintEnds draws a half-turn clock's own units on a small circle in the middle: both ends of the unit's line, a dot
// at the one where the unit stands, and a flag at the one that its partner says it is.
func (v *View) paintEnds(p painter, h *Hand, c Point, radius float64, from, to int, s float64, ink color.NRGBA) {
	if h.gone(to) || h.Cut {
		ink = v.theme.Muted
	}
	faint, thin := fade(ink, 0.4), max(1, 0.05*radius)
	own := func(list []float64) float64 { return list[from] + s*math.Remainder(list[to]-list[from], 2*math.Pi) }
	angle := own(h.Ends.Own)
	p.line(arc(c, radius, 0, 2*math.Pi, 60), thin, faint, true)
	p.line([]Point{OnCircle(c, radius, angle), OnCircle(c, radius, angle+math.Pi)}, thin, faint, false)
	p.dot(disc, OnCircle(c, radius, angle+math.Pi), max(2, 0.09*radius), faint, v.theme.Ground)
	if len(h.Ends.Flag) > 0 {
		end := angle
		if math.Cos(h.Ends.Flag[to]-h.Ends.Own[to]) < 0 {
			end += math.Pi
		}
		foot, top := OnCircle(c, radius, end), OnCircle(c, 1.7*radius, end)
		p.line([]Point{foot, top}, thin, ink, false)
		side := OnCircle(OnCircle(c, 1.5*radius, end), 0.5*radius, end+math.Pi/2)
		p.polygon([]Point{top, OnCircle(c, 1.3*radius, end), side}, ink)
	}
	p.dot(disc, OnCircle(c, radius, angle), max(3, 0.15*radius), ink, v.theme.Ground)
}

// paintClockWords says below a dial what it is and what turned it last, in as many lines as have room.
func (v *View) paintClockWords(p painter, l Layout, d *Dials, h *Hand, area Rect, room, token int, turns []turn,
	ink color.NRGBA) {
	t := &v.theme
	x, size := area.Center().X, l.Em
	type line struct {
		words []string // the same from the longest on
		bold  bool
		ink   color.NRGBA
	}
	say := func(bold bool, ink color.NRGBA, words ...string) line { return line{words, bold, ink} }
	lines := []line{say(true, ink, Turns(h.K, d.Modulus))}
	if room > newsLines {
		if h.Ends != nil {
			lines = append(lines, say(false, t.Muted, "the unit itself turns half of it", "the unit: half of it"))
		}
		lines = append(lines, say(false, t.Muted, fmt.Sprintf("%s, R %.2f", h.unitWords(), h.R), fmt.Sprintf("R %.2f", h.R)))
	}
	change := d.since(token, v.player.at)
	switch {
	case h.Cut:
		lines = append(lines, say(true, t.Wrong, "cut: nobody reads it", "cut"))
	case token < 0:
		lines = append(lines, say(false, t.Muted, "not known here", "unknown"))
	case h.gone(v.player.at):
		lines = append(lines, say(false, t.Muted, "no longer kept: the answer is made", "no longer kept", "not kept"))
	case change != 0:
		lines = append(lines, say(false, t.Muted, signed(change)+" …"))
	case len(turns) > 0:
		last := turns[len(turns)-1]
		due := angleWords(h.step(d.Modulus) * float64(last.change))
		said := say(true, t.Text, h.turned(last.change, d.Modulus)+" = "+due, signed(last.change)+": "+due)
		if i := v.dialUnder(); i >= 0 && h == &d.Hands[i] { // the gap is reported where somebody asks
			way := minus(fmt.Sprintf("%d°", int(math.Round((last.to-last.from)*180/math.Pi))))
			said = say(false, t.Text, "turned "+way+", due "+due, way+", due "+due)
		}
		lines = append(lines, said)
	}
	for i, x1 := range lines[:min(len(lines), room)] {
		width := area.W - 0.4*size
		words := fitting(p, size, width, x1.bold, x1.words...)
		write(p, words, Point{x, area.Y + size*(0.9+1.4*float64(i))}, size, width, textStyle{x1.bold, middle}, x1.ink)
	}
}

// paintOthers draws every other unit as a small grey dot, those that know of the minus in a paler light, and those
// that steer the hands lit.
func (v *View) paintOthers(p painter, l Layout, d *Dials, area Rect) {
	marks := v.otherMarks(l, d, area)
	if len(marks) == 0 {
		return
	}
	words := fmt.Sprintf("the other %d units", len(marks))
	if lit, steers := d.Lit[v.player.at], d.Steers[v.player.at]; len(lit) > 0 {
		_, know := knowing(len(lit))
		words += fmt.Sprintf("; %d %s of the minus before the bracket", len(lit), know)
		if steers != nil {
			words += ", " + ofThem(len(steers))
		}
	}
	write(p, words, Point{area.X, area.Y + 0.6*l.Em}, 0.9*l.Em, area.W, textStyle{false, left}, v.theme.Muted)
	for _, m := range marks {
		p.dot(m.shape, m.at, m.size, m.ink, v.theme.Ground)
	}
}

// otherMarks are the dots of the units that are no clock's, in a row.
func (v *View) otherMarks(l Layout, d *Dials, area Rect) []mark {
	t := &v.theme
	lit, steers := d.Lit[v.player.at], d.Steers[v.player.at]
	hand := map[int]bool{}
	for _, h := range d.Hands {
		hand[h.Unit] = true
		if h.Ends != nil && h.Ends.Partner >= 0 {
			hand[h.Ends.Partner] = true
		}
	}
	n := v.reading.Width - len(hand)
	if n <= 0 || area.Empty() {
		return nil
	}
	pitch := min(area.W/float64(n), 0.9*l.Em)
	x := area.X + pitch/2
	var all []mark
	for u := range v.reading.Width {
		if hand[u] {
			continue
		}
		m := mark{turning, u, disc, t.Rule, max(0.28*pitch, 1), Point{x, area.Y + 1.9*l.Em}}
		if u >= v.reading.Turning {
			m.kind = holding
		}
		switch {
		case slices.Contains(steers, u):
			m.size, m.ink = max(0.5*pitch, 2.2), t.Answer
		case slices.Contains(lit, u):
			m.size, m.ink = max(0.4*pitch, 1.6), fade(t.Answer, 0.45)
		}
		all = append(all, m)
		x += pitch
	}
	return all
}

// paintVotes draws what each clock votes for each answer, what is left without them, and what they add up to. The
// votes are those at the end: only there was the network asked.
func (v *View) paintVotes(p painter, l Layout, d *Dials, area Rect) {
	t := &v.theme
	if area.Empty() {
		return
	}
	ended := v.Ended()
	title, short := "How the clocks vote for each answer", "The clocks’ votes"
	switch {
	case len(d.Answers) == 0:
		title, short = "No votes: this model writes something else before its answer.", "No votes of this model."
	case !ended:
		title, short = "The votes come at the end of the text: only there was it taught to answer.",
			"The votes come at the end."
	}
	head, area := area.CutTop(2 * l.Em)
	title = fitting(p, l.Em, head.W, ended, title, short)
	write(p, title, Point{head.X, head.Center().Y}, l.Em, head.W, textStyle{ended, left}, t.Text)
	if !ended || len(d.Answers) == 0 {
		return
	}
	type row struct {
		name   string
		values []float64
		ink    color.NRGBA
	}
	var rows []row
	greatest := 0.0
	for i, h := range d.Hands {
		name, ink := Turns(h.K, d.Modulus), handInk(t, i)
		if h.Cut {
			name, ink = name+", cut", t.Muted
		}
		rows = append(rows, row{name, h.Votes, ink})
	}
	rows = append(rows, row{"the rest", d.Rest, t.Muted}, row{"together", d.Sum, t.Text})
	for _, r := range rows[:len(rows)-1] {
		for _, x := range r.values {
			greatest = max(greatest, math.Abs(x))
		}
	}
	whole := 0.0
	for _, x := range d.Sum {
		whole = max(whole, math.Abs(x))
	}
	best := top(d.Probabilities)
	names := 0.0
	size := min(0.95*l.Em, voteSize*area.H/float64(len(rows)+1))
	for _, r := range rows {
		names = max(names, p.measure(r.name, size, true))
	}
	names = min(names+0.8*size, 0.36*area.W)
	foot, area := area.CutBottom(1.7 * l.Em)
	pitch := area.H / float64(len(rows))
	widest := 5 * l.Em
	for _, label := range d.Answers {
		widest = max(widest, p.measure(label, 1.2*l.Em, true)+l.Em)
	}
	column := min((area.W-names)/float64(len(d.Answers)), widest)
	column0 := area.X + names
	p.rect(Rect{column0 + column*float64(best), area.Y, column, area.H + foot.H}, 0.2*l.Em, t.Raised)
	for i, r := range rows {
		y, scale, together := area.Y+pitch*float64(i), greatest, i == len(rows)-1
		if together {
			scale = whole
			p.line([]Point{{area.X, y}, {column0 + column*float64(len(d.Answers)), y}}, 1.5, t.Muted, false)
		}
		mid := y + pitch/2
		write(p, r.name, Point{area.X, mid}, size, names-0.3*size, textStyle{together, left}, t.Text)
		p.line([]Point{{column0, mid}, {column0 + column*float64(len(d.Answers)), mid}}, 1, t.Rule, false)
		for a, x := range r.values {
			height := 0.42 * pitch * math.Abs(x) / max(scale, 1e-9)
			bar := Rect{column0 + column*(float64(a)+0.18), mid - height, 0.64 * column, height}
			if x < 0 {
				bar.Y = mid
			}
			ink := r.ink
			if together && a == best {
				ink = t.Answer
			}
			if height > 0.3 {
				p.rect(bar, 0, ink)
			}
		}
	}
	for a, label := range d.Answers {
		at := Point{column0 + column*(float64(a)+0.5), foot.Center().Y}
		ink := t.Text
		if a == best {
			ink = t.Answer
		}
		write(p, label, at, 1.2*l.Em, 0.9*column, textStyle{a == best, middle}, ink)
	}
}

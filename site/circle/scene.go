package circle

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"math/cmplx"
	"slices"
	"strconv"
)

const (
	hintTitle = "Nothing read yet."
	hintText  = "Let the model read a text: each of its hidden units then appears here as a dot."
	noPhases  = "No unit is drawn: they have no phase in this model."
)

func (v *View) paint(p painter) {
	l := v.arrange()
	if v.reading == nil {
		v.paintHint(p, l)
		return
	}
	v.paintTokens(p, l)
	if v.clocks {
		v.paintDials(p, l)
		return
	}
	if !l.Dial.Empty() {
		v.paintDial(p, l)
	}
	if !l.Panel.Empty() {
		v.paintPanel(p, l)
	}
	v.paintHeadline(p, l)
	if !l.Bars.Empty() {
		v.paintBars(p, l)
	}
	if !l.Legend.Empty() {
		v.paintLegend(p, l)
	}
	v.paintTold(p, l)
}

// paintHint says in the empty circle that nothing was read; it shows no value.
func (v *View) paintHint(p painter, l Layout) {
	area := Rect{0, 0, v.width, v.height}
	c, radius := area.Center(), 0.44*min(area.W, area.H)
	p.line(arc(c, radius, 0, 2*math.Pi, 180), max(1.5, l.Em/10), v.theme.Rule, true)
	size := max(1.3*l.Em, 14)
	lines := wrapped(p, hintText, size, 1.5*radius)
	y := c.Y - size*0.75*float64(len(lines))
	p.text(hintTitle, Point{c.X, y}, size*1.15, textStyle{true, middle}, v.theme.Text)
	for i, line := range lines {
		p.text(line, Point{c.X, y + size*1.5*float64(i+1)}, size, textStyle{false, middle}, v.theme.Muted)
	}
}

func (v *View) paintTokens(p painter, l Layout) {
	t := &v.theme
	cells, before, after := v.tokenCells(l)
	size := tokenSize(l)
	at := v.player.at
	for _, c := range cells {
		ink := t.Muted
		switch {
		case c.index == at:
			p.rect(Rect{c.rect.X, c.rect.Y + 0.3*l.Em, c.rect.W, c.rect.H - 0.6*l.Em}, 0.35*l.Em, t.Text)
			ink = t.Ground
		case c.index < at:
			ink = t.Text
		}
		v.paintToken(p, v.reading.Tokens[c.index], c.rect, size, c.index == at, ink)
	}
	mid := l.Tokens.Center().Y
	if before {
		p.text("…", Point{l.Tokens.X, mid}, size, textStyle{false, left}, t.Muted)
	}
	if after {
		p.text("…", Point{l.Tokens.Right(), mid}, size, textStyle{false, right}, t.Muted)
	}
	// The track: how far the text was read.
	a, b, s := v.player.place()
	n := float64(len(v.reading.Tokens))
	rail := Rect{l.Track.X, l.Track.Center().Y - 0.1*l.Em, l.Track.W, 0.2 * l.Em}
	p.rect(rail, rail.H/2, t.Rule)
	rail.W *= (lerp(float64(a), float64(b), s) + 1) / n
	p.rect(rail, rail.H/2, t.Muted)
	knob := Point{rail.Right(), rail.Center().Y}
	p.dot(disc, knob, 0.38*l.Em, t.Text, t.Ground)
}

// paintToken writes a token into its cell; a space is drawn as an open box.
func (v *View) paintToken(p painter, token string, r Rect, size float64, bold bool, ink color.NRGBA) {
	c := r.Center()
	if s := tokenText(token); s != " " {
		write(p, s, c, size, r.W-0.1*size, textStyle{bold, middle}, ink)
		return
	}
	w, h, y := 0.16*size, 0.14*size, c.Y+0.34*size
	p.line([]Point{{c.X - w, y - h}, {c.X - w, y}, {c.X + w, y}, {c.X + w, y - h}}, max(1, 0.07*size), ink, false)
}

func (v *View) paintDial(p painter, l Layout) {
	t, r := &v.theme, v.reading
	c := l.Center
	thin := max(1, l.Radius*0.005)
	a, b, s := v.player.place()

	rings := v.rings(l)
	for _, g := range rings {
		p.line(arc(c, g.radius, 0, 2*math.Pi, 180), thin, t.Rule, true)
	}
	for _, length := range scaleRings(v.longest) { // within the end of the memory's scale
		p.line(arc(c, Reach(length, v.longest, l.Radius*answerRing), 0, 2*math.Pi, 120), thin, t.Rule, true)
	}
	if r.Modulus > 0 {
		v.paintDigits(p, l, thin)
	} else if r.Width == 0 {
		lines := wrapped(p, noPhases, l.Em, 1.5*l.Radius)
		for i, line := range lines {
			y := c.Y + 1.5*l.Em*(float64(i)-0.5*float64(len(lines)-1))
			p.text(line, Point{c.X, y}, l.Em, textStyle{false, middle}, t.Muted)
		}
	}
	if s < 1 {
		for _, g := range rings {
			v.paintTrails(p, l, &g)
		}
	}
	for _, m := range v.marks(l) {
		p.dot(m.shape, m.at, m.size, m.ink, t.Ground)
	}
	v.paintScaleFigures(p, l)
	if r.Modulus > 0 {
		from, to := r.Sum(a), r.Sum(b)
		v.paintArrow(p, l, complex(lerp(real(from), real(to), s), lerp(imag(from), imag(to), s)))
	}
}

// paintDigits marks where the residues stand and which one the answer is.
func (v *View) paintDigits(p painter, l Layout, thin float64) {
	t, r := &v.theme, v.reading
	best, _ := r.Best(v.player.at)
	size := max(min(l.Radius*0.15, 3.4*l.Em), leastText)
	p.line(arc(l.Center, l.Radius*answerRing, 0, 2*math.Pi, 120), thin, t.Rule, true)
	for k, outcome := range r.Outcomes[:r.Modulus] {
		label := outcomeText(outcome)
		phase := DigitPhase(k, r.Modulus)
		p.line([]Point{
			OnCircle(l.Center, l.Radius*answerRing, phase), OnCircle(l.Center, l.Radius*(answerRing-0.05), phase),
		}, 2*thin, t.Muted, false)
		at, ink, bold := OnCircle(l.Center, l.Radius*digitRing, phase), t.Text, false
		if k == best {
			p.dot(disc, at, size*0.62, v.readoutInk(), t.Ground)
			ink, bold = t.OnAnswer, true
		}
		write(p, label, at, size, 1.6*size, textStyle{bold, middle}, ink)
	}
}

// paintArrow draws the answer's phase readout: its direction and, against the inner circle, its length.
func (v *View) paintArrow(p painter, l Layout, sum complex128) {
	length, phase := cmplx.Polar(sum)
	full := l.Radius * answerRing
	width := l.Radius * 0.028
	ink := v.readoutInk()
	p.dot(disc, l.Center, width, ink, v.theme.Ground)
	head := min(l.Radius*0.11, length*full)
	if head < 1 {
		return
	}
	tip := OnCircle(l.Center, length*full, phase)
	neck := OnCircle(l.Center, length*full-head, phase)
	p.line([]Point{l.Center, neck}, width, ink, false)
	p.polygon([]Point{
		tip, OnCircle(neck, head*0.5, phase+math.Pi/2), OnCircle(neck, head*0.5, phase-math.Pi/2),
	}, ink)
}

// readoutInk is the colour of what is read off: that of the answer at the end of the text, grey before it, where no
// training ever looked.
func (v *View) readoutInk() color.NRGBA {
	if v.Ended() {
		return v.theme.Answer
	}
	return v.theme.Muted
}

// paintHeadline says what the model would answer if the text ended here, and at its end whether that is right.
func (v *View) paintHeadline(p painter, l Layout) {
	t, r, area := &v.theme, v.reading, l.Headline
	best, probability := r.Best(v.player.at)
	small := area.H < 3*l.Em
	big := min(0.86*area.H, 3*l.Em)
	label := outcomeText(r.Outcomes[best])
	wide := min(p.measure(label, 0.8*big, true)+0.5*big, 0.4*area.W)
	badge := Rect{area.X, area.Center().Y - big/2, max(big, wide), big}
	p.rect(badge, 0.25*big, v.readoutInk())
	write(p, label, badge.Center(), 0.8*big, badge.W-0.4*big, textStyle{true, middle}, t.OnAnswer)

	x, size := badge.Right()+0.6*l.Em, 1.05*l.Em
	room := area.Right() - x
	first, ink, second := "Best guess so far: the answer comes at the end", t.Muted, label+" at "+Percent(probability)
	if v.Ended() {
		first, second = "Answer", Percent(probability)+" sure"
	}
	likeliest := "best guess: " + label + ", " + Percent(probability)
	if r.elsewhere(v.player.at) {
		first, second = "No number is likely", likeliest
	}
	if text, right, ok := v.verdict(); ok {
		first, ink = "Answer: "+text, t.Right
		if !right {
			ink = t.Wrong
		}
		if r.Answer == "" {
			second = likeliest
		}
	}
	if r.Modulus > 0 && !small {
		length, phase := cmplx.Polar(r.Sum(v.player.at))
		arrow := fmt.Sprintf("%s, arrow %d°", second, degrees(phase))
		second = fitting(p, size, room, false, fmt.Sprintf("%s, length %.2f", arrow, length), arrow, second)
	}
	bold := ink != t.Muted
	if !v.Ended() && fitted(p, first, size, room, bold) < leastText {
		first = "no answer yet"
	}
	y := area.Center().Y
	write(p, first, Point{x, y - 0.85*size}, size, room, textStyle{bold, left}, ink)
	write(p, second, Point{x, y + 0.85*size}, size, room, textStyle{false, left}, t.Text)
}

// degrees is a phase from 0 to 359.
func degrees(phase float64) int {
	d := int(math.Round(phase * 180 / math.Pi))
	return (d + 360) % 360
}

// mostResidues is up to how many residues are all shown: one that is left out would seem to be missing.
const mostResidues = 12

// likeliest are the outcomes that there is room for, in their order: where that is not for all, those that are most
// probable after either of two tokens, so that a bar stays in sight while it moves, and a few residues in any case.
func (r *Reading) likeliest(a, b, room int) []int {
	all := make([]int, len(r.Outcomes))
	for k := range all {
		all[k] = k
	}
	kept := r.Modulus
	if kept > mostResidues {
		kept = 0
	}
	if room = max(room, kept, 1); len(all) > room {
		of := func(k int) float32 {
			if k < kept {
				return 2
			}
			return max(r.Probabilities[a][k], r.Probabilities[b][k])
		}
		slices.SortStableFunc(all, func(x, y int) int { return cmp.Compare(of(y), of(x)) })
		all = all[:room]
		slices.Sort(all)
	}
	return all
}

// paintFew says above the bars that they are not all; it returns the area below that.
func (v *View) paintFew(p painter, l Layout, shown int) Rect {
	all := len(v.reading.Outcomes)
	if shown == all {
		return l.Bars
	}
	head, area := l.Bars.CutTop(1.6 * l.Em)
	write(p, fmt.Sprintf("the likeliest %d of %d", shown, all), Point{head.X, head.Center().Y}, l.Em, head.W,
		textStyle{false, left}, v.theme.Muted)
	return area
}

func (v *View) paintBars(p painter, l Layout) {
	if l.Across {
		v.paintBarsAcross(p, l)
		return
	}
	t, r := &v.theme, v.reading
	a, b, s := v.player.place()
	shown := r.likeliest(a, b, int(l.Bars.W/(1.5*l.Em)))
	n := len(shown)
	area := v.paintFew(p, l, n)
	pitch := min(area.W/float64(n), 5*l.Em)
	width := 0.78 * pitch
	x := area.X + (area.W-pitch*float64(n))/2
	digit := max(min(1.5*l.Em, 0.9*pitch), leastText)
	figure := min(max(0.9*l.Em, leastText), 0.42*pitch)
	field := Rect{area.X, area.Y + 1.5*figure, area.W, area.H - 1.5*figure - 1.4*digit}
	if field.H < l.Em {
		return
	}
	best, _ := r.Best(b)
	for i, k := range shown {
		label := outcomeText(r.Outcomes[k])
		share := lerp(float64(r.Probabilities[a][k]), float64(r.Probabilities[b][k]), s)
		slot := Rect{x + pitch*float64(i) + (pitch-width)/2, field.Y, width, field.H}
		p.rect(slot, 0.12*width, t.Raised)
		bar, _ := slot.CutBottom(share * slot.H)
		ink, text := t.Muted, t.Text
		if k == best {
			ink, text = v.readoutInk(), v.readoutInk()
		}
		if bar.H > 0 {
			p.rect(bar, min(0.12*width, bar.H/2), ink)
		}
		mid := slot.Center().X
		if probability := float64(r.Probabilities[b][k]); probability >= 0.01 && figure >= leastText {
			p.text(strconv.Itoa(int(math.Round(100*probability))),
				Point{mid, bar.Y - 0.75*figure}, figure, textStyle{k == best, middle}, text)
		}
		write(p, label, Point{mid, field.Bottom() + 0.75*digit}, digit, 0.94*pitch, textStyle{k == best, middle}, text)
	}
}

// paintBarsAcross draws them from left to right, one below the other.
func (v *View) paintBarsAcross(p painter, l Layout) {
	t, r := &v.theme, v.reading
	a, b, s := v.player.place()
	shown := r.likeliest(a, b, int(l.Bars.H/(1.4*leastText)))
	n := float64(len(shown))
	l.Bars = v.paintFew(p, l, len(shown))
	pitch := min(l.Bars.H/n, 2.6*l.Em)
	size := min(1.1*l.Em, 0.72*pitch)
	names := 0.0
	for _, k := range shown {
		names = max(names, p.measure(outcomeText(r.Outcomes[k]), size, true))
	}
	names = min(names+0.5*size, 0.4*l.Bars.W)
	figures := p.measure("100", 0.9*size, true) + 0.4*size
	y := l.Bars.Y + (l.Bars.H-pitch*n)/2
	best, _ := r.Best(b)
	for i, k := range shown {
		label := outcomeText(r.Outcomes[k])
		share := lerp(float64(r.Probabilities[a][k]), float64(r.Probabilities[b][k]), s)
		slot := Rect{l.Bars.X + names, y + pitch*(float64(i)+0.14), max(l.Bars.W-names-figures, 0), 0.72 * pitch}
		p.rect(slot, 0.12*pitch, t.Raised)
		bar, _ := slot.CutLeft(share * slot.W)
		ink, text := t.Muted, t.Text
		if k == best {
			ink, text = v.readoutInk(), v.readoutInk()
		}
		if bar.W > 0 {
			p.rect(bar, min(0.12*pitch, bar.W/2), ink)
		}
		mid := slot.Center().Y
		write(p, label, Point{l.Bars.X, mid}, size, names-0.2*size, textStyle{k == best, left}, text)
		if probability := float64(r.Probabilities[b][k]); probability >= 0.01 && 0.9*size >= leastText {
			p.text(strconv.Itoa(int(math.Round(100*probability))),
				Point{l.Bars.Right(), mid}, 0.9*size, textStyle{k == best, right}, text)
		}
	}
}

// legendItem is a mark and what it stands for.
type legendItem struct {
	words string
	mark  func(at Point, size float64)
}

// paintLegend says what the marks are, and which frames are motion.
func (v *View) paintLegend(p painter, l Layout) {
	t, r := &v.theme, v.reading
	var items []legendItem
	oneLine := l.Legend.H < 2.5*l.Em
	turns, holds := "hand that turns", "hand that is reset"
	if r.Slots() > 0 && oneLine {
		turns, holds = "turns", "is reset"
	}
	dot := func(words string, shape dotShape, share float64, ink color.NRGBA) {
		mark := func(at Point, size float64) { p.dot(shape, at, share*size, ink, t.Ground) }
		items = append(items, legendItem{words, mark})
	}
	if r.Turning > 0 {
		dot(turns, disc, 0.34, t.Turning)
	}
	if r.Turning < r.Width {
		dot(holds, diamond, 0.42, t.Holding)
	}
	if r.Slots() > 0 {
		dot("memory: length and phase", disc, 0.24, t.Memory)
	}
	if r.Modulus > 0 {
		name := "readout"
		if v.Ended() {
			name = "answer"
		}
		items = append(items, legendItem{name, func(at Point, size float64) {
			ink := v.readoutInk()
			p.line([]Point{{at.X - 0.45*size, at.Y}, {at.X + 0.1*size, at.Y}}, 0.16*size, ink, false)
			p.polygon([]Point{{at.X + 0.5*size, at.Y}, {at.X, at.Y - 0.3*size}, {at.X, at.Y + 0.3*size}}, ink)
		}})
	}
	if r.Width == 0 {
		items = append(items, legendItem{noPhases, nil})
	} else {
		items = append(items, legendItem{"at rest: the model's numbers; moving: the way between", nil})
	}

	const mark, gap = 1.3, 1.1 // in sizes of text
	width := func(i legendItem, size float64) float64 {
		w := p.measure(i.words, size, false)
		if i.mark != nil {
			w += mark * size
		}
		return w
	}
	rows := func(size float64) int { // that the items take
		n, x := 1, 0.0
		for _, i := range items {
			w := width(i, size)
			if x > 0 && x+w > l.Legend.W+1e-6 {
				n, x = n+1, 0
			}
			x += w + gap*size
		}
		return n
	}
	size := 0.0
	for room := int((l.Legend.H/l.Em-1.25)/1.4) + 1; ; items = items[:len(items)-1] { // the marks before it say more
		total := 0.0
		size = 0.95 * l.Em
		for _, i := range items {
			size = min(size, size*l.Legend.W/width(i, size))
			total += width(i, 1) + gap
		}
		if oneLine {
			size = min(size, l.Legend.W/(total-gap))
		}
		for rows(size) > room {
			size *= 0.97
		}
		if size >= leastText || len(items) == 1 {
			break
		}
	}
	x, y := l.Legend.X, l.Legend.Y+0.75*l.Em
	for _, i := range items {
		w := width(i, size)
		if x > l.Legend.X && x+w > l.Legend.Right()+1e-6 {
			x, y = l.Legend.X, y+1.4*l.Em
		}
		at := x
		if i.mark != nil {
			i.mark(Point{x + 0.5*size, y}, size)
			at += mark * size
		}
		p.text(i.words, Point{at, y}, size, textStyle{false, left}, t.Muted)
		x += w + gap*size
	}
}

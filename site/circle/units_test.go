package circle

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

// TestMemoryIsTheModels: at rest every dot of the memory stands at its unit's phase, at the root of its length on the
// scale that the rings name; between two tokens it turns by its own angle while the rest is added evenly.
func TestMemoryIsTheModels(t *testing.T) {
	const slots, period = 7, 9
	for _, size := range [][2]float64{{280, 280}, {390, 844}, {1280, 720}, {3840, 2160}} {
		v := shown(t, remember(sample(sum, 8, 4, 2, 9), slots, period), size[0], size[1])
		top := cmplx.Abs(sampleSlot(len(sum)-1, slots-1))
		check := func(what string, number func(j int) complex128) {
			t.Helper()
			l := v.arrange()
			dots := record(t, v).units(disc, v.theme.Memory, max(0.55*l.dotRadius(slots), 1.6))
			assert.Need(t, len(dots) == slots, "%v %s: %d dots of %d memory units", size, what, len(dots), slots)
			for j, dot := range dots {
				z := number(j)
				reach := math.Sqrt(cmplx.Abs(z)/top) * answerRing * l.Radius
				want := OnCircle(l.Center, reach, cmplx.Phase(z))
				d := math.Hypot(dot.at.X-want.X, dot.at.Y-want.Y)
				assert.Need(t, d <= 1e-4*l.Radius, // the states are float32
					"%v %s: memory unit %d is drawn at %v, want %v", size, what, j, dot.at, want)
			}
		}
		for _, at := range []int{0, 1, 7, len(sum) - 1} {
			v.SetReducedMotion(true)
			v.Seek(at)
			check("at rest", func(j int) complex128 { return sampleSlot(at, j) })
		}
		v.SetReducedMotion(false)
		for _, way := range [][2]int{{3, 4}, {4, 3}} {
			v.Seek(9)
			v.Seek(way[0])
			v.Seek(way[1])
			v.Update(v.player.motion() * 0.3)
			s := ease(0.3)
			check("moving", func(j int) complex128 {
				turn := 2 * math.Pi * float64(j) / period * float64(way[0]-way[1])
				a, b := sampleSlot(way[0], j), sampleSlot(way[1], j)
				return cmplx.Rect(1, s*turn) * (complex(1-s, 0)*a + complex(s, 0)*b*cmplx.Rect(1, -turn))
			})
		}
	}
}

// TestMemoryIsTold: legend, scale and words name the memory where there is one, and nowhere else.
func TestMemoryIsTold(t *testing.T) {
	v := shown(t, remember(sample(sum, 8, 4, 2, 9), 7, 9), 1280, 720)
	r := record(t, v)
	for _, want := range []string{"memory: length and phase", "21.0", "10"} { // 15·7/5 is the longest
		assert.True(t, r.says(want), "nothing says %q", want)
	}
	assert.Says(t, v.Describe(), "The memory has 7 units; over the text the longest is 21.0 long.")
	v.SetReading(sample(sum, 8, 4, 2, 9))
	assert.True(t, !record(t, v).says("memory") && !strings.Contains(v.Describe(), "memory"), "a memory is told of")
	v.SetReading(remember(sample(sum, 8, 4, 2, 0), 7, 9)) // no residues: the memory has its circle all the same
	l, whole := v.arrange(), false
	for _, line := range record(t, v).lines {
		whole = whole || len(line) > 100 && near(math.Hypot(line[0].X-l.Center.X, line[0].Y-l.Center.Y), answerRing*l.Radius)
	}
	assert.True(t, whole, "without residues the memory's scale has no end")
}

// TestPointerTells: at rest the unit under the pointer is reported in figures; moving, playing or next to it nothing
// is.
func TestPointerTells(t *testing.T) {
	for _, size := range [][2]float64{{280, 280}, {390, 844}, {640, 360}, {1280, 720}} {
		v := shown(t, remember(sample(sum, 8, 4, 2, 9), 7, 9), size[0], size[1])
		l := v.arrange()
		for _, m := range v.marks(l) {
			v.PointerOver(m.at)
			found, ok := v.under()
			assert.True(t, ok && found.at == m.at,
				"%v: at unit %d of kind %d the pointer is on %+v, %t", size, m.unit, m.kind, found, ok)
			record(t, v).inside(t, m.unit, size)
		}
	}
	v := shown(t, remember(sample(sum, 8, 4, 2, 9), 7, 9), 1280, 720)
	l, last := v.arrange(), len(sum)-1
	find := func(k kind, unit int) Point {
		all := v.marks(l)
		i := slices.IndexFunc(all, func(m mark) bool { return m.kind == k && m.unit == unit })
		assert.Need(t, i >= 0, "no unit %d of kind %d", unit, k)
		return all[i].at
	}
	slot := func(j int) float64 { return cmplx.Phase(sampleSlot(last, j)) }
	for _, c := range []struct {
		kind              kind
		unit              int
		phase             float64
		name, place, rate string
	}{
		{memory, 5, slot(5), "memory unit 5", "length 18.0, phase", "turns 360°·5/9 = 200.0° a token"},
		{memory, 0, slot(0), "memory unit 0", "length 3.00, phase", "turns 360°·0/9 = 0.0° a token"},
		{turning, 2, samplePhase(last, 2), "unit 2, which turns", "phase", ""},
		{holding, 6, samplePhase(last, 6), "unit 6, which holds", "phase", ""},
	} {
		v.PointerOver(find(c.kind, c.unit))
		r := record(t, v)
		place := fmt.Sprintf("%s %d°", c.place, degrees(math.Remainder(c.phase, 2*math.Pi)))
		for _, want := range []string{c.name, place, c.rate} {
			assert.True(t, r.says(want), "kind %d, unit %d: nothing says %q", c.kind, c.unit, want)
		}
	}
	on := find(memory, 5)
	told := func() bool { return record(t, v).says("memory unit 5") }
	v.PointerOver(on)
	v.dirty = false
	v.PointerOver(Point{on.X + 0.1, on.Y})
	assert.True(t, !v.NeedsDraw(), "a move on the same dot is drawn again")
	v.PointerOver(Point{-1, -1})
	assert.True(t, v.NeedsDraw() && !told(), "a pointer that left still tells")
	v.PointerOver(on)
	v.Seek(3)
	assert.True(t, !told(), "after a jump the old place is reported")
	v.Seek(4)
	v.PointerOver(find(memory, 5))
	assert.True(t, !told(), "a unit on its way is reported")
	v.Update(1)
	v.PointerOver(find(memory, 5))
	assert.True(t, told(), "at rest again nothing is reported")
	v.Play()
	assert.True(t, !told(), "while it plays a unit is reported")
	v.SetReading(nil)
	v.PointerOver(on)
	assert.True(t, !v.NeedsDraw() || !told(), "without a reading a unit is reported")
	v = shown(t, remember(sample(sum, 8, 4, 2, 9), 7, 0), 1280, 720)
	v.PointerOver(find(memory, 5))
	r := record(t, v)
	assert.True(t, r.says("memory unit 5") && !r.says("a token"), "a rate is told that is not known")
}

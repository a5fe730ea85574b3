package window

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"math"
	"os"
	"sort"
	"time"
)

// largestGIF bounds the memory that a GIF's frames take until they are written, in bytes.
const largestGIF = 512 << 20

// gifSink keeps what differs between frames and writes the file at the end.
type gifSink struct {
	file   *os.File
	out    gif.GIF
	before *image.RGBA
	used   int
	owed   time.Duration // shown, but less than a hundredth
}

func newGIF(path string) (*gifSink, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s exists already", path)
	}
	return &gifSink{file: f}, err
}

// period of 20 frames a second, in whole hundredths, which is what a GIF counts in.
func (*gifSink) period() time.Duration { return time.Second / 20 }

func (g *gifSink) add(m *image.RGBA, shown time.Duration) error {
	if g.before != nil {
		m = fit(m, g.before.Rect.Size())
	}
	area := changed(g.before, m)
	g.used += area.Dx() * area.Dy()
	if g.used > largestGIF {
		return fmt.Errorf("the GIF would take more than %d MiB of memory; "+
			"record less, or PNG frames: give --record a folder", largestGIF>>20)
	}
	g.out.Image = append(g.out.Image, reduce(m, area))
	shown += g.owed
	hundredths := max(int(shown/(10*time.Millisecond)), 1)
	g.owed = shown - time.Duration(hundredths)*10*time.Millisecond
	g.out.Delay = append(g.out.Delay, min(hundredths, math.MaxUint16)) // all that the format holds
	g.out.Disposal = append(g.out.Disposal, gif.DisposalNone)
	g.before = m
	return nil
}

func (g *gifSink) close() error {
	if len(g.out.Image) == 0 {
		return errors.Join(g.file.Close(), os.Remove(g.file.Name()))
	}
	buffer := bufio.NewWriter(g.file)
	err := errors.Join(gif.EncodeAll(buffer, &g.out), buffer.Flush(), g.file.Close())
	if err != nil {
		os.Remove(g.file.Name()) // half a film would be in the way of the next try
	}
	return err
}

// changed is the smallest rectangle outside which two pictures of one size are the same.
func changed(a, b *image.RGBA) image.Rectangle {
	if a == nil {
		return b.Rect
	}
	out := image.Rectangle{}
	for y := range b.Rect.Dy() {
		p, q := a.Pix[y*a.Stride:][:4*b.Rect.Dx()], b.Pix[y*b.Stride:][:4*b.Rect.Dx()]
		if string(p) == string(q) {
			continue
		}
		first, last := 0, b.Rect.Dx()-1
		for string(p[4*first:4*first+4]) == string(q[4*first:4*first+4]) {
			first++
		}
		for string(p[4*last:4*last+4]) == string(q[4*last:4*last+4]) {
			last--
		}
		out = out.Union(image.Rect(first, y, last+1, y+1))
	}
	if out.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return out
}

// bits of a colour's parts that are told apart when colours are counted.
const bits = 6

// reduce takes an area of a picture down to 256 colours. The window has few colours and their blends: the most
// frequent serve, and the others take the nearest of them.
func reduce(m *image.RGBA, area image.Rectangle) *image.Paletted {
	key := func(p []byte) uint32 {
		return uint32(p[0]>>(8-bits))<<(2*bits) | uint32(p[1]>>(8-bits))<<bits | uint32(p[2]>>(8-bits))
	}
	type entry struct {
		count int
		exact [3]byte // the colour that stands for it: the first seen
		index uint8
	}
	found := map[uint32]*entry{}
	var order []*entry
	each := func(f func(x, y int, p []byte)) {
		for y := area.Min.Y; y < area.Max.Y; y++ {
			row := m.Pix[y*m.Stride:]
			for x := area.Min.X; x < area.Max.X; x++ {
				f(x, y, row[4*x:4*x+4])
			}
		}
	}
	each(func(_, _ int, p []byte) {
		k := key(p)
		e := found[k]
		if e == nil {
			e = &entry{exact: [3]byte{p[0], p[1], p[2]}}
			found[k] = e
			order = append(order, e)
		}
		e.count++
	})
	sort.SliceStable(order, func(i, j int) bool { return order[i].count > order[j].count })
	kept := order[:min(len(order), 256)]
	colours := make(color.Palette, len(kept))
	for i, e := range kept {
		e.index = uint8(i)
		colours[i] = color.RGBA{e.exact[0], e.exact[1], e.exact[2], 255}
	}
	for _, e := range order[len(kept):] {
		e.index = uint8(colours.Index(color.RGBA{e.exact[0], e.exact[1], e.exact[2], 255}))
	}
	out := image.NewPaletted(area, colours)
	each(func(x, y int, p []byte) { out.SetColorIndex(x, y, found[key(p)].index) })
	return out
}

package window

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"mhacsp/tasks/assert"
)

// still is a picture of one colour with a mark that tells pictures apart.
func still(w, h, mark int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{20, 40, 60, 255}), image.Point{}, draw.Src)
	draw.Draw(m, image.Rect(mark, mark, mark+3, mark+3),
		image.NewUniform(color.RGBA{250, uint8(mark), 0, 255}), image.Point{}, draw.Src)
	return m
}

// record records pictures that each show for the given time; the last until the recording ends.
func record(t *testing.T, path string, pictures []*image.RGBA, shown time.Duration) (int, error) {
	t.Helper()
	r := assert.Must(Record(path))(t)
	begin := time.Now().Add(-time.Duration(len(pictures)) * shown)
	for i, m := range pictures {
		r.Add(m, begin.Add(time.Duration(i)*shown))
	}
	return r.Close()
}

// TestRecordFolder: every picture that differs from the one before is a file, as it was; the list has their times; a
// window that was resized keeps the first size.
func TestRecordFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "frames")
	a, b, larger := still(40, 30, 5), still(40, 30, 9), still(60, 20, 7)
	n, err := record(t, dir, []*image.RGBA{a, a, b, larger, b}, 200*time.Millisecond)
	assert.Need(t, err == nil && n == 4, "%d frames, %v", n, err)
	for i, want := range []*image.RGBA{a, b, nil, b} {
		f := assert.Must(os.Open(filepath.Join(dir, fmt.Sprintf("frame-%06d.png", i+1))))(t)
		got, err := png.Decode(f)
		f.Close()
		assert.True(t, err == nil && (want == nil || reflect.DeepEqual(got, image.Image(want))) &&
			got.Bounds().Size() == a.Rect.Size(), "frame %d is %v, %v", i+1, got.Bounds(), err)
	}
	text := assert.Must(os.ReadFile(filepath.Join(dir, FrameList)))(t)
	list := strings.Split(strings.TrimSpace(string(text)), "\n")
	assert.True(t, len(list) == 10 && list[0] == "ffconcat version 1.0" && list[1] == "file frame-000001.png" &&
		list[2] == "duration 0.4000" && list[4] == "duration 0.2000" && list[9] == "file frame-000004.png",
		"the list is\n%s", text)
	for range 2 { // without a frame nothing is left that would be in the way
		record(t, filepath.Join(dir, "none"), nil, 0)
	}
	_, err = Record(dir)
	assert.OneLine(t, "recording over a recording", err, "holds a recording already")
}

// TestRecordGIF: played back, each picture is as it was and stands for its time, though only what changed is stored.
func TestRecordGIF(t *testing.T) {
	path := filepath.Join(t.TempDir(), "film.gif")
	pictures := []*image.RGBA{still(40, 30, 5), still(40, 30, 9), still(40, 30, 12)}
	assert.Is(t, assert.Must(record(t, path, pictures, 355*time.Millisecond))(t), 3, "frames")
	f := assert.Must(os.Open(path))(t)
	defer f.Close()
	g := assert.Must(gif.DecodeAll(f))(t)
	canvas := image.NewRGBA(pictures[0].Rect)
	for i, m := range g.Image {
		draw.Draw(canvas, m.Rect, m, m.Rect.Min, draw.Over)
		assert.True(t, bytes.Equal(canvas.Pix, pictures[i].Pix), "frame %d is another picture", i)
		assert.True(t, i <= 0 || m.Rect.Dx()*m.Rect.Dy() < 40*30, "frame %d stores all of %v", i, m.Rect)
	}
	assert.True(t, g.Delay[0] == 35 && g.Delay[1] == 36 && g.Delay[2] >= 100, "frames stand for %v/100 s", g.Delay)
	var long gifSink
	assert.NoError(t, long.add(pictures[0], time.Hour))
	assert.Is(t, long.out.Delay[0], 65535, "an hour wraps around to a moment: hundredths")
	_, err := Record(path)
	assert.OneLine(t, "recording over a file", err, "exists already")
}

// TestReduce: of more than 256 colours a picture keeps the frequent ones and takes the nearest for the others.
func TestReduce(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		m.SetRGBA(i%64, i/64, color.RGBA{uint8(i % 64 * 4), uint8(i / 64 * 4), 128, 255})
	}
	draw.Draw(m, image.Rect(0, 0, 64, 20), image.NewUniform(color.RGBA{9, 200, 77, 255}), image.Point{}, draw.Src)
	p := reduce(m, m.Rect)
	assert.Is(t, len(p.Palette), 256, "colours")
	for y := range 64 {
		for x := range 64 {
			a, b := m.RGBAAt(x, y), p.At(x, y)
			nearest := p.Palette.Convert(a)
			assert.Need(t, b == nearest && (y >= 20 || a == b), "%v became %v, the nearest is %v", a, b, nearest)
		}
	}
}

// TestRecordFailures: a place that cannot be written is refused at once, a full disk ends it with that reason.
func TestRecordFailures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	assert.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, path := range []string{filepath.Join(file, "frames"), file, filepath.Join(file, "film.gif")} {
		r, err := Record(path)
		assert.True(t, err != nil && strings.HasPrefix(err.Error(), "--record: ") &&
			strings.HasSuffix(err.Error(), "choose another place"), "%s: %v, %v", path, r, err)
	}
	dir := filepath.Join(t.TempDir(), "frames")
	r := assert.Must(Record(dir))(t)
	assert.NoError(t, os.RemoveAll(dir)) // the disk was taken away
	full := &Recorder{to: fullDisk{}, frames: make(chan shot, 2), done: make(chan struct{})}
	go full.run()
	for i := range 5 {
		m, at := still(10, 10, i), time.Now().Add(time.Duration(i)*time.Second)
		r.Add(m, at)
		full.Add(m, at)
	}
	n, err := r.Close()
	assert.True(t, n == 0 && r.Err() != nil, "%d frames, %v", n, r.Err())
	assert.OneLine(t, "a folder that is gone", err, "frame-000001.png")
	n, err = full.Close()
	assert.True(t, errors.Is(err, syscall.ENOSPC) && n == 0, "%d frames, %v", n, err)
}

// fullDisk is a sink without room.
type fullDisk struct{}

func (fullDisk) add(*image.RGBA, time.Duration) error { return syscall.ENOSPC }
func (fullDisk) close() error                         { return nil }
func (fullDisk) period() time.Duration                { return 0 }

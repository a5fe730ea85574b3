package window

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Recorder writes the frames that differ, each with its time: PNG files with a list of their durations, or one GIF.
// Frames are encoded outside the loop; a loop that is faster waits.
type Recorder struct {
	to     sink
	frames chan shot
	done   chan struct{}

	mu    sync.Mutex
	err   error
	count int
}

type shot struct {
	picture *image.RGBA
	at      time.Time
}

// sink takes frames with their durations.
type sink interface {
	add(m *image.RGBA, shown time.Duration) error
	close() error
	period() time.Duration
}

// Record starts a recording: to a GIF where path ends in .gif, else to numbered PNG files in the folder path, which is
// made. Nothing there is overwritten: a folder must hold no frames, a file must not exist.
func Record(path string) (*Recorder, error) {
	var to sink
	var err error
	if strings.EqualFold(filepath.Ext(path), ".gif") {
		to, err = newGIF(path)
	} else {
		to, err = newFolder(path)
	}
	if err != nil {
		return nil, fmt.Errorf("--record: %w; choose another place", err)
	}
	r := &Recorder{to: to, frames: make(chan shot, 2), done: make(chan struct{})}
	go r.run()
	return r, nil
}

// Period is the least time between two frames.
func (r *Recorder) Period() time.Duration { return r.to.period() }

// Add takes a frame over, as it stood on the screen from then on.
func (r *Recorder) Add(m *image.RGBA, at time.Time) { r.frames <- shot{m, at} }

// Err is what went wrong.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Close shows the last frame until now and ends the recording. It tells how many frames there are.
func (r *Recorder) Close() (frames int, err error) {
	close(r.frames)
	<-r.done
	return r.count, r.err
}

// lastShown is how long the last frame stands at least: a loop of a GIF should not leap.
const lastShown = time.Second

func (r *Recorder) run() {
	defer close(r.done)
	var before shot
	add := func(until time.Time) {
		if before.picture == nil || r.Err() != nil {
			return
		}
		err := r.to.add(before.picture, until.Sub(before.at))
		r.mu.Lock()
		defer r.mu.Unlock()
		if err != nil {
			r.err = fmt.Errorf("--record: %w", err)
			return
		}
		r.count++
	}
	for x := range r.frames {
		if before.picture != nil && before.picture.Rect == x.picture.Rect &&
			string(before.picture.Pix) == string(x.picture.Pix) {
			continue
		}
		add(x.at)
		before = x
	}
	end := before.at.Add(lastShown)
	if now := time.Now(); now.After(end) {
		end = now
	}
	add(end)
	if err := r.to.close(); err != nil && r.Err() == nil {
		r.mu.Lock()
		r.err = fmt.Errorf("--record: %w", err)
		r.mu.Unlock()
	}
}

// FrameList names the frames of a folder and how long each is shown, for ffmpeg.
const FrameList = "frames.ffconcat"

// folder writes frame-000001.png and so on, and a list that video programs read.
type folder struct {
	dir     string
	size    image.Point // of the first frame; a film has one size
	count   int
	list    *os.File
	encoder png.Encoder
	last    string
}

func newFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, FrameList)
	list, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s holds a recording already", dir)
	}
	if err != nil {
		return nil, err
	}
	f := &folder{dir: dir, list: list, encoder: png.Encoder{CompressionLevel: png.BestSpeed}}
	if _, err = fmt.Fprintln(list, "ffconcat version 1.0"); err != nil {
		f.close()
	}
	return f, err
}

// period of 30 frames a second.
func (*folder) period() time.Duration { return time.Second / 30 }

func (f *folder) add(m *image.RGBA, shown time.Duration) error {
	if f.count == 0 {
		f.size = m.Rect.Size()
	}
	m = fit(m, f.size)
	f.count++
	name := fmt.Sprintf("frame-%06d.png", f.count)
	if err := f.write(filepath.Join(f.dir, name), m); err != nil {
		return fmt.Errorf("%w; %d frames were written before", err, f.count-1)
	}
	f.last = name
	_, err := fmt.Fprintf(f.list, "file %s\nduration %.4f\n", name, shown.Seconds())
	return err
}

func (f *folder) write(path string, m *image.RGBA) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(file)
	err = errors.Join(f.encoder.Encode(buffer, m), buffer.Flush(), file.Close())
	if err != nil {
		os.Remove(path) // half a frame is of no use
	}
	return err
}

// close names the last frame once more: ffmpeg leaves out the last duration otherwise. A list without frames goes.
func (f *folder) close() error {
	if f.last == "" {
		return errors.Join(f.list.Close(), os.Remove(f.list.Name()))
	}
	_, err := fmt.Fprintf(f.list, "file %s\n", f.last)
	return errors.Join(err, f.list.Close())
}

// fit cuts or fills a picture to a size; a window may be resized while it is recorded.
func fit(m *image.RGBA, size image.Point) *image.RGBA {
	if m.Rect.Size() == size {
		return m
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	ground := m.At(m.Rect.Min.X, m.Rect.Min.Y) // which the corner shows
	draw.Draw(out, out.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, m, m.Rect.Min, draw.Src)
	return out
}

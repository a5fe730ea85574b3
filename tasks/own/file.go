package own

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"
)

// Source is a file's bytes: an *os.File with its size, or a file that was dropped on a page. Samples are read from it
// as long as the task lives.
type Source interface {
	io.ReaderAt
	Size() int64
}

// Opener opens a file for reading.
type Opener func(path string) (Source, error)

// maxLine bounds a line in bytes.
const maxLine = 16 << 20

// apart is the least distance between two marks in bytes.
const apart = 1 << 10

// mark is where a sample's line begins. Marks are sparse: the lines between two are found by reading.
type mark struct {
	at     int64
	sample int
}

// file finds the lines of a source.
type file struct {
	name    string
	source  Source
	marks   []mark
	end     int64
	samples int
	sum     string // SHA-256
}

// buffers hold what is read of a file for one line.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// open reads a source to its end and calls each, where given, with every line that is not blank and its number, which
// counts from 1.
func open(name string, source Source, each func(number int, line []byte) error) (*file, error) {
	f := &file{name: name, source: source}
	sum := newSum()
	lines := bufio.NewReaderSize(io.TeeReader(io.NewSectionReader(source, 0, source.Size()), sum), 1<<20)
	var long []byte
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = long[:0]
			for errors.Is(err, bufio.ErrBufferFull) && len(long) <= maxLine {
				long = append(long, line...)
				line, err = lines.ReadSlice('\n')
			}
			if long = append(long, line...); len(long) > maxLine {
				return nil, &Error{name, number, 1,
					fmt.Sprintf("the line has more than %d MiB; cut it into samples", maxLine>>20)}
			}
			line = long
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: line %d: %w", name, number, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if n := len(f.marks); n == 0 || f.end-f.marks[n-1].at >= apart {
				f.marks = append(f.marks, mark{f.end, f.samples})
			}
			f.samples++
			if each != nil {
				if err := each(number, line); err != nil {
					return nil, err
				}
			}
		}
		f.end += int64(len(line))
		if err == io.EOF {
			break
		}
	}
	f.marks, f.sum = slices.Clip(f.marks), hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// line calls use with the line of a sample, which is good until use returns.
func (f *file) line(sample int, use func([]byte) error) error {
	at := sort.Search(len(f.marks), func(i int) bool { return f.marks[i].sample > sample }) - 1
	from, to := f.marks[at], f.end
	if at+1 < len(f.marks) {
		to = f.marks[at+1].at
	}
	held := buffers.Get().(*[]byte)
	defer buffers.Put(held)
	text := slices.Grow((*held)[:0], int(to-from.at))[:to-from.at]
	*held = text
	if n, err := f.source.ReadAt(text, from.at); n < len(text) {
		if err == nil || errors.Is(err, io.EOF) {
			err = errors.New("it has become shorter")
		}
		return err
	}
	for skip := sample - from.sample; len(text) > 0; {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if skip == 0 {
			return use(line)
		}
		skip--
	}
	return errors.New("a line is missing")
}

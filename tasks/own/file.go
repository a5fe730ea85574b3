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

	"mhacsp/tasks/strict"
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
	format
	name    string
	source  Source
	marks   []mark
	end     int64
	samples int
	sum     string // SHA-256
	long    []byte // a record that is put together while the file is opened
}

// buffers hold what is read of a file for one line.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// open reads a source to its end and calls each, where given, with every sample's line and its number, which counts
// from 1. A line may be a record of a table, which may have several.
func open(name string, source Source, d *Data, each func(f *file, number int, line []byte) error) (*file, error) {
	f := &file{name: name, source: source}
	sum := newSum()
	lines := bufio.NewReaderSize(io.TeeReader(io.NewSectionReader(source, 0, source.Size()), sum), 1<<20)
	head, err := lines.Peek(lines.Size())
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if text := strict.TrimBOM(head); len(text) < len(head) {
		f.end = int64(len(head) - len(text))
		head = text
	}
	if f.format, err = recognise(name, head, d); err != nil {
		return nil, err
	}
	_, _ = lines.Discard(int(f.end))
	named := f.comma == 0 // the columns are
	for number, next := 1, 1; ; number = next {
		line, err := f.record(lines, &next)
		if errors.Is(err, errLong) {
			return nil, &Error{File: name, Line: number, Column: 1,
				Text: fmt.Sprintf("the line has more than %d MiB; cut it into samples%s", maxLine>>20,
					map[bool]string{true: ", or close the quotation mark"}[f.quotes(line)%2 == 1])}
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: line %d: %w", name, number, err)
		}
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case !named:
			named = true
		default:
			if n := len(f.marks); n == 0 || f.end-f.marks[n-1].at >= apart {
				f.marks = append(f.marks, mark{f.end, f.samples})
			}
			f.samples++
			if each != nil {
				if err := each(f, number, line); err != nil {
					return nil, err
				}
			}
		}
		f.end += int64(len(line))
		if err == io.EOF {
			break
		}
	}
	f.long = nil
	f.marks, f.sum = slices.Clip(f.marks), hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

var errLong = errors.New("too long")

// record reads a record, which is good until the next is read, and adds to next the lines that it has.
func (f *file) record(lines *bufio.Reader, next *int) ([]byte, error) {
	long, quotes := f.long[:0], 0
	for {
		line, err := lines.ReadSlice('\n')
		quotes += f.quotes(line)
		if err == nil {
			*next++
		}
		if err == nil && quotes%2 == 0 && len(long) == 0 {
			return line, nil
		}
		long = append(long, line...)
		f.long = long
		switch {
		case len(long) > maxLine:
			return long, errLong
		case err == nil && quotes%2 == 0, err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return long, err
		}
	}
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
		var line []byte
		line, text = f.cut(text)
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

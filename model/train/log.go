package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"os"
	"path/filepath"

	"mhacsp/model/checkpoint"
)

// Entry is a line of a run folder's log.
type Entry struct {
	Event Event  // nil where the line is none, as a killed run's last line
	Time  string // when it was written
	Line  int    // from 1
	Cut   bool   // the line has no end: a process was writing it
}

// ReadLog yields the lines of a run folder's log, without empty ones. An error ends it; a folder without a log is
// fs.ErrNotExist.
func ReadLog(dir string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f, err := checkpoint.Open(filepath.Join(dir, MetricsFile), os.O_RDONLY, 0)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer f.Close()
		lines := bufio.NewReader(f)
		for at := 1; ; at++ {
			line, err := lines.ReadBytes('\n')
			if err != nil && err != io.EOF {
				yield(Entry{}, err)
				return
			}
			if e, ok := parseLine(line); ok {
				e.Line, e.Cut = at, err == io.EOF
				if !yield(e, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
		}
	}
}

// mostLast is more than the bytes of the last lines of a run.
const mostLast = 4 << 10

// LastEvent is that of the last line of a run folder's log, nil where that is none. No more than the end is read.
func LastEvent(dir string) (Event, error) {
	f, err := checkpoint.Open(filepath.Join(dir, MetricsFile), os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-mostLast)
	text, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	text = bytes.TrimSuffix(text, []byte("\n"))
	e, _ := parseLine(text[bytes.LastIndexByte(text, '\n')+1:])
	return e.Event, err
}

// parseLine reads a line that Log wrote, also of an earlier build. An empty one is not ok.
func parseLine(line []byte) (e Entry, ok bool) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return e, false
	}
	var kind struct{ Event, Time string }
	if json.Unmarshal(line, &kind) != nil {
		return e, true
	}
	e.Time = kind.Time
	if read := readers[kind.Event]; read != nil {
		e.Event = read(line)
	}
	return e, true
}

// readers are the events that a log has, by what it calls them.
var readers = map[string]func(line []byte) Event{"start": decode[Started], "step": decode[Step],
	"eval": decode[Evaluation], "warning": decode[Warning], "done": decode[Done]}

func decode[E Event](line []byte) Event {
	var e E
	if json.Unmarshal(line, &e) != nil {
		return nil
	}
	return e
}

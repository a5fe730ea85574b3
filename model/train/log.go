package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

// ReadLog calls each with the events of a run folder's log, in their order. Lines that are no event are left out and
// counted: a killed run's last line may be cut. A folder without a log is fs.ErrNotExist.
func ReadLog(dir string, each func(Event)) (damaged int, err error) {
	f, err := os.Open(filepath.Join(dir, MetricsFile))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if e := parseEvent(line); e != nil {
				each(e)
			} else {
				damaged++
			}
		}
		if err == io.EOF {
			return damaged, nil
		}
		if err != nil {
			return damaged, err
		}
	}
}

// parseEvent reads a line that Log wrote, also of an earlier build; nil where it is none.
func parseEvent(line []byte) Event {
	var kind struct{ Event string }
	if json.Unmarshal(line, &kind) != nil {
		return nil
	}
	switch kind.Event {
	case "start":
		return decode[Started](line)
	case "step":
		return decode[Step](line)
	case "eval":
		return decode[Evaluation](line)
	case "warning":
		return decode[Warning](line)
	case "done":
		return decode[Done](line)
	}
	return nil
}

func decode[E Event](line []byte) Event {
	var e E
	if json.Unmarshal(line, &e) != nil {
		return nil
	}
	return e
}

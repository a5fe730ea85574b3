//go:build !js

package cli

import (
	"fmt"
	"io"
	"os"

	"mhacsp/model/checkpoint"
	"mhacsp/model/study"
	"mhacsp/tasks/strict"
)

// maxText bounds the JSON files that are read whole.
const maxText = 256 << 20

// ReadText reads a JSON file or pipe, without the byte order mark that it may begin with; "-" is standard input.
func ReadText(path string) ([]byte, error) {
	f := os.Stdin
	if path != "-" {
		var err error
		if f, err = checkpoint.Open(path, os.O_RDONLY, 0); err != nil {
			return nil, fmt.Errorf("%w; check the path", err)
		}
		defer f.Close()
	}
	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err != nil {
		return nil, fmt.Errorf("%w; name a file that can be read", err)
	}
	if len(text) > maxText {
		return nil, fmt.Errorf("%s is larger than %d MiB; split it", path, maxText>>20)
	}
	return strict.TrimBOM(text), nil
}

// ReadPlan reads the plan of a study.
func ReadPlan(path string) (study.Plan, error) {
	text, err := ReadText(path)
	if err != nil {
		return study.Plan{}, err
	}
	p, err := study.Parse(text)
	if err != nil {
		return p, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

//go:build !js

// Package input reads and writes what goes into a network (model/train/FORMATS.md): batches, and samples as JSON
// lines.
package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/tasks/show"
)

// MaxTokens bounds prompts and targets: the default of --max-length, and the bound where there is no such flag.
const MaxTokens = 65536

// ReadBatch reads a batch file (FORMATS.md) that a network of this shape can take. An
// error names the file and the place in it.
func ReadBatch(path string, s sequence.Shape, maxLength int) (*sequence.Batch, error) {
	text, err := cli.ReadText(path)
	if err != nil {
		return nil, err
	}
	b, err := parseBatch(text)
	if err == nil {
		err = b.Validate(s, maxLength)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

func parseBatch(text []byte) (*sequence.Batch, error) {
	var fields map[string]json.RawMessage
	if err := train.ReadJSON(text, &fields); err != nil {
		return nil, err
	}
	known := []string{"prompts", "targets", "labels"}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(known, key) {
			return nil, fmt.Errorf("unknown key %q%s; a batch has %s",
				key, cli.Meant(",", key, known), strings.Join(known, ", "))
		}
	}
	b := &sequence.Batch{}
	var err error
	if b.Prompts, err = rows("prompts", fields["prompts"]); err != nil {
		return nil, err
	}
	if b.Targets, err = rows("targets", fields["targets"]); err != nil {
		return nil, err
	}
	if raw, ok := fields["labels"]; ok {
		b.Labels, err = numbers("labels", raw)
	}
	return b, err
}

// rows reads a list of lists of numbers; nothing gives nil.
func rows(field string, raw json.RawMessage) ([][]int32, error) {
	if raw == nil {
		return nil, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || items == nil {
		return nil, fmt.Errorf("%s is %s; a list of lists of token numbers is needed", field, clip(raw))
	}
	list := make([][]int32, len(items))
	for i, item := range items {
		var err error
		if list[i], err = numbers(fmt.Sprintf("%s[%d]", field, i), item); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// numbers reads a list of whole numbers.
func numbers(field string, raw json.RawMessage) ([]int32, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || items == nil {
		return nil, fmt.Errorf("%s is %s; a list of whole numbers is needed", field, clip(raw))
	}
	list := make([]int32, len(items))
	for i, item := range items {
		n, err := strconv.ParseInt(string(item), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s[%d] is %s; a whole number is needed", field, i, clip(item))
		}
		list[i] = int32(n)
	}
	return list, nil
}

// clip shortens JSON for a message, and takes the ends of its lines away.
func clip(raw json.RawMessage) string {
	const most = 40
	var line bytes.Buffer
	if json.Compact(&line, raw) == nil {
		raw = line.Bytes()
	}
	if len(raw) > most {
		return show.Escaped(strings.ToValidUTF8(string(raw[:most]), "") + "…")
	}
	return show.Escaped(string(raw))
}

package zoo

import (
	"fmt"
	"strings"

	"mhacsp/model/sequence"
	"mhacsp/tasks/strict"
)

// Parse reads a configuration (FORMATS.md): a preset's name under "model" and any keys that override it, of the
// preset's family. An unknown key is an error that names it, unless others is set (the keys of a run that stand next
// to the network's).
func Parse(data []byte, others bool) (sequence.Config, error) {
	var head struct {
		Model string `json:"model"`
	}
	if err := strict.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("configuration: %w", strict.Placed(data, err))
	}
	if head.Model == "" {
		return nil, fmt.Errorf(`configuration has no "model"; give one of %s`, strings.Join(Names(), ", "))
	}
	c, err := Preset(head.Model)
	if err != nil {
		return nil, err
	}
	read := strict.UnmarshalKnown
	if others {
		read = strict.Unmarshal
	}
	if err := read(data, c); err != nil {
		return nil, fmt.Errorf("configuration: %w", strict.Placed(data, err))
	}
	return c, c.Validate()
}

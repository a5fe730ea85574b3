// Package zoo is the one list of families of networks. Everything that opens, trains, asks or draws a network finds it
// here by its name, and from then on by what it can do (sequence.Network, sequence.Traits).
//
// To add a family: a package with a sequence.Config and a sequence.Core, and a line in families, in families.go.
package zoo

import (
	"fmt"
	"slices"
	"strings"

	"mhacsp/model/param"
	"mhacsp/model/sequence"
	"mhacsp/tasks/strict"
)

// Default is the preset of a configuration that names none, of a task that writes sequences; Labels that of a task
// that has labels, where there is no answer to hand a memory on to.
const (
	Default = "mha-csp-m"
	Labels  = "mha-csp-s"
)

// Presets lists every named configuration, in alphabetical order.
func Presets() []sequence.Preset {
	list := slices.Concat(families()...)
	slices.SortFunc(list, func(a, b sequence.Preset) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Names are those of Presets.
func Names() []string {
	var names []string
	for _, p := range Presets() {
		names = append(names, p.Name)
	}
	return names
}

// Preset returns a named configuration.
func Preset(name string) (sequence.Config, error) {
	for _, p := range Presets() {
		if p.Name == name {
			return p.New(), nil
		}
	}
	return nil, strict.OneOf("model", name, Names())
}

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

// Describe is the parameter table: name, shape, count, and the total.
func Describe(p *param.Set) string {
	var s strings.Builder
	for _, t := range p.Tensors {
		fmt.Fprintf(&s, "%-28s %-16s %9d\n", t.Name, strings.Trim(fmt.Sprint(t.Shape), "[]"), t.Len)
	}
	fmt.Fprintf(&s, "%-28s %-16s %9d\n", "total", "", p.Count())
	return s.String()
}

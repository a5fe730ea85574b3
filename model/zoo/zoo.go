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

// Describe is the parameter table: name, shape, count, and the total.
func Describe(p *param.Set) string {
	var s strings.Builder
	for _, t := range p.Tensors {
		fmt.Fprintf(&s, "%-28s %-16s %9d\n", t.Name, strings.Trim(fmt.Sprint(t.Shape), "[]"), t.Len)
	}
	fmt.Fprintf(&s, "%-28s %-16s %9d\n", "total", "", p.Count())
	return s.String()
}

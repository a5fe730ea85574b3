// Package album draws the figures of FIGURES.md from what is known of runs: their logs, or a study's records. It gives
// pages of charts in package figure, and says why others were not drawn.
package album

import (
	"fmt"
	"slices"
	"strings"

	"mhacsp/native/figure"
)

// The kinds of figures.
const (
	Curves    = "curves"
	Accuracy  = "accuracy"
	Spectrum  = "spectrum"
	Embedding = "embedding"
	Matrices  = "matrices"
	Sweep     = "sweep" // of sweeps alone
)

// Kinds are those of runs.
func Kinds() []string { return []string{Curves, Accuracy, Spectrum, Embedding, Matrices} }

// Album is the figures that were made, and why others were not.
type Album struct {
	Pages []Drawn
	not   []reason
}

// Drawn is a figure and the name of its files, without the ending.
type Drawn struct {
	Kind, Name string
	Page       figure.Page
}

// reason is why a kind of figure was not drawn of some runs.
type reason struct {
	kind, why string
	of        []string
}

// add keeps a figure under a name that no other has.
func (a *Album) add(kind, name string, p figure.Page) {
	name = kind + "-" + slug(name)
	taken := func(name string) bool {
		return slices.ContainsFunc(a.Pages, func(d Drawn) bool { return d.Name == name })
	}
	free := name
	for i := 2; taken(free); i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	a.Pages = append(a.Pages, Drawn{kind, free, p})
}

// Miss notes why a kind of figure is not drawn of a run, or a task.
func (a *Album) Miss(kind, of, why string) {
	i := slices.IndexFunc(a.not, func(r reason) bool { return r.kind == kind && r.why == why })
	if i < 0 {
		i, a.not = len(a.not), append(a.not, reason{kind: kind, why: why})
	}
	a.not[i].of = append(a.not[i].of, of)
}

// mostNamed is how many runs a sentence names.
const mostNamed = 6

// WhyNot is a sentence for each reason.
func (a *Album) WhyNot(kinds ...string) (list []string) {
	for _, r := range a.not {
		if slices.Contains(kinds, r.kind) {
			of := strings.Join(r.of[:min(mostNamed, len(r.of))], ", ")
			if more := len(r.of) - mostNamed; more > 0 {
				of += fmt.Sprintf(" and %d more", more)
			}
			list = append(list, fmt.Sprintf("%s of %s: %s", r.kind, of, r.why))
		}
	}
	return list
}

// slug is a text as a part of a file's name.
func slug(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}

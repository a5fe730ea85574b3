package circle

import (
	"fmt"
	"strings"
)

// Layer is what is shown next to the dots.
type Layer int

const (
	None Layer = iota
	Distance
	Tree
	Fusion
	Attention
	layers
)

// layerWords are the layers' names, titles and meanings, these in words that need no paper.
var layerWords = [layers]struct{ name, title, meaning string }{
	None:      {name: "none"},
	Distance:  {"distance", "Distance", "How far apart the states after two tokens are"},
	Tree:      {"tree", "Tree", "Cost of the span from a token to the present one"},
	Fusion:    {"fusion", "Fusion", "What each head takes of the others, at this token"},
	Attention: {"attention", "Attention", "What the present token takes of each token before"},
}

func (l Layer) String() string { return layerWords[l].name }

// ParseLayer finds a layer by its name.
func ParseLayer(name string) (Layer, error) {
	var names []string
	for l, x := range layerWords {
		if x.name == name {
			return Layer(l), nil
		}
		names = append(names, x.name)
	}
	return None, fmt.Errorf("layer %q is not known: give one of %s", name, strings.Join(names, ", "))
}

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

func (l Layer) String() string {
	return [...]string{"none", "distance", "tree", "fusion", "attention"}[l]
}

// ParseLayer finds a layer by its name.
func ParseLayer(name string) (Layer, error) {
	var names []string
	for l := None; l < layers; l++ {
		if l.String() == name {
			return l, nil
		}
		names = append(names, l.String())
	}
	return None, fmt.Errorf("layer %q is not known: give one of %s", name, strings.Join(names, ", "))
}

// words is a layer's title and what it means, in words that need no paper.
func (l Layer) words() (title, meaning string) {
	switch l {
	case Distance:
		return "Distance", "How far apart the states after two tokens are"
	case Tree:
		return "Tree", "Cost of the span from a token to the present one"
	case Fusion:
		return "Fusion", "What each head takes of the others, at this token"
	case Attention:
		return "Attention", "What the present token takes of each token before"
	}
	return "", ""
}

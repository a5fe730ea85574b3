package metric

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Breakdown is the samples of a report by one property.
type Breakdown struct {
	Name   string // operands, depth, length, or a field of data of one's own
	Groups []Group
}

// Group is samples that are alike, with what they have in common: 3, of lengths ≤128.
type Group struct {
	Name string
	Tally
}

// Breakdowns are those that the report holds, groups in ascending order.
func (r Report) Breakdowns() []Breakdown {
	var list []Breakdown
	for _, b := range []struct {
		name, sign string
		groups     map[int]Tally
	}{{"operands", "", r.ByOperands}, {"depth", "", r.ByDepth}, {"length", "≤", r.ByLength}} {
		if len(b.groups) == 0 {
			continue
		}
		next := Breakdown{Name: b.name}
		for _, k := range Keys(b.groups) {
			next.Groups = append(next.Groups, Group{fmt.Sprintf("%s%d", b.sign, k), b.groups[k]})
		}
		list = append(list, next)
	}
	for _, field := range slices.Sorted(maps.Keys(r.ByGroup)) {
		next := Breakdown{Name: field}
		for _, value := range sorted(r.ByGroup[field]) {
			next.Groups = append(next.Groups, Group{value, r.ByGroup[field][value]})
		}
		list = append(list, next)
	}
	return list
}

// sorted puts a group's values in order, numbers by their size and before texts.
func sorted(groups map[string]Tally) []string {
	number := func(s string) float64 {
		if x, err := strconv.ParseFloat(s, 64); err == nil {
			return x
		}
		return math.Inf(1)
	}
	return slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(number(a), number(b)), strings.Compare(a, b))
	})
}

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
	Name   string // operands, depth, length, or a field of the user's own data
	Own    bool   // the latter
	Groups []Group
}

// Group is samples that are alike, with what they have in common: 3 operands, 65 to 128 tokens.
type Group struct {
	Name string
	Tally
}

// Breakdowns are those that the report holds, groups in ascending order.
func (r Report) Breakdowns() []Breakdown {
	var list []Breakdown
	for _, b := range []struct {
		name   string
		groups map[int]Tally
		value  func(key int) string
	}{{"operands", r.ByOperands, strconv.Itoa}, {"depth", r.ByDepth, strconv.Itoa}, {"length", r.ByLength, span}} {
		if len(b.groups) == 0 {
			continue
		}
		next := Breakdown{Name: b.name}
		for _, k := range Keys(b.groups) {
			next.Groups = append(next.Groups, Group{b.value(k), b.groups[k]})
		}
		list = append(list, next)
	}
	for _, field := range slices.Sorted(maps.Keys(r.ByGroup)) {
		next := Breakdown{Name: field, Own: true}
		for _, value := range sorted(r.ByGroup[field]) {
			next.Groups = append(next.Groups, Group{value, r.ByGroup[field][value]})
		}
		list = append(list, next)
	}
	return list
}

// span is the lengths of a group by its greatest, a power of 2.
func span(greatest int) string {
	if greatest < 3 {
		return strconv.Itoa(greatest)
	}
	return fmt.Sprintf("%d to %d", greatest/2+1, greatest)
}

// Class is the samples of one label.
type Class struct {
	Name  string
	Count int // samples that have it
	Given int // samples that were given it
	Right int // both
	// As are the samples by the label that they were given, in the order of the classes.
	As []int
}

// Recall is the share of the label's samples that were given it, 0 without samples.
func (c Class) Recall() float64 { return rate(c.Right, c.Count) }

// Precision is the share of the samples given the label that have it, 0 where none was given it.
func (c Class) Precision() float64 { return rate(c.Right, c.Given) }

// Classes are the labels that samples have or were given, in the order of breakdowns.
func (r Report) Classes() []Class {
	all := map[string]Tally{}
	for right, given := range r.ByClass {
		all[right] = Tally{}
		for name := range given {
			all[name] = Tally{}
		}
	}
	names := sorted(all)
	list := make([]Class, len(names))
	for i, name := range names {
		c := Class{Name: name, Right: r.ByClass[name][name]}
		for _, other := range names {
			n := r.ByClass[name][other]
			c.Count, c.Given, c.As = c.Count+n, c.Given+r.ByClass[other][name], append(c.As, n)
		}
		list[i] = c
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

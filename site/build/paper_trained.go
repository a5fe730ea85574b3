//go:build !js

package main

import (
	"fmt"
	"slices"
	"strings"

	"mhacsp/model/study"
	"mhacsp/model/train"
	"mhacsp/native/words"
)

// trained says with which settings the runs of the plan are trained: a column for each group of runs.
type trained struct {
	Groups []string
	Rows   []settingRow
}

// settingRow is a setting and its value in each group.
type settingRow struct {
	Name   string
	Values []string
}

// trainedOf reads the settings off the plan's cells.
func trainedOf(cells []study.Cell) (t trained) {
	type group struct {
		name string
		is   func(study.Cell) bool
	}
	groups := []group{
		{"strings with labels", func(c study.Cell) bool { return c.Run.Config.Shape().Classes > 0 }},
		{"arithmetic", func(c study.Cell) bool { return c.Run.Config.Traits().Reach == 0 && !lasting(c) }},
		{"arithmetic, 50 epochs", lasting},
		{"arithmetic, mha-csp-m", func(study.Cell) bool { return true }},
	}
	settings := []struct {
		name string
		of   func(train.Config) string
	}{
		{"steps", func(c train.Config) string { return words.Number(c.Steps) }},
		{"samples a step", func(c train.Config) string { return fmt.Sprint(c.Batch) }},
		{"optimiser", func(c train.Config) string {
			return fmt.Sprintf("%s, β %g and %g, weight decay %g", c.Optimizer, c.Beta1, c.Beta2, c.WeightDecay)
		}},
		{"learning rate, with warm-up and fall *", func(c train.Config) string {
			return fmt.Sprintf("%g, %s steps of warm-up, %s to %g of it", c.LR, words.Number(c.Warmup), c.Schedule, c.LRFloor)
		}},
		{"norm of the gradient, at most *", func(c train.Config) string { return fmt.Sprint(c.Clip) }},
		{"gradient of a state, at most *", func(c train.Config) string { return orNone(c.StateClip) }},
		{"weight of the answer in the loss *", func(c train.Config) string { return orNone(c.AnswerWeight) }},
		{"short samples first (curriculum) *", func(c train.Config) string {
			return map[bool]string{true: "yes", false: "no"}[c.Curriculum]
		}},
		{"share of long samples *", func(c train.Config) string { return orNone(c.LongShare) }},
	}
	for _, g := range groups {
		t.Groups = append(t.Groups, g.name)
	}
	for _, s := range settings {
		values := make([][]string, len(groups))
		for _, c := range cells {
			g := slices.IndexFunc(groups, func(g group) bool { return g.is(c) })
			if v := s.of(c.Run.Training); !slices.Contains(values[g], v) {
				values[g] = append(values[g], v)
			}
		}
		row := settingRow{Name: s.name}
		for _, v := range values {
			row.Values = append(row.Values, strings.Join(v, " or "))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// lasting reports whether a cell trains for as long as the paper at most.
func lasting(c study.Cell) bool { return study.Short(c.Column) != "" }

func orNone(x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprint(x)
}

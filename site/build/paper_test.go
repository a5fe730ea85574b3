//go:build !js

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mhacsp/model/study"
	"mhacsp/model/study/inside"
	"mhacsp/tasks/assert"
)

// house makes the root of the repository the folder of a test.
func house(t *testing.T) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
}

// TestPaper: the page is made of the records that are kept: every table, figures with words, links that lead somewhere;
// and it is small.
func TestPaper(t *testing.T) {
	house(t)
	a := assert.Must(study.ReadArchive(paperRecords))(t)
	finished := 0
	for _, c := range a.Cells {
		assert.True(t, c.State != study.Damaged, "%s: %s", c.Name, c.Reason)
		if c.State == study.Finished {
			finished++
		}
	}
	source := assert.Must(os.ReadFile("site/" + paperPage))(t)
	files := map[string][]byte{paperPage: source}
	assert.NoError(t, addPaper(files))
	page, all := string(files[paperPage]), 0
	again := map[string][]byte{paperPage: source}
	assert.NoError(t, addPaper(again))
	assert.True(t, string(again[paperPage]) == page, "a second build makes another page")
	for name, data := range files {
		all += len(data)
		assert.True(t, name == paperPage || strings.Contains(page, `<img src="`+name+`"`), "%s is not shown", name)
	}
	assert.True(t, finished != 0 && len(files) >= 5 && all <= 1_900_000,
		"%d cells, %d files, %d bytes", finished, len(files), all)
	says := func(want string) { assert.True(t, strings.Contains(page, want), "the page does not say %q", want) }
	for _, c := range study.Claims() {
		says(c.Where)
	}
	theirs, ours := strings.Count(page, `<circle class="theirs"`), strings.Count(page, `<circle class="ours"`)
	assert.True(t, theirs == 25 && ours == theirs,
		"%d dots of the paper and %d of ours; it has 24 scores, and the plot a key", theirs, ours)
	for _, want := range []string{
		"<b>The main claim failed:</b> of nested sums", "What holds: at parity", "Table 1: exact match",
		"Arithmetic by operands: right answers", "Arithmetic by depth of brackets: right answers",
		"paper&nbsp;100.0", `mhacsp tables <span class="flag">--only</span> table1`, "n&nbsp;1",
	} {
		says(want)
	}
	// A record's test is of the run's last step: no figure has to say of which.
	for _, never := range []string{"{{", "NaN", "&lt;no value", "ZgotmplZ", "%!", "at step "} {
		assert.True(t, !strings.Contains(page, never), "the page says %q", never)
	}
	for _, m := range regexp.MustCompile(`<img [^>]*>`).FindAllString(page, -1) {
		assert.True(t, regexp.MustCompile(`alt="[^"]{20,}`).MatchString(m), "without words: %s", m)
	}
	_, formulas, err := renderSpec(assert.Must(readSpec())(t))
	assert.NoError(t, err)
	links := regexp.MustCompile(`href="formulas\.html#([^"]+)"`).FindAllStringSubmatch(page, -1)
	for _, m := range links {
		assert.True(t, strings.Contains(formulas, `id="`+m[1]+`"`), "the page of formulas has no anchor %s", m[1])
	}
	assert.True(t, len(links) >= 15, "%d links to the formulas", len(links))
}

// matrices are of a text of nineteen tokens, as a record has them.
func matrices(heads int) *inside.Matrices {
	const tokens = 19
	lower := func(row int) int { return row + 1 }
	values := make([][][]float32, heads)
	for k := range values {
		for i := range tokens {
			values[k] = append(values[k], make([]float32, tokens))
			for j := range tokens {
				values[k][i][j] = float32(k+i*j) / 100
			}
		}
	}
	m := inside.MatrixOf(values, lower)
	return &inside.Matrices{
		Text: "4 - (3 + 5) mod 9 =", Tokens: strings.Split(strings.Repeat("1", tokens), ""), Answer: "5", Expected: "5",
		Distance: m, Tree: m, Attention: m, Fusion: inside.MatrixOf(values, func(int) int { return heads }),
	}
}

// TestPaperWhole: with every run of the plan the page still has room: no table is empty, each claim has a verdict, and
// its files stay small. The runs are made up, each of what a recorded one of its kind says.
func TestPaperWhole(t *testing.T) {
	house(t)
	a := assert.Must(study.ReadArchive(paperRecords))(t)
	labels := func(c study.Cell) bool { return c.Run.Config.Shape().Classes > 0 }
	for i, c := range a.Cells {
		for _, x := range a.Cells[:len(a.Cells)-1] {
			if c.Whole() || !x.Whole() || labels(x) != labels(c) {
				continue
			}
			spec, run := c.Spec, c.Run
			if c = x; run.Config.Traits().Heads > 0 {
				c.Heads = &study.HeadsRecord{Blocks: []study.Heads{{Count: 4, Cosine: 1, Effective: 1}}}
			}
			if c.Inside = x.Inside; run.Config.Traits().Heads > 0 && !labels(x) {
				c.Inside.Matrices = matrices(run.Config.Traits().Heads)
			}
			c.Spec, c.Run, c.Of, c.Asked, c.Steps = spec, run, run.Training.Steps, run.Training.Steps, run.Training.Steps
			a.Cells[i] = c
		}
	}
	p := assert.Must(paperOf(a))(t)
	assert.Need(t, p.Counts.Whole == len(a.Cells), "%+v", p.Counts)
	source := assert.Must(os.ReadFile("site/" + paperPage))(t)
	page := assert.Must(p.render(source))(t)
	for _, v := range p.Verdicts {
		untold := strings.Contains(v.Reason, "learned") || strings.Contains(v.Reason, "more runs are needed")
		assert.True(t, v.Word != study.NotYet || untold, "%s: %s, %s", v.Name, v.Word, v.Reason)
	}
	all := len(page)
	for _, f := range p.Figures {
		all += len(f.svg)
	}
	assert.True(t, !strings.Contains(string(page), "No run of"), "a table or figure has no run")
	assert.True(t, all <= 1_900_000, "%d bytes", all)
}

//go:build !js

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mhacsp/model/study"
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
	a, err := study.ReadArchive(paperRecords)
	if err != nil {
		t.Fatal(err)
	}
	finished := 0
	for _, c := range a.Cells {
		if c.State == study.Damaged {
			t.Errorf("%s: %s", c.Name, c.Reason)
		}
		if c.State == study.Finished {
			finished++
		}
	}
	source, err := os.ReadFile("site/" + paperPage)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{paperPage: source}
	if err := addPaper(files); err != nil {
		t.Fatal(err)
	}
	page, all := string(files[paperPage]), 0
	for name, data := range files {
		all += len(data)
		if name != paperPage && !strings.Contains(page, `<img src="`+name+`"`) {
			t.Errorf("%s is not shown", name)
		}
	}
	t.Logf("%d finished cells, %d files, %d bytes, the page %d", finished, len(files), all, len(page))
	if finished == 0 || len(files) < 5 || all > 1_500_000 {
		t.Errorf("%d cells, %d files, %d bytes", finished, len(files), all)
	}
	for _, c := range study.Claims() {
		if !strings.Contains(page, c.Where) {
			t.Errorf("the page does not say %q", c.Where)
		}
	}
	for _, want := range []string{"Table 1: exact match", "paper\n100.0", "mhacsp tables --only table1", "n 1"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, never := range []string{"{{", "NaN", "&lt;no value", "ZgotmplZ"} {
		if strings.Contains(page, never) {
			t.Errorf("the page says %q", never)
		}
	}
	for _, m := range regexp.MustCompile(`<img [^>]*>`).FindAllString(page, -1) {
		if !regexp.MustCompile(`alt="[^"]{20,}`).MatchString(m) {
			t.Errorf("without words: %s", m)
		}
	}
	spec, err := os.ReadFile(specSource)
	if err != nil {
		t.Fatal(err)
	}
	_, formulas, err := renderSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`href="formulas\.html#([^"]+)"`).FindAllStringSubmatch(page, -1)
	for _, m := range links {
		if !strings.Contains(formulas, `id="`+m[1]+`"`) {
			t.Errorf("model/SPEC.md has no section with the anchor %s", m[1])
		}
	}
	if len(links) < 15 {
		t.Errorf("%d links to the formulas", len(links))
	}
}

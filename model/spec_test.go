package model_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/tasks/assert"
)

var (
	// sectionsCited is what follows "SPEC" or "SPEC.md" where sections are cited: §2, §§3–6, 10 and 12, §4, §10.
	sectionsCited = regexp.MustCompile(`SPEC(?:\.md)?\s+(§§?)\s*(\d+(?:\s*(?:,|–|-|and|or)\s*§?\d+)*)`)
	sectionRange  = regexp.MustCompile(`(–|-|,|and|or)?\s*(§?)(\d+)`)
	pageCited     = regexp.MustCompile(`\b[A-Z]{3,}\.md\b`)
	sectionTitle  = regexp.MustCompile(`(?m)^## (\d+) \S`)
	// marginBreak is the break of a line within a comment or a text: it may stand within a citation.
	marginBreak = regexp.MustCompile(`\n[ \t]*(?://|#|\*|--)?[ \t]*`)
)

// cited lists the sections that a text cites. A number without a § of its own counts after §§ only: in "§2, 14
// units" it is something else.
func cited(text string) []int {
	var list []int
	for _, m := range sectionsCited.FindAllStringSubmatch(marginBreak.ReplaceAllString(text, " "), -1) {
		for i, part := range sectionRange.FindAllStringSubmatch(m[2], -1) {
			if i > 0 && m[1] == "§" && part[2] == "" {
				break
			}
			n, err := strconv.Atoi(part[3])
			if err != nil {
				n = -1 // too many digits: no section
			}
			if i > 0 && (part[1] == "–" || part[1] == "-") {
				for from := list[len(list)-1] + 1; from < n; from++ {
					list = append(list, from)
				}
			}
			list = append(list, n)
		}
	}
	return list
}

// TestCited tests the test: every form in which sections are cited.
func TestCited(t *testing.T) {
	const spec = "SPEC"
	for text, want := range map[string][]int{
		spec + " §2).":                         {2},
		spec + " §§3–6)":                       {3, 4, 5, 6},
		spec + " §§3-5), for":                  {3, 4, 5},
		spec + " §§1–7, 10 and 12.":            {1, 2, 3, 4, 5, 6, 7, 10, 12},
		spec + " §4, §10).":                    {4, 10},
		spec + " §3–§6; row":                   {3, 4, 5, 6},
		spec + " §§2, 6":                       {2, 6},
		spec + " §2, 14 units":                 {2},
		"model/" + spec + ".md §9; default":    {9},
		"(" + spec + "\n// §8, start values)":  {8},
		"(" + spec + " §§2,\n\t// 5–7 x":       {2, 5, 6, 7},
		spec + " §12's dump, " + spec + " §99": {12, 99},
		"the page " + spec + ".md":             nil,
		"§7 alone":                             nil,
	} {
		got := cited(text)
		assert.True(t, slices.Equal(got, want), "%q cites %v, got %v", text, want, got)
	}
}

// TestCitations: what the repository cites stands in it. Every "SPEC §n" of every source is a section of SPEC.md, and
// every document that is cited by a name in capitals is a file of the repository.
func TestCitations(t *testing.T) {
	page := assert.Must(os.ReadFile("SPEC.md"))(t)
	var sections []int
	for _, m := range sectionTitle.FindAllStringSubmatch(string(page), -1) {
		n, _ := strconv.Atoi(m[1])
		sections = append(sections, n)
	}
	assert.Is(t, sections, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13}, "a number keeps its meaning: the sections are")
	root, seen := os.DirFS(".."), 0
	pages := map[string]bool{"SWEEP.md": true} // mhacsp sweep writes that one
	citing := map[string]string{}              // by the cited page's name
	read := func(path string) {
		text := assert.Must(fs.ReadFile(root, path))(t)
		for _, n := range cited(string(text)) {
			seen++
			assert.True(t, slices.Contains(sections, n),
				"%s cites SPEC §%d; model/SPEC.md has no such section", path, n)
		}
		for _, name := range pageCited.FindAllString(string(text), -1) {
			citing[name] = path
		}
	}
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"node_modules", "dist", "runs", "bin"}, name) ||
			strings.HasPrefix(name, ".") && name != "." && name != ".github" && name != ".ci"):
			return fs.SkipDir
		case d.Type().IsRegular() && slices.Contains(cites, filepath.Ext(name)):
			read(path)
			pages[name] = true
		}
		return nil
	})
	assert.NoError(t, err)
	for name, path := range citing {
		assert.True(t, pages[name], "%s cites %s, which is not in the repository", path, name)
	}
	assert.True(t, seen >= 100, "only %d citations were found: %s", seen, fmt.Sprint(cites))
}

// cites are the kinds of files that cite sections; "" are the Makefile and scripts.
var cites = []string{".go", ".wgsl", ".js", ".mjs", ".md", ".html", ".css", ".py", ".sh", ".yml", ".s", ""}

// TestInterchange: the documents name every key of a configuration and of an event, and every parameter's tensor.
func TestInterchange(t *testing.T) {
	var text string
	for _, name := range []string{"train/FORMATS.md", "../.github/your-own-data.md"} {
		text += string(assert.Must(os.ReadFile(name))(t))
	}
	named := func(name string) bool { return strings.Contains(text, "`"+name+"`") }
	seen := 0
	var keys func(reflect.Type)
	keys = func(x reflect.Type) {
		for f := range x.Fields() {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key != "" && key != "-" {
				seen++
				assert.True(t, named(key), "FORMATS.md does not name the key %q of %v", key, x)
			}
			if f.Type.Kind() == reflect.Struct {
				keys(f.Type)
			}
		}
	}
	for _, p := range zoo.Presets() {
		keys(reflect.TypeOf(p.New()).Elem())
	}
	for _, x := range []any{
		train.Config{},
		train.Started{}, train.Step{}, train.Evaluation{}, train.Warning{}, train.Done{},
	} {
		keys(reflect.TypeOf(x))
	}
	assert.True(t, seen >= 60, "only %d keys were found", seen)
	for _, p := range zoo.Presets() {
		for _, x := range assert.Must(p.New().Parameters())(t).Tensors {
			name := regexp.MustCompile(`^(blocks|layers)\.\d+`).ReplaceAllString(x.Name, "$1.l")
			assert.True(t, named(name) || named(strings.TrimPrefix(name, "blocks.l")),
				"FORMATS.md does not name the tensor %s of %s", name, p.Name)
		}
	}
}

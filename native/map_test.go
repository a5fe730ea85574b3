//go:build !js

package native

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

// The page with the map, and the comments between which it stands.
const (
	mapPage  = "../.github/map.md"
	mapBegin = "<!-- map: made by MHACSP_UPDATE=1 go test -run TestMap ./native -->\n"
	mapEnd   = "<!-- end of the map -->\n"
)

// TestMap: the diagram of map.md is the one that the packages' imports give. With MHACSP_UPDATE=1 it is renewed.
func TestMap(t *testing.T) {
	imports, programs := graph(t)
	window, session := imports["native/cmd/view"]["native/window"], imports["wasm/trainer"]["wasm/session"]
	assert.Need(t, len(imports) >= 20 && programs["native/mhacsp"] && window && session,
		"the packages are %v, the programs %v: too few to believe the rest", imports, programs)
	want := mermaid(imports, programs)
	before, rest, begun := strings.Cut(string(assert.Must(os.ReadFile(mapPage))(t)), mapBegin)
	got, after, ended := strings.Cut(rest, mapEnd)
	switch {
	case !begun || !ended:
		t.Fatalf("%s has no place for the map: two lines, %sand %s", mapPage, mapBegin, mapEnd)
	case got == want:
	case os.Getenv("MHACSP_UPDATE") == "1":
		assert.NoError(t, os.WriteFile(mapPage, []byte(before+mapBegin+want+mapEnd+after), 0o644))
		t.Logf("the map in %s is renewed", mapPage)
	default:
		t.Errorf("the map in %s is not that of the imports; MHACSP_UPDATE=1 go test -run TestMap ./native "+
			"renews it to\n%s", mapPage, want)
	}
}

// graph is what each of our packages imports of ours, tests left out: the native program's, with its window and GPUs,
// and the browser's together, the same on every machine. programs are the packages that are built and run.
func graph(t *testing.T) (imports map[string]map[string]bool, programs map[string]bool) {
	t.Helper()
	imports, programs = map[string]map[string]bool{}, map[string]bool{}
	for _, env := range [][]string{
		{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1", "GOFLAGS=-tags=desktop"}, {"GOOS=js", "GOARCH=wasm"},
	} {
		for _, p := range list(t, env...) {
			path, ours := strings.CutPrefix(p.ImportPath, module)
			if !ours || ignored(p.Dir) {
				continue
			}
			if imports[path] == nil {
				imports[path] = map[string]bool{}
			}
			programs[path] = programs[path] || p.Name == "main"
			for _, i := range p.Imports {
				if to, ours := strings.CutPrefix(i, module); ours {
					imports[path][to] = true
				}
			}
		}
	}
	return imports, programs
}

// spacing draws the boxes close together, so that their text stays large on a page.
const spacing = `%%{init: {"flowchart": {"nodeSpacing": 10, "rankSpacing": 30, "padding": 6}}}%%` + "\n"

// mermaid draws a graph without the arrows that others imply. Programs are round; what nobody imports and is no
// program is for tests, and has six corners.
func mermaid(imports map[string]map[string]bool, programs map[string]bool) string {
	imported := map[string]bool{}
	for _, all := range imports {
		maps.Copy(imported, all)
	}
	var s strings.Builder
	s.WriteString("```mermaid\n" + spacing + "flowchart TB\n")
	paths := slices.Sorted(maps.Keys(imports))
	for _, path := range paths {
		switch {
		case programs[path]:
			fmt.Fprintf(&s, "  %s([%[1]s])\n", path)
		case !imported[path]:
			fmt.Fprintf(&s, "  %s{{%[1]s}}\n", path)
		}
	}
	for _, path := range paths {
		var direct []string
		for to := range imports[path] {
			if !implied(imports, path, to) {
				direct = append(direct, to)
			}
		}
		if slices.Sort(direct); len(direct) > 0 {
			fmt.Fprintf(&s, "  %s --> %s\n", path, strings.Join(direct, " & "))
		}
	}
	s.WriteString("```\n")
	return s.String()
}

// implied reports whether arrows lead from one package to another by way of a third. Imports have no circles.
func implied(imports map[string]map[string]bool, from, to string) bool {
	for via := range imports[from] {
		if imports[via][to] || implied(imports, via, to) {
			return true
		}
	}
	return false
}

// TestMermaid tests the drawing: an implied arrow is left out, the others stay.
func TestMermaid(t *testing.T) {
	got := mermaid(map[string]map[string]bool{
		"a": {"b": true, "c": true, "d/e": true}, "b": {"c": true}, "c": {"d/e": true}, "d/e": nil,
		"x": {"b": true, "d/e": true},
	}, map[string]bool{"a": true})
	want := "```mermaid\n" + spacing + "flowchart TB\n  a([a])\n  x{{x}}\n" +
		"  a --> b\n  b --> c\n  c --> d/e\n  x --> b\n```\n"
	assert.Is(t, got, want, "the drawing is")
}

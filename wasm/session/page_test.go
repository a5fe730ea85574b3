package session

import (
	"os"
	"regexp"
	"testing"

	"mhacsp/model/zoo"
)

// TestPageKnows: the page offers every preset of zoo and every key of its family. The page's list is written by hand,
// for it says each thing in words of its own and must stand before a trainer is loaded.
func TestPageKnows(t *testing.T) {
	const path = "../../site/scripts/settings.js"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	models := regexp.MustCompile(`choice\("model", "[^"]*", \{([^}]*)\}`).FindSubmatch(text)
	if models == nil {
		t.Fatalf("%s has no choice of models", path)
	}
	offered := map[string]bool{}
	for _, m := range regexp.MustCompile(`"?([\w-]+)"?: "`).FindAllSubmatch(models[1], -1) {
		offered[string(m[1])] = true
	}
	for _, p := range zoo.Presets() {
		if !offered[p.Name] {
			t.Errorf("%s does not offer the model %s: add it to the choices of \"model\"", path, p.Name)
		}
		delete(offered, p.Name)
		for _, k := range p.New().Keys() {
			if !regexp.MustCompile(`(field|choice)\("` + k.Name + `"`).Match(text) {
				t.Errorf("%s has no setting %q, a key of %s: add one", path, k.Name, p.Name)
			}
		}
	}
	for name := range offered {
		t.Errorf("%s offers the model %q, which zoo does not have", path, name)
	}
}

//go:build !js

package native

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

const module = "mhacsp/"

// arrows says what each package may import in addition to the standard library: packages of ours, exactly, and modules
// by their prefix. The longest matching row counts, and holds for the packages beneath it. A package that no row
// covers needs one.
var arrows = []struct {
	packages string
	may      string
}{
	{"tasks/assert", ""}, // for tests
	{"shaders", ""},
	{"tasks", "tasks/show tasks/strict tasks/token"},
	{"tasks/token", ""},
	{"tasks/own", "tasks tasks/show tasks/strict"},
	{"tasks/show", ""},
	{"tasks/strict", "tasks/show"},
	{"model/backend", ""},
	{"model/backend/tune", ""},
	{"model/backend/reference", "model/backend"},
	{"model/backend/cpu", "model/backend model/backend/reference model/backend/cpu/vec gonum.org/v1/gonum"},
	{"model/backend/cpu/vec", "golang.org/x/sys/cpu"}, // which instructions the processor has
	{"model/backend/backendtest", "model/backend model/backend/reference"},
	{"model/backend/webgpu", "model/backend model/backend/tune shaders github.com/cogentcore/webgpu"},
	{"model/param", "model/backend"},
	{"model/layer", "model/backend model/param"},
	{"model/sequence", "model/backend model/param model/layer tasks/token"},
	{"model", "model/backend model/param model/layer model/sequence tasks/strict tasks/token"},
	{"model/baseline", "model/backend model/param model/layer model/sequence tasks/strict tasks/token"},
	{"model/sequence/sequencetest", "tasks/assert model/backend/cpu model/backend/reference model/sequence tasks/strict tasks/token"},
	{"model/firststep", "model/backend model/backend/reference model/optim model/sequence"},
	{"model/zoo", "model model/baseline model/param model/sequence tasks/strict"},
	{"model/optim", "model/backend model/param tasks/strict"},
	{"model/checkpoint", ""},
	{"model/metric", ""},
	{"model/internal/oracle", ""},
	// Whoever trains, asks or draws a network knows none by name: it finds them in zoo.
	{"model/train", "model/backend model/param model/optim model/metric model/checkpoint model/sequence model/zoo tasks tasks/strict " +
		"golang.org/x/sys"}, // the lock of a run's folder
	{"model/study", "model/checkpoint model/train model/zoo model/metric model/study/curve model/study/inside tasks tasks/own tasks/show"}, // no model
	{"model/study/curve", ""},
	{"model/study/inside", ""},
	{"model/study/sweep", "gonum.org/v1/gonum/stat"},
	{"model/study/space", "model/param model/sequence model/study/inside tasks tasks/token gonum.org/v1/gonum"},
	{"model/ask", "model/sequence tasks"},
	{"model/trace", "model/ask model/sequence tasks"},
	{"model/probe", "model/internal/oracle model/param model/sequence tasks tasks/strict"},
	{"site", "github.com/hajimehoshi/ebiten golang.org/x/image"},
	{"site/displaytest", "github.com/hajimehoshi/ebiten"},
	{"site/build", "model/backend model/checkpoint model/metric model/study model/train native/album native/words golang.org/x/sync github.com/andybalholm/brotli github.com/yuin/goldmark"},
	{"native", "native/cli native/cmd/ask native/cmd/bench native/cmd/check native/cmd/data native/cmd/devices " +
		"native/cmd/eval native/cmd/figures native/cmd/network native/cmd/probe native/cmd/report native/cmd/serve " +
		"native/cmd/tables native/cmd/train native/cmd/view github.com/spf13/cobra"},
	{"native/cli", "model/backend model/backend/cpu model/checkpoint model/sequence model/study model/train native/words " +
		"tasks tasks/own tasks/show tasks/strict github.com/spf13 golang.org"},
	{"native/hardware", "model/backend model/backend/cpu model/backend/reference model/backend/tune model/backend/webgpu model/checkpoint " +
		"model/train native/cli native/words tasks/strict github.com/spf13/cobra"},
	{"native/runs", "model/backend model/checkpoint model/optim model/sequence model/train model/zoo native/cli " +
		"native/hardware native/words tasks tasks/own tasks/show tasks/strict github.com/spf13/cobra"},
	{"native/input", "model/sequence model/train native/cli native/runs native/words tasks tasks/own tasks/show tasks/strict"},
	// What every command may import. One that needs another has a row.
	{"native/cmd", command},
	{"native/cmd/check", "native/cmd/bench " + command},
	{"native/cmd/report", "native/cmd/bench native/cmd/check " + command},
	{"native/cmd/figures", "native/cmd/eval " + command}, // reads what eval prints
	{"native/cmd/tables", "native/cmd/bench native/cmd/figures " + command},
	{"native/cmd/view", "native/cmd/train native/window site/circle github.com/hajimehoshi/ebiten " + command},
	{"native/mhacsp", "native"},
	{"native/nativetest", "model/checkpoint model/study tasks/assert"},
	{"native/album", "model/metric model/study model/study/curve model/study/inside model/study/sweep model/train native/figure native/words"},
	{"native/words", ""},
	{"native/figure", "native/words gonum.org/v1/plot golang.org/x/image/font"}, // receives plain values, knows no model
	{"native/window", "native/words site/circle github.com/hajimehoshi/ebiten"}, // receives plain values, knows no model
	{"wasm/pool", "model/backend model/param model/sequence"},
	{"wasm/trainer", "model/backend model/backend/cpu model/backend/cpu/vec model/backend/tune model/backend/webgpu model/sequence model/zoo " +
		"wasm/pool wasm/session wasm/protocol tasks/strict"},
	{"wasm/session", "wasm/pool model/backend model/backend/tune model/metric model/checkpoint model/optim " +
		"model/sequence model/zoo model/train model/ask model/trace wasm/protocol tasks tasks/own tasks/strict"},
	{"wasm/circle", "site/circle wasm/protocol github.com/hajimehoshi/ebiten"},
	{"wasm/clocks", "wasm/hands"},
	{"wasm/hands", "model/backend/cpu model/checkpoint model/probe model/train model/ask model/trace tasks"},
	{"wasm/protocol", "model/ask model/trace model/train tasks tasks/strict"},
}

// command is what the packages of commands may import.
const command = "model/backend model/backend/backendtest model/backend/cpu model/backend/reference " +
	"model/backend/tune model/firststep " +
	"model/param model/metric model/checkpoint model/sequence model/zoo model/train model/ask model/trace " +
	"model/probe model/study model/study/inside model/study/space model/study/sweep native/album native/cli " +
	"native/hardware native/input native/runs native/words tasks tasks/own tasks/show tasks/strict " +
	"github.com/spf13/cobra github.com/vbauerster golang.org/x/sync"

// rowOf finds the row of a package path without the module's name.
func rowOf(path string) (may string, ok bool) {
	best := -1
	for _, r := range arrows {
		if (path == r.packages || strings.HasPrefix(path, r.packages+"/")) && len(r.packages) > best {
			best, may, ok = len(r.packages), r.may, true
		}
	}
	return may, ok
}

// permitted reports whether a package with such a row may import a path.
func permitted(may, path string) bool {
	for _, x := range strings.Fields(may) {
		if path == module+x || strings.Contains(x, ".") && (path == x || strings.HasPrefix(path, x+"/")) {
			return true
		}
	}
	return false
}

type listed struct {
	ImportPath, Name, Dir string
	Standard              bool
	Imports               []string
}

// list is go list over the module and all it depends on, tests left out.
func list(t *testing.T, env ...string) []listed {
	t.Helper()
	c := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Name,Dir,Standard,Imports", "./...")
	c.Dir = ".."
	c.Env = append(os.Environ(), env...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	assert.Need(t, err == nil, "go list: %v", err)
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		assert.NoError(t, d.Decode(&p))
		all = append(all, p)
	}
	return all
}

// ignored reports whether git leaves a folder out: what is not part of the project needs no row.
func ignored(dir string) bool {
	return exec.Command("git", "-C", dir, "check-ignore", "-q", dir).Run() == nil
}

// TestArrows keeps the one-way arrows between packages (.github/map.md), as built for this machine, with the window
// and without, and for the browser.
func TestArrows(t *testing.T) {
	for name, env := range map[string][]string{
		"native": nil, "desktop": {"CGO_ENABLED=1", "GOFLAGS=-tags=desktop"}, "browser": {"GOOS=js", "GOARCH=wasm"},
	} {
		t.Run(name, func(t *testing.T) {
			all := list(t, env...)
			standard := map[string]bool{"C": true, "unsafe": true}
			for _, p := range all {
				standard[p.ImportPath] = standard[p.ImportPath] || p.Standard
			}
			seen := 0
			for _, p := range all {
				path, ours := strings.CutPrefix(p.ImportPath, module)
				if !ours {
					continue
				}
				seen++
				may, ok := rowOf(path)
				if !ok && ignored(p.Dir) {
					continue
				}
				assert.True(t, ok, "%s is not in the table of arrows: add a row", path)
				for _, i := range p.Imports {
					assert.True(t, standard[i] || permitted(may, i),
						"%s imports %s; it may import the standard library and: %s", path, i, may)
				}
			}
			assert.True(t, seen >= 10, "only %d packages of ours were found", seen)
		})
	}
}

// TestArrowTable tests the test.
func TestArrowTable(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"model", "mhacsp/model/layer", true}, {"model", "mhacsp/native", false},
		{"model/layer", "mhacsp/model", false}, {"model/backend/cpu", "gonum.org/v1/gonum/blas", true},
		{"model/backend/cpu", "gonum.org/v1/gonumx", false}, {"model/backend/cpu/vec", "mhacsp/model/backend", false},
		{"model/train", "mhacsp/model/layer", false}, {"model/train", "mhacsp/model", false},
		{"native", "mhacsp/model", false}, {"wasm/session", "mhacsp/model", false},
		{"site/circle", "mhacsp/model", false}, {"native/window", "mhacsp/model", false},
		{"native", "github.com/spf13/cobra", true}, {"native/cmd/ask", "mhacsp/native/cmd/eval", false},
		{"native/cmd/figures", "mhacsp/native/cmd/eval", true}, {"models", "mhacsp/model/layer", false},
	} {
		may, ok := rowOf(c.from)
		got := ok && permitted(may, c.to)
		assert.True(t, got == c.want, "%s → %s: %t, want %t", c.from, c.to, got, c.want)
	}
}

// TestHouse keeps the top level of the checkout as "The map" in .github/CONTRIBUTING.md has it.
func TestHouse(t *testing.T) {
	c := exec.Command("git", "ls-tree", "--name-only", "HEAD")
	c.Dir = ".."
	out, err := c.Output()
	if err != nil {
		t.Skip("not a git checkout")
	}
	known := " wasm shaders model tasks native site go.mod go.sum Makefile README.md BENCHMARKS.md LICENSE "
	for _, name := range strings.Fields(string(out)) {
		assert.True(t, strings.HasPrefix(name, ".") || strings.Contains(known, " "+name+" "),
			"%s stands on the top level; it belongs in one of the folders there", name)
	}
}

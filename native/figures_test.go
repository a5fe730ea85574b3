//go:build !js

package native

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// svgTexts are the texts of an SVG, which must parse, and how often its paths have a style.
func (p place) svgTexts(name, style string) (texts string, paths int) {
	p.Helper()
	for d := xml.NewDecoder(strings.NewReader(string(p.Read(name)))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts, paths
		}
		assert.Need(p, err == nil, "%s: %v", name, err)
		switch x := token.(type) {
		case xml.CharData:
			if text := strings.TrimSpace(string(x)); text != "" {
				texts += strings.ReplaceAll(text, "\u00a0", " ") + "\n"
			}
		case xml.StartElement:
			for _, a := range x.Attr {
				if x.Name.Local == "path" && a.Name.Local == "style" && strings.Contains(a.Value, style) {
					paths++
				}
			}
		}
	}
}

// TestFigures draws every kind of figure of tiny runs.
func TestFigures(t *testing.T) {
	p := parallelPlace(t)
	for _, seed := range []string{"1", "2"} {
		p.OK(nativetest.SmallRun("--task", "mod3", "--max-length", "9", "--seed", seed, "--out", "s"+seed)...)
	}
	p.OK(words("train --task mod3 --max-length 9 --model csp --width 8 --steps 4 --batch 4 --eval-every 2 " +
		"--eval-samples 8 --test-samples 16 --out csp")...)
	p.Write("csp/metrics.jsonl", string(p.Read("csp/metrics.jsonl"))+"{\n")
	runs := words("figures --run s1 --run s2 --run csp --out f --backend cpu")
	out := p.OK(runs...)
	want := words("accuracy-mod3 curves-mod3 embedding-csp embedding-s1 embedding-s2 matrices-s1 matrices-s2 " +
		"spectrum-mod3")
	var got []string
	entries := assert.Must(os.ReadDir(p.Path("f")))(t)
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".svg"); ok {
			got = append(got, name)
		}
		assert.True(t, strings.Contains(out, "f/"+e.Name()+"\n"), "%s is not named in\n%s", e.Name(), out)
	}
	assert.Need(t, slices.Equal(got, want) && len(entries) == 2*len(want),
		"%d files, of which SVG %q, want %q", len(entries), got, want)
	assert.Says(t, out, "not drawn: matrices of csp: csp has no heads with matrices",
		"not drawn: curves of 1 damaged line in the log of csp: not readable")
	seeds := "mha-csp-s: 4 steps, seeds 1, 2; s1, s2."
	for _, c := range []struct {
		name, style string
		paths       int // at least
		texts       []string
	}{
		{"curves-mod3", "stroke:#D55E00", 3, []string{"Training curves: mod3", "mha-csp-s (2 seeds)", "csp", seeds,
			"training steps", "cross-entropy (nats)", "right labels (%)", "a constant guess", "Trained by mhacsp"}},
		{"accuracy-mod3", "stroke-width:1.2", 2 * 3 * 3, []string{"Accuracy: mod3", "By length", "length in tokens",
			"n", "Wilson", seeds}},
		{"spectrum-mod3", "stroke:#0072B2", 3, []string{"paper: 8 components, 90 %", "principal components",
			"share of the variance (%)", seeds}},
		{"embedding-s1", "fill:#0072B2", 40, []string{"Embeddings by t-SNE", "Embeddings by PCA", "Learned angle θ",
			"10 points are few", "chance", "mha-csp-s: 4 steps, seed 1; s1."}},
		{"matrices-s2", "fill:#", 2*3*21 + 2*12*2, []string{"Distance, head 1", "Tree, head 2", "Fusion, head 1",
			"Attention, head 2", "S is the start", "is right", "seed 2; s2."}},
	} {
		texts, paths := p.svgTexts("f/"+c.name+".svg", c.style)
		assert.Says(t, texts, c.texts...)
		assert.True(t, paths >= c.paths, "%s has %d paths with %s, want %d", c.name, paths, c.style, c.paths)
	}

	// The same again is no other figure; another figure under the name is refused, and nothing is written.
	p.OK(append(runs, "--only", "curves,embedding")...)
	before := string(p.Read("f/curves-mod3.svg"))
	p.Write("f/spectrum-mod3.png", "a letter")
	other := words("figures --run s1 --out f --backend cpu --only curves,spectrum")
	p.refused("holds another figure; choose", other...)
	assert.Is(t, string(p.Read("f/curves-mod3.svg")), before, "what stood there is")
	assert.Is(t, string(p.Read("f/spectrum-mod3.png")), "a letter", "what stood there is")
	p.OK(append(other, "--overwrite")...)
	assert.True(t, string(p.Read("f/curves-mod3.svg")) != before, "--overwrite replaced nothing")
}

// TestFiguresOfRecords: what eval --json prints is drawn; the same evaluation twice is refused. A checkpoint file has
// no curves; a given text is that of the matrices.
func TestFiguresOfRecords(t *testing.T) {
	p := parallelPlace(t)
	p.OK(nativetest.SmallRun("--format", "direct", "--out", "run")...)
	records := p.OK("eval", "--run", "run", "--n", "50", "--json") +
		p.OK("eval", "--run", "run", "--n", "70", "--seed", "9", "--json")
	p.Write("r.jsonl", records)
	out := p.OK("figures", "--records", "r.jsonl", "--out", "f", "--format", "svg")
	assert.True(t, out == "f/accuracy-arithmetic-author-direct.svg\n", "%s", out)
	texts, _ := p.svgTexts("f/accuracy-arithmetic-author-direct.svg", "")
	assert.Says(t, texts, "numbers in the expression", "depth of the brackets", "samples of seed 9: 70 samples",
		"r.jsonl")

	// Other samples are another figure; another network of the same name is another group, and one without a part.
	p.OK(nativetest.SmallRun("--format", "direct", "--ablation", "no-tree", "--out", "less")...)
	mixed := records + p.OK("eval", "--run", "less", "--n", "60", "--json")
	first, _, _ := strings.Cut(records, "\n")
	for i, pairs := range [][]string{
		{`"parameters":`, `"parameters":1`}, {`"split":"test"`, `"split":"test","iid":true`},
		{`"split":"test"`, `"split":"validation"`}, {`"source":"drawn"`, `"source":"a/own.jsonl"`},
		{`"format":"direct"`, `"format":"direct","brackets":false`},
		{`"format":"direct"`, `"format":"direct","operators":"+-"`},
		{`"format":"direct"`, `"format":"direct","brackets":true,"operators":"+-*"`},
	} {
		assert.Need(t, strings.Contains(first, pairs[0]), "no %s in %s", pairs[0], first)
		pairs = append(pairs, `"checkpoint":"`, fmt.Sprintf(`"checkpoint":"%d/`, i))
		mixed += strings.NewReplacer(pairs...).Replace(first) + "\n"
	}
	p.Write("mixed.jsonl", mixed)
	const name = "m/accuracy-arithmetic-author-direct"
	out = p.OK("figures", "--records", "mixed.jsonl", "--out", "m", "--format", "svg")
	want := []string{name + ".svg", name + "-iid.svg", name + "-validation.svg", name + "-a-own-jsonl.svg",
		name + "-flat.svg", name + "-no-times.svg"}
	assert.Is(t, strings.Fields(out), want, "figures")
	texts, _ = p.svgTexts(name+".svg", "")
	assert.Says(t, texts, "mha-csp-s, 1 099 parameters\n", "mha-csp-s, 11 099 parameters\n", "mha-csp-s no-tree\n",
		"6/run/model.safetensors")
	for i := 1; i <= 5; i++ {
		other := fmt.Sprintf("%d/run/model", i)
		assert.True(t, !strings.Contains(texts, other), "%s, of other samples, is in\n%s", other, texts)
	}
	out = p.OK(words("figures --run run/model.safetensors --text (3+5)-2 --out g --format svg --backend cpu")...)
	assert.Says(t, out, "not drawn: curves of run/model.safetensors: no log with steps")
	texts, _ = p.svgTexts("g/matrices-model.svg", "")
	assert.True(t, strings.Contains(texts, `"(3 + 5) - 2 mod 9 ="`), "%s", texts)
	p.Write("twice.jsonl", records+"\n"+records)
	p.Write("again.jsonl", first)
	p.Write("other.jsonl", `{"prompt": "1", "label": "0"}`)
	p.Write("empty.jsonl", "\n")
	p.OK(parityRun("bits")...)
	p.OK("init", "--model", "csp", "--out", "csp.safetensors")
	assert.NoError(t, os.Mkdir(p.Path("bare"), 0o755))
	for _, c := range []struct{ args, want string }{
		{"--records twice.jsonl", "twice.jsonl:4: the same evaluation as twice.jsonl:1; remove one"},
		{"--records r.jsonl --records again.jsonl", "again.jsonl:1: the same evaluation as r.jsonl:1; remove"},
		{"--records other.jsonl", "other.jsonl:1: no record that mhacsp eval --json prints; give a file"},
		{"--records empty.jsonl", "empty.jsonl has no records"},
		{"--records r.jsonl --records r.jsonl", "--records r.jsonl stands twice"},
		{"--records r.jsonl --only curves", "no figure of curves can be drawn"},
		{"--run run --run run", "run and run are the same run; its samples would count twice"},
		{"--run run --run ./bits/../run/", "run and ./bits/../run/ are the same run; its samples"},
		{"--run run --run run/model.safetensors", "run and run/model.safetensors are the same run"},
		{"--run nowhere", `--run is "nowhere", and there is no such file or folder; check the path`},
		{"--run bits/config.json", "bits/config.json is JSON, and no record of a cell; name a run's folder"},
		{"--run bare", "bare is no run folder"},
		{"--records bits", `--records is "bits", a folder; give a file of what mhacsp eval --json printed`},
		{"--run csp.safetensors", "csp.safetensors"},
		{"--run run --only curve", `--only is "curve"; choose of curves, accuracy`},
		{"--run run --format pdf", `--format is "pdf"; choose of svg, png`},
		{"--run run --only curves --text 1", "--text is for the matrices"},
		{"--run run --only matrices --text (3+5)*2", "of matrices can be drawn: matrices of run: "},
		{"--run bits --only embedding", "task parity has 2 digits"}, {"", "name runs with --run"},
	} {
		p.refused(c.want, words("figures --out h --backend cpu "+c.args)...)
	}
	p.Absent("h")
	p.refused("missing: --out", "figures", "--run", "run")
}

//go:build !js

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"mhacsp/tasks/assert"
)

func sources() map[string][]byte {
	return map[string][]byte{
		"index.html": []byte(`<meta name="version" content="dev">` +
			`<script type="module" src="scripts/page.js"></script><a href="embed.html">`),
		"embed.html": []byte(`<a href="index.html"><script src="embed.js"></script>`),
		"embed.js":   []byte(`new URL("index.html", import.meta.url)`),
		"scripts/page.js": []byte("import {x} from \"./other.js\";\n" +
			"new Worker(new URL('../worker.js', import.meta.url)); const no = \"nothing.js\";"),
		"scripts/other.js":   []byte(`export const x = 1;`),
		"worker.js":          []byte(`importScripts("wasm_exec.js"); fetch(new URL("trainer.wasm", location))`),
		"wasm_exec.js":       []byte(`//`),
		"trainer.wasm":       []byte(strings.Repeat("wasm", 1000)),
		"styles/page.css":    []byte(`a { background: url(../icon.svg) }`),
		"icon.svg":           []byte(`<svg/>`),
		"sw.js":              []byte("const VERSION = \"dev\";\nconst FILES = [];\n"),
		"demo/a.safetensors": {1, 2, 3},
	}
}

// TestName: every reference leads to a file that is there, under a name that changes with what it leads to.
func TestName(t *testing.T) {
	s := assert.Must(name(sources()))(t)
	there, final := map[string]string{}, map[string]string{}
	for _, f := range s.files {
		there[f.Name], final[f.Source] = string(f.data), f.Name
	}
	hashed := regexp.MustCompile(`^[\w/]+\.[0-9a-f]{12}\.\w+$`)
	for source, name := range final {
		assert.True(t, (stable(source) == (source == name) || source == "sw.js") &&
			(stable(source) || hashed.MatchString(name)), "%s became %s", source, name)
	}
	for source, parts := range map[string][]string{
		"index.html":      {`src="` + final["scripts/page.js"] + `"`, `href="embed.html"`, `content="` + s.version + `"`},
		"scripts/page.js": {`"./` + strings.TrimPrefix(final["scripts/other.js"], "scripts/") + `"`, `'../` + final["worker.js"] + `'`, `"nothing.js"`},
		"worker.js":       {`"` + final["wasm_exec.js"] + `"`, `"` + final["trainer.wasm"] + `"`},
		"styles/page.css": {`url(../` + final["icon.svg"] + `)`},
		"sw.js":           {`VERSION = "` + s.version + `"`, `"` + final["trainer.wasm"] + `"`, `"index.html"`},
	} {
		for _, part := range parts {
			assert.Says(t, there[final[source]], part)
		}
	}
	changed := sources()
	changed["trainer.wasm"] = []byte("other")
	again := assert.Must(name(changed))(t)
	for _, f := range again.files {
		moved := f.Source == "trainer.wasm" || f.Source == "worker.js" || f.Source == "scripts/page.js"
		assert.True(t, (f.Name != final[f.Source]) == moved,
			"after a change of trainer.wasm %s is %s, was %s", f.Source, f.Name, final[f.Source])
	}
	assert.True(t, again.version != s.version, "the version did not change with the contents")
}

// TestNameErrors: a circle of hashed files and a service worker without its lines are refused.
func TestNameErrors(t *testing.T) {
	round := sources()
	round["scripts/other.js"] = []byte(`import "./page.js"`)
	_, err := name(round)
	assert.OneLine(t, "a circle", err, "scripts/page.js")
	bare := sources()
	bare["sw.js"] = []byte("//")
	_, err = name(bare)
	assert.OneLine(t, "a bare service worker", err, "VERSION")
}

// TestWrite: the folder has the files, what they compress to, nothing of an older build, and what a build has not made.
func TestWrite(t *testing.T) {
	out := t.TempDir()
	s := assert.Must(name(sources()))(t)
	old, other := filepath.Join(out, "scripts", "page.0123456789ab.js"), filepath.Join(out, "thesis.tex")
	assert.NoError(t, os.MkdirAll(filepath.Dir(old), 0o755))
	assert.NoError(t, errors.Join(os.WriteFile(old, nil, 0o644), os.WriteFile(other, nil, 0o644)))
	assert.NoError(t, (&site{files: []*file{{Name: "scripts/page.0123456789ab.js"}}}).list(out))
	for range 2 { // the second time what is compressed already is kept
		assert.NoError(t, s.write(out))
		assert.NoError(t, s.compress(out, 5))
		assert.NoError(t, s.list(out))
	}
	for path, want := range map[string]bool{
		old: false, other: true, filepath.Join(out, "demo", "a.safetensors.br"): false, // three bytes become more
	} {
		_, err := os.Stat(path)
		assert.True(t, (err == nil) == want && (want || os.IsNotExist(err)), "%s: %v, want it: %t", path, err, want)
	}
	wasm := s.files[slices.IndexFunc(s.files, func(f *file) bool { return f.Source == "trainer.wasm" })]
	place := filepath.Join(out, wasm.Name+".br")
	packed := assert.Must(os.ReadFile(place))(t)
	text, err := io.ReadAll(brotli.NewReader(bytes.NewReader(packed)))
	assert.True(t, err == nil && string(text) == string(wasm.data), "it unpacks to %d bytes, %v", len(text), err)
	assert.True(t, wasm.Brotli != 0 && wasm.Gzip != 0, "sizes %d, %d", wasm.Brotli, wasm.Gzip)
	// What was compressed less well, by a build of which nothing is known too, is compressed again.
	for _, x := range []struct {
		quality int
		kept    bool
	}{{5, true}, {11, false}, {11, true}} {
		assert.NoError(t, os.WriteFile(place, []byte("cut"), 0o644))
		s.quality = listed(out).Quality
		err := errors.Join(s.write(out), s.compress(out, x.quality), s.list(out))
		text, _ := os.ReadFile(place)
		assert.True(t, err == nil && (string(text) == "cut") == x.kept && listed(out).Quality == x.quality,
			"at quality %d: %d bytes, of quality %d, %v", x.quality, len(text), listed(out).Quality, err)
	}
	left, _ := filepath.Glob(filepath.Join(out, "*.tmp"))
	assert.True(t, left == nil && listed(t.TempDir()).Quality == -1, "left are %v", left)
}

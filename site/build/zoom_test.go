//go:build !js

package main

import (
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

// TestZoom: a mark becomes the lines that it names, of its section's first formulas, or all; a section or a line that
// is not there is an error.
func TestZoom(t *testing.T) {
	_, spec, err := renderSpec([]byte("## 2 State\n\n```formula\nθ_t = π   an angle\nP^(k)_ij = 3\n```\n\n" +
		"```formula\nx = 1\n```\n\n## 3 Words\n\n## Loss\n\n```formula\nloss = 0\n```\n"))
	assert.NoError(t, err)
	filled := func(mark string) (string, error) {
		files := map[string][]byte{specPage: []byte(spec), "a.html": []byte("<p>" + mark + "</p>")}
		err := addZoom(files)
		return string(files["a.html"]), err
	}
	for mark, want := range map[string]string{
		"<!-- formulas s2 P^(k)_ij -->": "P(k)ij = 3", "<!-- formulas s2 -->": "θt = π an angle\nP(k)ij = 3",
		"<!-- formulas s3-loss -->": "loss = 0",
	} {
		got, err := filled(mark)
		_, block, _ := strings.Cut(got, `tabindex="0">`)
		block, link, _ := strings.Cut(block, "</div>")
		text := strings.TrimSpace(zoomTag.ReplaceAllString(block, ""))
		assert.True(t, err == nil && text == want, "%s became %q (%v), want %q", mark, text, err, want)
		assert.True(t, strings.Contains(link, `<a href="formulas.html#`+strings.Fields(mark)[2]+`">`),
			"%s has no link: %s", mark, link)
	}
	for _, mark := range []string{"<!-- formulas s9 -->", "<!-- formulas s3 -->", "<!-- formulas s2 x -->"} {
		got, err := filled(mark)
		assert.True(t, err != nil, "%s became %s", mark, got)
	}
}

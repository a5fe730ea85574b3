//go:build !js

package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

// TestFormula: parts below and above the line, what they hang from, and that everything else is escaped and stays.
func TestFormula(t *testing.T) {
	for _, c := range []struct {
		text  string
		names bool
		want  string
	}{
		{"h_{t−1}", false, "h<sub>t−1</sub>"}, {"e^{iθ_t}", false, "e<sup>iθ<sub>t</sub></sup>"},
		{"e^{iθ_t}", true, "e<sup>iθ<sub>t</sub></sup>"}, {"rotate_share", true, "rotate_share"},
		{"W_δh h_{t−1}", true, "W<sub>δh</sub> h<sub>t−1</sub>"},
		{"C̃_ij = s_j", true, "C̃<sub>ij</sub> = s<sub>j</sub>"}, {"D^(k)_ij", true, "D<sup>(k)</sup><sub>ij</sub>"},
		{"Λ_kᵀ h_t^(k)", false, "Λ<sub>k</sub>ᵀ h<sub>t</sub><sup>(k)</sup>"},
		{"Σ_{t=j}^{i−1} exp(e_t)", false, "Σ<sub>t=j</sub><sup>i−1</sup> exp(e<sub>t</sub>)"},
		{"(−π, π)^N", false, "(−π, π)<sup>N</sup>"}, {"N_c × 2N_c", true, "N<sub>c</sub> × 2N<sub>c</sub>"},
		{"blocks.l.delta_h.weight", true, "blocks.l.delta_h.weight"},
		{"max_j x_j", false, "max<sub>j</sub> x<sub>j</sub>"}, {"x_{a<b}", false, "x<sub>a&lt;b</sub>"},
		{"a < b & \"c\"", false, "a &lt; b &amp; &#34;c&#34;"},
		{"x_", false, "x_"}, {"x_{a", false, "x_{a"}, {"^2", false, "^2"}, {"_x", false, "_x"},
	} {
		got, changed := formula(c.text, c.names)
		assert.True(t, got == c.want && changed == strings.Contains(c.want, "<s"),
			"%q became %q, changed %t; want %q", c.text, got, changed, c.want)
	}
}

// TestMathematical: formulas are told from names and from what is typed.
func TestMathematical(t *testing.T) {
	for text, want := range map[string]bool{
		"N": true, "h_t": true, "W_out [Re y ; Im y]": true, "H·d": true, "σ": true, "j ≤ i": true,
		"rotate": false, "rotate_share": false, "model/SPEC.md": false, "<SOS>": false, "--seed 3": false,
		"8 repeat": false, "(-d)": false,
	} {
		_, changed := formula(text, true)
		assert.Is(t, mathematical(text, changed), want, "%q: a formula", text)
	}
}

// TestRenderSpec: anchors, links to sections but not to the paper's, boxes, and no part of a formula left as typed.
func TestRenderSpec(t *testing.T) {
	contents, body, err := renderSpec([]byte("# Title\n\n## 2 State & time\n\n" +
		"See §3 and §12 (paper §3), the paper's §5.1, `§3`.\n\n" +
		"### What turns\n\n```formula\nh_t = x_{t−1}   ∈ R^N\n```\n\n" +
		"```json\n{\"a_b\": \"<EOS>\"}\n```\n\n" +
		"| a | b |\n|---|---|\n| `rotate_share` | `W_δh` |\n\n" +
		"[a](train/FORMATS.md#records) [b](../README.md)\n\n## 3 More\n" +
		"\n## Figures\n\n### Digits\n\n[x](#digits)\n"))
	assert.NoError(t, err)
	want := "<li><a href=\"#s2\">2 State &amp; time</a></li>\n<li><a href=\"#s3\">3 More</a></li>\n" +
		"<li><a href=\"#figures\">Figures</a></li>\n"
	assert.Is(t, contents, want, "contents")
	assert.Says(t, body, `<h2 id="s2">2 State &amp; time</h2>`, `<h3 id="s2-what-turns">What turns</h3>`,
		`See <a href="#s3">§3</a> and <a href="#s12">§12</a> (paper §3), the paper's §5.1, <code>§3</code>.`,
		`<span>h<sub>t</sub> = x<sub>t−1</sub></span> <span class="remark">∈ R<sup>N</sup></span>`,
		`<pre tabindex="0"><code>{&#34;a_b&#34;: &#34;&lt;EOS&gt;&#34;}`, `<p><a href="#records">a</a> b</p>`,
		`<h3 id="digits">Digits</h3>`, `<p><a href="#digits">x</a></p>`, `<code>rotate_share</code>`,
		`<code class="math">W<sub>δh</sub></code>`)
	_, _, err = renderSpec([]byte("## 2 A\n\n### Same\n\n### Same\n"))
	assert.OneLine(t, "two headings of one name", err, "s2-same")
}

// TestSpecPage holds the page that the site gets: every section has its anchor, every link within the page leads to
// something, and nothing is left of a formula's marks, of Markdown or of the frame's.
func TestSpecPage(t *testing.T) {
	house(t)
	files := map[string][]byte{specPage: assert.Must(os.ReadFile("site/" + specPage))(t)}
	assert.NoError(t, addSpec(files))
	page := string(files[specPage])
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		anchors[m[1]] = true
	}
	for n := 1; n <= 10; n++ {
		assert.True(t, anchors[fmt.Sprint("s", n)], "section %d has no anchor", n)
	}
	links := regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1)
	for _, m := range links {
		assert.True(t, anchors[m[1]], "a link leads to #%s, which is not there", m[1])
	}
	assert.Is(t, regexp.MustCompile(`href="[^"]*\.md[^"]*"`).FindString(page), "", "a link to the repository")
	assert.True(t, len(links) >= 40, "only %d links within the page", len(links))
	tag := regexp.MustCompile(`<[^>]*>`)
	formulas := regexp.MustCompile(`(?s)<div class="formula".*?</div>|<code class="math">.*?</code>`)
	for _, block := range formulas.FindAllString(page, -1) {
		assert.True(t, !strings.ContainsAny(tag.ReplaceAllString(block, ""), "_^{}"), "marks are left in %s", block)
	}
	code := regexp.MustCompile(`(?s)<code.*?</code>`)
	plain := page[strings.Index(page, "<article"):]
	for _, part := range []*regexp.Regexp{formulas, code, tag} {
		plain = part.ReplaceAllString(plain, "")
	}
	typed := regexp.MustCompile("[`|*]|[[:alpha:]]_[[:alpha:]]|\\^").FindString(plain)
	assert.Is(t, typed, "", "Markdown or a formula stands as typed in the text")
	for _, mark := range specMarks {
		assert.True(t, !strings.Contains(page, mark), "%s is left", mark)
	}
	assert.True(t, addSpec(files) != nil, "a frame without places was filled")
}

//go:build !js

package main

import (
	"bytes"
	"fmt"
	"html"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The page "The model in formulas" is model/SPEC.md, and behind it the documents that stand next to packages, in the
// frame of site/formulas.html. It is made when the site is built, so that it needs no script. Section n of SPEC.md has
// the anchor sn, for links from elsewhere; a part of it sn-and-its-title. Other headings have their title.

const specPage = "formulas.html"

// specSources are the documents in their order on the page, specTitles the anchors of all but the first: their names.
var (
	specSources = []string{"model/SPEC.md", "model/train/FORMATS.md", ".github/your-own-data.md",
		"model/study/STUDIES.md", "model/study/FIGURES.md", "model/probe/CLOCKS.md"}
	specTitles = []string{"formats", "your-own-data", "studies", "figures", "clocks"}
)

// specMarks are what the frame has in place of the contents and the text.
var specMarks = [2]string{"<!-- contents -->", "<!-- text -->"}

// addSpec fills the frame among the files of the site.
func addSpec(files map[string][]byte) error {
	source, err := readSpec()
	if err != nil {
		return fmt.Errorf("the page of formulas: %w", err)
	}
	contents, body, err := renderSpec(source)
	if err != nil {
		return err
	}
	page := files[specPage]
	for i, part := range []string{contents, body} {
		if bytes.Count(page, []byte(specMarks[i])) != 1 {
			return fmt.Errorf("site/%s needs %q once; the build puts the text there", specPage, specMarks[i])
		}
		page = bytes.Replace(page, []byte(specMarks[i]), []byte(part), 1)
	}
	files[specPage] = page
	return nil
}

var marks = regexp.MustCompile(`(?m)^#+ `)

// readSpec joins the documents. Headings of all but the first are a level lower.
func readSpec() (source []byte, err error) {
	for i, name := range specSources {
		text, err := readFile(name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = marks.ReplaceAll(text, []byte("#$0"))
		}
		source = append(append(source, text...), '\n')
	}
	return source, nil
}

// renderSpec makes a list of the sections and the text, both HTML.
func renderSpec(source []byte) (contents, body string, err error) {
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(boxes{}, 100))),
	)
	source = linked(source)
	ids := &anchors{used: map[string]bool{}}
	context := parser.NewContext(parser.WithIDs(ids))
	doc := md.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	if ids.double != "" {
		return "", "", fmt.Errorf("two headings have the anchor %q; give one of them another title", ids.double)
	}
	var list strings.Builder
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 2 {
			id, _ := h.AttributeString("id")
			title := html.EscapeString(string(h.Lines().Value(source)))
			fmt.Fprintf(&list, "<li><a href=\"#%s\">%s</a></li>\n", id, title)
		}
	}
	var out bytes.Buffer
	err = md.Renderer().Render(&out, source, doc)
	return list.String(), out.String(), err
}

// anchors names headings: s2 for "## 2 Complex …", s2-isometry for "### Isometry" within it.
type anchors struct {
	section string
	used    map[string]bool
	double  string // the first name that two headings would have
}

var numbered = regexp.MustCompile(`^(\d+) `)

// Generate implements parser.IDs. A heading is told from a part of a section by its number.
func (a *anchors) Generate(title []byte, _ ast.NodeKind) []byte {
	between := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	id := strings.Join(strings.FieldsFunc(strings.ToLower(string(title)), between), "-")
	if m := numbered.FindStringSubmatch(string(title)); m != nil {
		a.section = "s" + m[1]
		id = a.section
	} else if slices.Contains(specTitles, id) {
		a.section = ""
	} else if a.section != "" {
		id = a.section + "-" + id
	}
	if a.used[id] && a.double == "" {
		a.double = id
	}
	a.used[id] = true
	return []byte(id)
}

// Put implements parser.IDs.
func (a *anchors) Put(id []byte) { a.used[string(id)] = true }

var (
	linkOrCode = regexp.MustCompile("`[^`]*`|\\[([^\\]]*)\\]\\(([^()\\s]+)\\)")
	citeOrCode = regexp.MustCompile("`[^`]*`|paper(?:'s)?\\s§[\\d.]+|§\\d+\\.\\d|§(\\d+)")
)

// linked turns each § with a number, in running text, into a link to that section, but the paper's own: those that the
// word paper stands before, or that have a point, as in §5.1. Links between the documents become links within the
// page. What leads to other files of the repository becomes plain text.
func linked(source []byte) []byte {
	text := linkOrCode.ReplaceAllStringFunc(string(source), func(s string) string {
		m := linkOrCode.FindStringSubmatch(s)
		file, part, anchored := strings.Cut(m[2], "#")
		title := strings.ToLower(strings.TrimSuffix(path.Base(file), ".md"))
		here := slices.Contains(specTitles, title)
		switch {
		case m[2] == "" || strings.Contains(file, "://"):
			return s
		case anchored && (here || file == ""):
			return "[" + m[1] + "](#" + part + ")"
		case here:
			return "[" + m[1] + "](#" + title + ")"
		}
		return m[1]
	})
	return []byte(citeOrCode.ReplaceAllStringFunc(text, func(s string) string {
		if m := citeOrCode.FindStringSubmatch(s); m[1] != "" {
			return "[" + s + "](#s" + m[1] + ")"
		}
		return s
	}))
}

// boxes writes what may be wider than a phone into boxes of its own that scroll, and formulas as such.
type boxes struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (boxes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(tables.KindTable, tableBox)
	r.Register(ast.KindFencedCodeBlock, codeBox)
	r.Register(ast.KindCodeSpan, codeSpan)
}

func tableBox(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString("<div class=\"scroll\" role=\"group\" aria-label=\"Table\" tabindex=\"0\">\n<table>\n")
	} else {
		w.WriteString("</table>\n</div>\n")
	}
	return ast.WalkContinue, nil
}

func codeBox(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	lines, kind := string(n.Lines().Value(source)), string(n.(*ast.FencedCodeBlock).Language(source))
	if kind == "formula" {
		w.WriteString("<div class=\"formula\" role=\"group\" aria-label=\"Formulas\" tabindex=\"0\">")
		w.WriteString(formulaBlock(lines) + "</div>\n")
	} else {
		w.WriteString("<pre tabindex=\"0\"><code>" + html.EscapeString(lines) + "</code></pre>\n")
	}
	return ast.WalkSkipChildren, nil
}

func codeSpan(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.Write(c.(*ast.Text).Segment.Value(source))
	}
	span := strings.ReplaceAll(b.String(), "\n", " ")
	out, changed := formula(span, true)
	class := ""
	if mathematical(span, changed) {
		class = ` class="math"`
	}
	w.WriteString("<code" + class + ">" + out + "</code>")
	return ast.WalkSkipChildren, nil
}

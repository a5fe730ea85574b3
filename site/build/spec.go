//go:build !js

package main

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"regexp"
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

// The page "The model in formulas" is model/SPEC.md in the frame of site/formulas.html, made when the site is
// built, so that it needs no script. Section n has the anchor sn, for links from elsewhere; a part of it
// sn-and-its-title.

const (
	specSource = "model/SPEC.md"
	specPage   = "formulas.html"
)

// specMarks are what the frame has in place of the contents and the text.
var specMarks = [2]string{"<!-- contents -->", "<!-- text -->"}

// addSpec fills the frame among the files of the site.
func addSpec(files map[string][]byte) error {
	source, err := os.ReadFile(specSource)
	if err != nil {
		return fmt.Errorf("the page of formulas: %w", err)
	}
	contents, body, err := renderSpec(source)
	if err != nil {
		return fmt.Errorf("%s: %w", specSource, err)
	}
	page := files[specPage]
	for i, part := range []string{contents, body} {
		if bytes.Count(page, []byte(specMarks[i])) != 1 {
			return fmt.Errorf("site/%s needs %q once; the build puts %s there", specPage, specMarks[i], specSource)
		}
		page = bytes.Replace(page, []byte(specMarks[i]), []byte(part), 1)
	}
	files[specPage] = page
	return nil
}

// renderSpec makes a list of the sections and the text, both HTML.
func renderSpec(source []byte) (contents, body string, err error) {
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(
			parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(citations{}, 100)),
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(boxes{}, 100))),
	)
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
			title := string(h.Lines().Value(source))
			title = html.EscapeString(strings.TrimSuffix(title, notBuilt))
			fmt.Fprintf(&list, "<li><a href=\"#%s\">%s</a></li>\n", id, title)
		}
	}
	var out bytes.Buffer
	err = md.Renderer().Render(&out, source, doc)
	return list.String(), out.String(), err
}

// notBuilt marks a heading of what is planned; the contents leave it out.
const notBuilt = " (not built yet)"

// anchors names headings: s2 for "## 2 Complex …", s2-isometry for "### Isometry" within it.
type anchors struct {
	section string
	used    map[string]bool
	double  string // the first name that two headings would have
}

var numbered = regexp.MustCompile(`^(\d+) `)

// Generate implements parser.IDs. A heading is told from a part of a section by its number.
func (a *anchors) Generate(title []byte, _ ast.NodeKind) []byte {
	name := strings.TrimSuffix(string(title), notBuilt)
	id := slug(name)
	if m := numbered.FindStringSubmatch(name); m != nil {
		a.section = "s" + m[1]
		id = a.section
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

// slug is a title in small letters with hyphens between its words.
func slug(title string) string {
	between := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	return strings.Join(strings.FieldsFunc(strings.ToLower(title), between), "-")
}

// citations turns each § with a number, in running text, into a link to that section.
type citations struct{}

var cited = regexp.MustCompile(`§(\d+)`)

// Transform implements parser.ASTTransformer. A number with a point behind it, as in "the paper's §5.1", and one
// that the word paper stands before are the paper's own.
func (citations) Transform(doc *ast.Document, r text.Reader, _ parser.Context) {
	var found []*ast.Text
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading, *ast.CodeSpan, *ast.Link:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if entering && cited.Match(n.Segment.Value(r.Source())) {
				found = append(found, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range found {
		link(n, r.Source())
	}
}

func link(n *ast.Text, source []byte) {
	parent, at := n.Parent(), n.Segment.Start
	value := n.Segment.Value(source)
	plain := func(from, to int) ast.Node { return ast.NewTextSegment(text.NewSegment(from, to)) }
	for _, m := range cited.FindAllSubmatchIndex(value, -1) {
		if bytes.HasPrefix(value[m[1]:], []byte(".")) && m[1]+1 < len(value) && unicode.IsDigit(rune(value[m[1]+1])) ||
			bytes.HasSuffix(value[:m[0]], []byte("paper ")) || bytes.HasSuffix(value[:m[0]], []byte("paper's ")) {
			continue
		}
		from, to := n.Segment.Start+m[0], n.Segment.Start+m[1]
		if at < from {
			parent.InsertBefore(parent, n, plain(at, from))
		}
		a := ast.NewLink()
		a.Destination = append([]byte("#s"), value[m[2]:m[3]]...)
		a.AppendChild(a, plain(from, to))
		parent.InsertBefore(parent, n, a)
		at = to
	}
	n.Segment = n.Segment.WithStart(at) // the rest, with the line's end
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

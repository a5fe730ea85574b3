//go:build !js

package native

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"mhacsp/model/study"
	"mhacsp/tasks/assert"
)

// widest is the most characters of a line of prose.
const widest = 119

// docs reads every Markdown file of the repository. house has all its files and folders. Names begin at the
// repository's root and have slashes between.
func docs(t *testing.T) (pages map[string]page, house map[string]bool) {
	t.Helper()
	pages, house = map[string]page{}, map[string]bool{}
	built := []string{"bin", "runs", "dist", "site/dist"}
	assert.NoError(t, filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name = filepath.ToSlash(strings.TrimPrefix(name, ".."+string(filepath.Separator)))
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || slices.Contains(built, name)) {
			return fs.SkipDir
		}
		house[name] = true
		if path.Ext(name) != ".md" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join("..", name))
		pages[name] = read(string(text))
		return err
	}))
	assert.Need(t, len(pages["README.md"].links) != 0 && len(pages["BENCHMARKS.md"].links) != 0,
		"README.md or BENCHMARKS.md is not there, or has no link: too few to believe the rest")
	return pages, house
}

// TestDocs: in every Markdown file of the repository relative links lead to a file or a folder of the repository,
// anchors to a heading, and no line of prose is wider than 119 characters.
func TestDocs(t *testing.T) {
	pages, house := docs(t)
	for name := range pages {
		for _, mistake := range mistakes(name, pages, house) {
			t.Error(mistake)
		}
	}
}

// TestDocsVerdicts: the README's verdicts on the paper are those of the recorded runs.
func TestDocsVerdicts(t *testing.T) {
	text := assert.Must(os.ReadFile("../README.md"))(t)
	a := assert.Must(study.ReadArchive("testdata/study"))(t)
	r := study.Make(a.Cells, a.Speeds, time.Time{})
	runs := fmt.Sprintf("%d of the study's %d runs", r.Counts.Whole, r.Counts.All)
	if r.Counts.Whole == r.Counts.All {
		runs = fmt.Sprintf("all %d runs of the study", r.Counts.All)
	}
	told := fmt.Sprintf("by %s: %s.", runs, r.Summary())
	assert.True(t, strings.Contains(strings.Join(strings.Fields(string(text)), " "), told),
		"README.md does not say, under Results: %s", told)
}

// TestDocsCommands: every call of the program that stands as code in a Markdown file names a command and flags that it
// has. Notebooks are of their day.
func TestDocsCommands(t *testing.T) {
	pages, _ := docs(t)
	root, calls := newRoot(bufio.NewWriter(io.Discard), io.Discard), 0
	for name, p := range pages {
		if strings.HasPrefix(name, ".github/benchmarks/log/") {
			continue
		}
		for _, c := range p.code {
			for _, m := range call.FindAllStringSubmatch(c.target, -1) {
				calls++
				command, _, err := root.Find(m[1:2])
				if err != nil || command == root {
					t.Errorf("%s:%d: mhacsp has no command %s", name, c.line, m[1])
					continue
				}
				command.InitDefaultHelpFlag()
				for _, f := range flagName.FindAllStringSubmatch(m[2], -1) {
					assert.True(t, command.Flags().Lookup(f[1]) != nil,
						"%s:%d: mhacsp %s has no flag --%s", name, c.line, m[1], f[1])
				}
			}
		}
	}
	assert.True(t, calls >= 10, "%d calls were found: too few to believe the rest", calls)
}

// mistakes lists what is wrong with one page of a house.
func mistakes(name string, pages map[string]page, house map[string]bool) []string {
	var list []string
	add := func(line int, format string, args ...any) {
		list = append(list, fmt.Sprintf("%s:%d: ", name, line)+fmt.Sprintf(format, args...))
	}
	for _, line := range pages[name].wide {
		add(line, "more than %d characters: break it", widest)
	}
	for _, l := range pages[name].links {
		file, anchor, anchored := strings.Cut(l.target, "#")
		to := name
		if file != "" {
			to = path.Join(path.Dir(name), file)
		}
		p, is := pages[to]
		switch {
		case to != "." && !house[to]:
			add(l.line, "the link %s leads to %s, which is not in the repository", l.target, to)
		case anchored && !is:
			add(l.line, "the link %s has an anchor, but %s has no headings", l.target, to)
		case anchored && !slices.Contains(p.anchors, anchor):
			add(l.line, "the link %s names no heading of %s; it has %s", l.target, to, strings.Join(p.anchors, ", "))
		}
	}
	return list
}

// page is what of a Markdown file can be wrong.
type page struct {
	anchors []string // of its headings, as GitHub makes them
	links   []link   // to files and headings, none to other hosts
	wide    []int    // lines
	code    []link   // spans, and lines of blocks
}

// link is a link's target, or a piece of code, and its line.
type link struct {
	line   int
	target string
}

var (
	fence   = regexp.MustCompile("^\\s*(?:>\\s*)?(```+|~~~+)")
	heading = regexp.MustCompile(`^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$`)
	named   = regexp.MustCompile(`<[a-z]+\s[^>]*\b(?:id|name)="([^"]+)"`)
	code    = regexp.MustCompile("(`+)[^`](?:.*?[^`])??`+")
	inline  = regexp.MustCompile(`\[((?:[^\[\]]|!?\[[^\]]*\]\([^)]*\))*)\]` + // the text, in which a picture may stand
		`\(<?([^()\s>]*(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+["'(][^)]*)?\)`)
	reference = regexp.MustCompile(`^\s{0,3}\[[^\]]+\]:\s+<?([^\s>]+)`)
	attribute = regexp.MustCompile(`\b(?:href|src)="([^"]*)"`)
	elsewhere = regexp.MustCompile(`^(?:[a-zA-Z][a-zA-Z0-9+.-]*:|//)`)
	call      = regexp.MustCompile(`(?:^|[\s/])mhacsp ([a-z]+)([^|;&]*)`)
	flagName  = regexp.MustCompile(`(?:^|\s)--([a-z0-9-]+)`)
	marker    = regexp.MustCompile(`^\s*(?:[-*+>]\s+|\d+[.)]\s+)*`)
	alone     = regexp.MustCompile(`^(?:!?\[[^\]]*\]\(\S*\)|<?[a-z]+://\S+)[.,;:]?$`)
)

// read takes a page apart. What stands in code is neither link nor heading nor prose; a table's lines may be of any
// width, and so may a line that is one link and no more, since it cannot be broken.
func read(text string) page {
	var p page
	var fenced string
	count := map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		if m := fence.FindStringSubmatch(line); m != nil {
			switch {
			case fenced == "":
				fenced = m[1]
			case strings.HasPrefix(m[1], fenced):
				fenced = ""
			}
			continue
		}
		if fenced != "" {
			p.code = append(p.code, link{i + 1, line})
			continue
		}
		table := strings.HasPrefix(strings.TrimSpace(line), "|")
		if utf8.RuneCountInString(line) > widest && !table &&
			!alone.MatchString(strings.TrimSpace(marker.ReplaceAllString(line, ""))) {
			p.wide = append(p.wide, i+1)
		}
		if m := heading.FindStringSubmatch(line); m != nil {
			a := anchor(m[1])
			count[a]++
			if n := count[a]; n > 1 {
				a = fmt.Sprintf("%s-%d", a, n-1)
			}
			p.anchors = append(p.anchors, a)
		}
		for _, span := range code.FindAllString(line, -1) {
			p.code = append(p.code, link{i + 1, strings.Trim(span, "`")})
		}
		line = code.ReplaceAllString(line, "`")
		for _, m := range named.FindAllStringSubmatch(line, -1) {
			p.anchors = append(p.anchors, m[1])
		}
		for _, target := range targets(line) {
			if !elsewhere.MatchString(target) {
				p.links = append(p.links, link{i + 1, target})
			}
		}
	}
	return p
}

// targets lists where a line's links and pictures lead.
func targets(line string) []string {
	var list []string
	for _, m := range inline.FindAllStringSubmatch(line, -1) {
		list = append(list, m[2])
		list = append(list, targets(m[1])...) // a picture that is a link
	}
	for _, r := range []*regexp.Regexp{reference, attribute} {
		for _, m := range r.FindAllStringSubmatch(line, -1) {
			list = append(list, m[1])
		}
	}
	return list
}

// anchor is GitHub's name of a heading: small letters, digits, hyphens and underscores stay, a space is a hyphen.
func anchor(heading string) string {
	heading = inline.ReplaceAllString(heading, "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// TestDocsMistakes: TestDocs finds each kind of mistake, and calls nothing a mistake that is none.
func TestDocsMistakes(t *testing.T) {
	long := strings.Repeat("word ", 24) // 120 characters
	house := map[string]bool{"a.md": true, "docs": true, "docs/b.md": true, "x.go": true}
	for _, c := range []struct{ text, want string }{
		{"[b](docs/b.md), [folder](docs), [c](x.go \"title\"), [up](docs/../x.go), [other](https://example.org/x)", ""},
		{"one [b](docs/b.md)\n\ntwo [c](c.md)", "a.md:3: the link c.md leads to c.md"},
		{"![picture](picture.png)", "picture.png"}, {"[![badge](badge.svg)](docs/b.md)", "badge.svg"},
		{"[b]\n\n[b]: missing.md", "missing.md"}, {"<a href=\"missing.html\">x</a>", "missing.html"},
		{"[out](../x.go)", "not in the repository"},
		{"`[c](c.md)`\n\n```\n[c](c.md)\n# Not a heading\n```\n| [b](docs/b.md) |", ""},
		{"# One heading, `twice`\n# One heading, `twice`\n[x](#one-heading-twice) [y](#one-heading-twice-1)", ""},
		{"# One\n[x](#two)", "#two names no heading"}, {"```\n# One\n```\n[x](#one)", "#one names no heading"},
		{"[x](docs/b.md#the-maths--1-2)", ""}, {"[x](docs/b.md#the-maths)", "names no heading of docs/b.md"},
		{"[x](x.go#L3)", "has no headings"}, {"<a id=\"here\"></a>[x](#here)", ""},
		{"ü" + long[1:119] + "\n```\n" + long + "\n```\n| " + long + "|\n* [one](https://example.org/" + strings.Repeat("x", 120) + ").", ""},
		{"short\n" + long[:119] + "x", "a.md:2: more than 119"}, {"* " + long + "[b](docs/b.md)", "more than 119"},
	} {
		pages := map[string]page{"a.md": read(c.text), "docs/b.md": read("## The maths: § 1-2\n")}
		got := strings.Join(mistakes("a.md", pages, house), "\n")
		assert.True(t, (got == "") == (c.want == "") && strings.Contains(got, c.want),
			"%q: mistakes are\n%s\nwant %q", c.text, got, c.want)
	}
}

//go:build !js

package main

import (
	"fmt"
	"html"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Pages open formulas in place. Where one has a mark, as <!-- formulas s2 θ_t p_t -->, the build puts lines of the
// page of formulas: of the first block in the section with that anchor the lines whose left sides are named, or all.
// scripts/zoom.js does the same in the browser.

var (
	zoomMark    = regexp.MustCompile(`<!-- formulas (\S+)((?: \S+)*) -->`)
	zoomHeading = regexp.MustCompile(`<h[1-3] id="([^"]*)">(.*?)</h[1-3]>`)
	zoomBlock   = regexp.MustCompile(`(?s)(<div class="formula"[^>]*>)(.*?)</div>`)
	zoomRow     = regexp.MustCompile(`<span class="row"><span>(.*?)</span> <span class="remark">.*?</span></span>\n`)
	zoomTag     = regexp.MustCompile(`<[^>]*>`)
	zoomTyped   = strings.NewReplacer("_", "", "^", "", "{", "", "}", "")
)

// addZoom fills the marks of all pages.
func addZoom(files map[string][]byte) (failed error) {
	for name, page := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		files[name] = zoomMark.ReplaceAllFunc(page, func(mark []byte) []byte {
			m := zoomMark.FindSubmatch(mark)
			out, err := zoom(files[specPage], string(m[1]), strings.Fields(string(m[2])))
			if err != nil {
				failed = fmt.Errorf("site/%s: %s: %w", name, mark, err)
			}
			return out
		})
	}
	return failed
}

// zoom is lines of a section behind a summary, with a link to it. Left sides are as SPEC.md has them.
func zoom(page []byte, section string, lefts []string) ([]byte, error) {
	headings := zoomHeading.FindAllSubmatchIndex(page, -1)
	i := slices.IndexFunc(headings, func(h []int) bool { return string(page[h[2]:h[3]]) == section })
	if i < 0 {
		return nil, fmt.Errorf("the page of formulas has no section %s", section)
	}
	end := len(page)
	if i+1 < len(headings) {
		end = headings[i+1][0]
	}
	block := zoomBlock.FindSubmatch(page[headings[i][1]:end])
	if block == nil {
		return nil, fmt.Errorf("section %s has no formulas", section)
	}
	rows := block[2]
	for _, left := range lefts {
		lines := zoomRow.FindAllSubmatch(block[2], -1)
		at := slices.IndexFunc(lines, func(line [][]byte) bool {
			text, _, _ := strings.Cut(html.UnescapeString(zoomTag.ReplaceAllString(string(line[1]), "")), " =")
			return text == zoomTyped.Replace(left)
		})
		if at < 0 {
			return nil, fmt.Errorf("the first formulas of section %s have none of %s", section, left)
		}
		if left == lefts[0] {
			rows = nil
		}
		rows = append(rows, lines[at][0]...)
	}
	title := strings.TrimLeft(string(page[headings[i][4]:headings[i][5]]), "0123456789 ")
	return fmt.Appendf(nil, "<details class=\"zoom\"><summary>In formulas: %s</summary>%s%s</div>"+
		"<p><a href=\"%s#%s\">All of it, with words</a></p></details>", title, block[1], rows, specPage, section), nil
}

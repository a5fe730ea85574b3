//go:build !js

package main

import (
	"bytes"
	"fmt"
	"regexp"
)

// Pictures that package figure draws, made small for the page: nobody sees a hundredth of a point.

var (
	drawing  = regexp.MustCompile(`(?s)<(?:path|text|g|rect)\b[^>]*>`)
	decimals = regexp.MustCompile(`(\.\d)\d+`)
	family   = regexp.MustCompile(`font-family:([^;"]+);`)
	usual    = regexp.MustCompile(`font-(?:variant|style|weight):normal;`)
)

// slim cuts the numbers of what an SVG draws to tenths, and says once what all of its texts have. What it writes stays.
func slim(svg []byte) []byte {
	font := family.FindSubmatch(svg)
	if font != nil {
		svg = bytes.Replace(svg, []byte("<svg "), fmt.Appendf(nil, "<svg font-family=\"%s\" ", font[1]), 1)
	}
	return drawing.ReplaceAllFunc(svg, func(tag []byte) []byte {
		tag = usual.ReplaceAll(decimals.ReplaceAll(tag, []byte("$1")), nil)
		if font != nil {
			tag = bytes.Replace(tag, font[0], nil, 1)
		}
		return tag
	})
}

var viewBox = regexp.MustCompile(`viewBox="0 0 ([\d.]+ [\d.]+)"`)

// sizeOf is the width and the height of an SVG, rounded, so that a page keeps its place.
func sizeOf(svg []byte) (width, height int, err error) {
	m := viewBox.FindSubmatch(svg)
	if m == nil {
		return 0, 0, fmt.Errorf("a figure has no viewBox: %.200s", svg)
	}
	var w, h float64
	_, err = fmt.Sscan(string(m[1]), &w, &h)
	return int(w + 0.5), int(h + 0.5), err
}

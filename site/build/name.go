//go:build !js

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// hashLength is how many hexadecimal digits of a hash a name has.
const hashLength = 12

// site is the finished site.
type site struct {
	files   []*file // in the order of their sources
	version string
	quality int // of the compressed files that stand in the folder; −1: not known
}

// file is one file of the site.
type file struct {
	data []byte // with the final names in it

	Source string `json:"source"` // path before hashing
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	Brotli int    `json:"br,omitempty"`
	Gzip   int    `json:"gz,omitempty"`
}

// stable reports whether a file keeps its name: what people and browsers address. The circle's frame is addressed by
// its page alone, which speaks with that version of it.
func stable(name string) bool {
	page := path.Ext(name) == ".html" && name != "circle/frame.html"
	return page || name == "sw.js" || name == "embed.js" || path.Base(name) == "LICENSE"
}

// reference finds what may be the name of another file: a path in quotes, brackets or an attribute.
var reference = regexp.MustCompile("([\"'`(=])((?:\\./|\\.\\./)*[\\w][\\w./-]*\\." +
	"(?:html|js|mjs|css|wasm|json|svg|png|ico|webmanifest|safetensors|woff2))([\"'`)?# >])")

// texts are the kinds of files that refer to others.
var texts = []string{".html", ".js", ".mjs", ".css", ".webmanifest"}

// namer gives final names, a file's references before the file.
type namer struct {
	sources map[string][]byte
	done    map[string]*file
	open    []string
}

// name hashes all files and writes the final names into those that refer to them. A page may be referred to by others
// in a circle, for its name is fixed.
func name(sources map[string][]byte) (*site, error) {
	n := &namer{sources: sources, done: map[string]*file{}}
	s := &site{}
	for _, source := range slices.Sorted(maps.Keys(sources)) {
		if source == "sw.js" {
			continue // it lists all others
		}
		f, err := n.file(source)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, f)
	}
	s.stamp(sources["sw.js"])
	if _, ok := sources["sw.js"]; ok {
		worker, err := n.file("sw.js")
		if err == nil {
			err = s.serviceWorker(worker)
		}
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, worker)
	}
	return s, nil
}

func (n *namer) file(source string) (*file, error) {
	if f := n.done[source]; f != nil {
		return f, nil
	}
	if at := slices.Index(n.open, source); at >= 0 {
		return nil, fmt.Errorf("files refer to each other in a circle, so that none can be hashed: %s; break it",
			strings.Join(append(n.open[at:], source), " → "))
	}
	n.open = append(n.open, source)
	defer func() { n.open = n.open[:len(n.open)-1] }()
	data := n.sources[source]
	if slices.Contains(texts, path.Ext(source)) {
		var failed error
		data = reference.ReplaceAllFunc(data, func(m []byte) []byte {
			part := reference.FindSubmatch(m)
			target := path.Join(path.Dir(source), string(part[2]))
			if _, ok := n.sources[target]; !ok || stable(target) {
				return m
			}
			f, err := n.file(target)
			if err != nil {
				failed = err
				return m
			}
			as := string(part[2])
			as = as[:len(as)-len(path.Base(as))] + path.Base(f.Name)
			return slices.Concat(part[1], []byte(as), part[3])
		})
		if failed != nil {
			return nil, failed
		}
	}
	f := &file{Source: source, data: data, Name: source, Bytes: len(data)}
	if !stable(source) {
		ext := path.Ext(source)
		f.Name = fmt.Sprintf("%s.%s%s", strings.TrimSuffix(source, ext), hash(data), ext)
	}
	n.done[source] = f
	return f, nil
}

func hash(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data))[:hashLength] }

// versionMeta is how a page says which version it is.
var versionMeta = []byte(`<meta name="version" content="dev">`)

// stamp makes the version of all files' contents and of the service worker's, and writes it into the pages.
func (s *site) stamp(worker []byte) {
	var all bytes.Buffer
	all.Write(worker)
	for _, f := range s.files {
		fmt.Fprintf(&all, "%s %s\n", f.Name, hash(f.data))
	}
	s.version = hash(all.Bytes())
	for _, f := range s.files {
		if path.Ext(f.Source) == ".html" {
			f.data = bytes.ReplaceAll(f.data, versionMeta,
				bytes.Replace(versionMeta, []byte("dev"), []byte(s.version), 1))
			f.Bytes = len(f.data)
		}
	}
}

// serviceWorker writes the version and the list of files into the service worker's lines.
func (s *site) serviceWorker(worker *file) (err error) {
	var list []string
	for _, f := range s.files {
		list = append(list, f.Name)
	}
	text, _ := json.Marshal(list) // of texts it does not fail
	for _, x := range [][2]string{
		{`const VERSION = "dev";`, fmt.Sprintf("const VERSION = %q;", s.version)},
		{`const FILES = [];`, fmt.Sprintf("const FILES = %s;", text)},
	} {
		if worker.data, err = written("sw.js", worker.data, x[0], x[1]); err != nil {
			return err
		}
	}
	worker.Bytes = len(worker.data)
	return nil
}

// written is a file with another line in the place of one that it must have once.
func written(name string, data []byte, line, instead string) ([]byte, error) {
	if bytes.Count(data, []byte(line)) != 1 {
		return nil, fmt.Errorf("%s needs the line %q once; the build writes it", name, line)
	}
	return bytes.Replace(data, []byte(line), []byte(instead), 1), nil
}

package own

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"mhacsp/tasks"
)

// Data is what a run keeps of its files, under the key "data" of its configuration (SPEC §12).
type Data struct {
	Tokens     string   `json:"tokens"` // Characters or Words
	Vocabulary []string `json:"vocabulary"`
	Unasked    []string `json:"unasked,omitempty"` // tokens of the vocabulary that no training prompt has
	Classes    []string `json:"classes,omitempty"` // none: the lines have targets
	Groups     []string `json:"groups,omitempty"`  // fields of the breakdown
	Example    string   `json:"example"`           // a prompt
	Train      File     `json:"train"`
	Validation File     `json:"validation"`
	Test       *File    `json:"test,omitempty"`
}

// File is what is known of a file.
type File struct {
	Path    string `json:"path"` // as it was given
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
	Samples int    `json:"samples"`
	Prompt  int    `json:"prompt"`           // most tokens of a prompt, <SOS> included
	Target  int    `json:"target,omitempty"` // most tokens of a target, <EOS> included
}

// Bounds of what a vocabulary and a breakdown may hold.
const (
	maxVocabulary = 1<<16 - 64
	maxClasses    = 10000
	maxValues     = 200
)

func (d *Data) words() bool { return d.Tokens == Words }

// file is that of a role, nil where it has none.
func (d *Data) file(r tasks.Role) *File {
	switch r {
	case tasks.Train:
		return &d.Train
	case tasks.Validation:
		return &d.Validation
	}
	return d.Test
}

func (d *Data) longest(of func(*File) int) int {
	n := max(of(&d.Train), of(&d.Validation))
	if d.Test != nil {
		n = max(n, of(d.Test))
	}
	return n
}

// Options say what Read reads.
type Options struct {
	Train, Validation string
	Test              string   // may be empty
	Tokens            string   // Characters (the default) or Words
	Vocabulary        []string // nil: that of the training file
	Groups            []string // fields of the breakdown; nil: the field "group" where lines have it
}

// usual is the field of the breakdown where none is named.
const usual = "group"

// Read looks through the files from their first line to their last and makes the task, loaded. An error of a file's
// content is an *Error; it is the first of its file.
func Read(o Options, open Opener) (*Task, error) {
	d := Data{Tokens: o.Tokens, Vocabulary: o.Vocabulary, Groups: o.Groups}
	if d.Tokens == "" {
		d.Tokens = Characters
	}
	if d.Vocabulary != nil {
		if err := d.checkVocabulary(); err != nil {
			return nil, err
		}
	}
	if d.Groups == nil {
		d.Groups = []string{usual}
	}
	s := &survey{data: &d, open: open}
	files := [3]*file{}
	var err error
	if files[tasks.Train], d.Train, err = s.first(o.Train); err != nil {
		return nil, err
	}
	t := newTask(d)
	if files[tasks.Validation], d.Validation, err = s.further(t, o.Validation); err != nil {
		return nil, err
	}
	if o.Test != "" {
		d.Test = new(File)
		if files[tasks.Test], *d.Test, err = s.further(t, o.Test); err != nil {
			return nil, err
		}
	}
	if err := s.checkGroups(o.Groups != nil); err != nil {
		return nil, err
	}
	t.data, t.files = d, files
	return t, nil
}

// survey is one look through the files.
type survey struct {
	data  *Data
	open  Opener
	found []bool            // of each group: some line has it
	seen  []map[string]bool // the values that each group has in the file that is read; nil: they are not counted
}

// read goes through a file; each gets its lines.
func (s *survey) read(path string, each func(number int, line []byte) error) (*file, File, error) {
	source, err := s.open(path)
	if err != nil {
		return nil, File{}, err
	}
	f, err := open(path, source, each)
	if err != nil {
		return nil, File{}, err
	}
	if f.samples == 0 {
		return nil, File{}, &Error{path, 1, 1, "the file holds no samples; write one a line, as in " + sampleLine}
	}
	return f, File{Path: path, Bytes: f.end, SHA256: f.sum, Samples: f.samples}, nil
}

// first reads the training file: what it holds decides what the others may.
func (s *survey) first(path string) (*file, File, error) {
	d := s.data
	s.found = make([]bool, len(d.Groups))
	g := gathering{data: d, tokens: map[string]bool{}, asked: map[string]bool{}, classes: map[string]bool{}}
	if d.Vocabulary != nil {
		g.cut = newCutter(*d)
	}
	f, file, err := s.read(path, func(number int, line []byte) error {
		r, err := readRow(line, d.Groups)
		if err == nil {
			err = g.take(r)
		}
		if err == nil {
			err = s.takeGroups(r)
		}
		return locate(err, path, number, line)
	})
	if err != nil {
		return nil, file, err
	}
	file.Prompt, file.Target, d.Example = g.prompt, g.target, g.example
	if d.Vocabulary == nil {
		d.Vocabulary = slices.Sorted(maps.Keys(g.tokens))
	}
	for _, token := range d.Vocabulary {
		if !g.asked[token] {
			d.Unasked = append(d.Unasked, token)
		}
	}
	if g.kind == labels {
		d.Classes = sortedClasses(g.classes)
		if len(d.Classes) == 1 {
			return nil, file, &Error{path, 1, 1,
				fmt.Sprintf("every label is %q; two classes are needed", d.Classes[0])}
		}
	}
	return f, file, nil
}

// further reads a file of the task that the training file made.
func (s *survey) further(t *Task, path string) (*file, File, error) {
	var sample tasks.Sample
	prompt, target := 0, 0
	s.seen = make([]map[string]bool, len(s.data.Groups))
	for i := range s.seen {
		s.seen[i] = map[string]bool{}
	}
	f, file, err := s.read(path, func(number int, line []byte) error {
		err := t.parse(&sample, line)
		if err == nil && len(s.data.Groups) > 0 {
			var r row
			if r, err = readRow(line, s.data.Groups); err == nil {
				err = s.takeGroups(r)
			}
		}
		prompt, target = max(prompt, len(sample.Prompt)), max(target, len(sample.Target))
		return locate(err, path, number, line)
	})
	file.Prompt, file.Target = prompt, target
	return f, file, err
}

// takeGroups notes the values of the groups, of which a file may have so many. Of training no breakdown is made.
func (s *survey) takeGroups(r row) error {
	for i, v := range r.groups {
		if v.raw == nil {
			continue
		}
		field := s.data.Groups[i]
		word, err := v.word(field)
		if err != nil {
			return err
		}
		s.found[i] = true
		if s.seen == nil {
			continue
		}
		s.seen[i][word] = true
		if len(s.seen[i]) > maxValues {
			return wrong(v.at, "field %q has more than %d values, too many for a breakdown; name another with --group",
				field, maxValues)
		}
	}
	return nil
}

// checkGroups drops the usual field where no line has it, and refuses another that no line has.
func (s *survey) checkGroups(asked bool) error {
	d := s.data
	for i, field := range d.Groups {
		if s.found[i] {
			continue
		}
		if !asked {
			d.Groups = nil
			return nil
		}
		return fmt.Errorf("no line has the field %q; --group names a field for the breakdown", field)
	}
	return nil
}

// kind is what the lines of a file lead to.
type kind int

const (
	unknown kind = iota
	targets
	labels
)

// gathering collects the vocabulary and the classes of the training file.
type gathering struct {
	data           *Data
	kind           kind
	cut            cutter // where the vocabulary was given
	ids            []int32
	tokens         map[string]bool
	asked          map[string]bool // those that a prompt has
	classes        map[string]bool
	prompt, target int
	example        string
}

// take adds a line.
func (g *gathering) take(r row) error {
	if g.kind == unknown {
		g.kind = targets
		if r.label.raw != nil {
			g.kind = labels
		}
	}
	switch {
	case g.kind == targets && r.target.raw == nil:
		return wrong(r.label.at, "field \"label\" stands here, but the lines before have \"target\"; "+
			"a file has one of the two")
	case g.kind == labels && r.label.raw == nil:
		return wrong(r.target.at, "field \"target\" stands here, but the lines before have \"label\"; "+
			"a file has one of the two")
	}
	n, err := g.count("prompt", r.prompt)
	if err != nil {
		return err
	}
	if n == 0 {
		return wrong(r.prompt.at, "field \"prompt\" is empty; at least one token is needed")
	}
	g.prompt = max(g.prompt, n+1)
	if g.example == "" {
		text, _ := r.prompt.text("prompt")
		g.example = shortened(string(text), g.data.words())
	}
	if g.kind == targets {
		n, err := g.count("target", r.target)
		g.target = max(g.target, n+1)
		return err
	}
	word, err := r.label.word("label")
	if err != nil {
		return err
	}
	g.classes[word] = true
	if len(g.classes) > maxClasses {
		return wrong(r.label.at, "more than %d different labels; what is written rather than chosen is a \"target\"",
			maxClasses)
	}
	return nil
}

// shortened is the beginning of a prompt, to show one.
func shortened(text string, words bool) string {
	const most = 60
	if words {
		list := strings.Fields(text)
		return strings.Join(list[:min(len(list), most)], " ")
	}
	if list := []rune(text); len(list) > most {
		return string(list[:most])
	}
	return text
}

// count is the number of a field's tokens, which it notes.
func (g *gathering) count(field string, v value) (int, error) {
	text, err := v.text(field)
	if err != nil {
		return 0, err
	}
	n := 0
	switch {
	case g.data.Vocabulary != nil:
		var bad int
		if g.ids, bad = g.cut.add(g.ids[:0], text); bad >= 0 {
			return 0, wrong(v.place(bad), "field %q: %s is not in the vocabulary; add it there",
				field, g.cut.found(string(text[bad:])))
		}
		n = len(g.ids)
		for _, id := range g.ids {
			if field == "prompt" {
				g.asked[g.data.Vocabulary[tokenPlace(id)]] = true
			}
		}
	case g.data.words():
		eachWord(text, func(_ int, word []byte) bool {
			n++
			g.note(field, word)
			return true
		})
	default:
		for rest := text; len(rest) > 0; n++ {
			_, size := utf8.DecodeRune(rest)
			g.note(field, rest[:size])
			rest = rest[size:]
		}
	}
	switch {
	case n > MaxTokens:
		return n, tooLong(field, n, v)
	case len(g.tokens) > maxVocabulary:
		return n, wrong(v.at, "field %q: more than %d different tokens so far; "+
			"take characters for tokens, or give a --vocabulary", field, maxVocabulary)
	}
	return n, nil
}

func (g *gathering) note(field string, token []byte) {
	if !g.tokens[string(token)] {
		g.tokens[string(token)] = true
	}
	if field == "prompt" && !g.asked[string(token)] {
		g.asked[string(token)] = true
	}
}

// sortedClasses puts classes in order, as numbers where all are.
func sortedClasses(set map[string]bool) []string {
	list := slices.Sorted(maps.Keys(set))
	numbers := map[string]*big.Int{}
	for _, name := range list {
		n, whole := new(big.Int).SetString(name, 10)
		if !whole {
			return list
		}
		numbers[name] = n
	}
	slices.SortStableFunc(list, func(a, b string) int { return numbers[a].Cmp(numbers[b]) })
	return list
}

// Parse makes the task of a configuration's "data", without its files.
func Parse(raw []byte) (*Task, error) {
	var d Data
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("key \"data\": %w; take it from the run's own config.json",
			errors.New(strings.TrimPrefix(err.Error(), "json: ")))
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("key \"data\": %w", err)
	}
	return newTask(d), nil
}

// check refuses what Read does not make.
func (d *Data) check() error {
	if err := d.checkVocabulary(); err != nil {
		return err
	}
	for _, token := range d.Unasked {
		if !slices.Contains(d.Vocabulary, token) {
			return fmt.Errorf("unasked has %q, which the vocabulary has not; take it from the run's own config.json", token)
		}
	}
	if n := len(d.Classes); n == 1 || n > maxClasses {
		return fmt.Errorf("classes has %d; 2 to %d are needed, or none", n, maxClasses)
	}
	if double := repeated(d.Classes); double != "" {
		return fmt.Errorf("classes has %q twice; remove one", double)
	}
	for _, x := range []struct {
		name string
		file *File
	}{{"train", &d.Train}, {"validation", &d.Validation}, {"test", d.Test}} {
		f := x.file
		if f == nil {
			continue
		}
		least := 0
		if len(d.Classes) == 0 {
			least = 1
		}
		if f.Path == "" || f.Bytes < 1 || f.Samples < 1 || f.Prompt < 2 || f.Prompt > MaxTokens+1 ||
			f.Target < least || f.Target > least*(MaxTokens+1) {
			return fmt.Errorf("%s is not what a file can be; take it from the run's own config.json", x.name)
		}
	}
	return nil
}

// checkVocabulary refuses tokens that no text could hold, or that another hides.
func (d *Data) checkVocabulary() error {
	if d.Tokens != Characters && d.Tokens != Words {
		return fmt.Errorf("tokens is %q; choose %s or %s", d.Tokens, Characters, Words)
	}
	if n := len(d.Vocabulary); n < 1 || n > maxVocabulary {
		return fmt.Errorf("the vocabulary has %d tokens; 1 to %d are possible", n, maxVocabulary)
	}
	for i, token := range d.Vocabulary {
		switch {
		case token == "" || !utf8.ValidString(token):
			return fmt.Errorf("token %d of the vocabulary is %q; a text of one character or more is needed",
				i+1, token)
		case d.words() && len(strings.Fields(token)) != 1 || d.words() && strings.TrimSpace(token) != token:
			return fmt.Errorf("token %d of the vocabulary is %q, which is no word; take its white space out",
				i+1, token)
		case slices.Contains([]string{"<SOS>", "<EOS>", "<PAD>"}, token):
			return fmt.Errorf("token %d of the vocabulary is %q, which every vocabulary has; remove it", i+1, token)
		}
	}
	if double := repeated(d.Vocabulary); double != "" {
		return fmt.Errorf("the vocabulary has %q twice; remove one", double)
	}
	return nil
}

// repeated is the first text that a list has twice, or empty.
func repeated(list []string) string {
	seen := map[string]bool{}
	for _, x := range list {
		if seen[x] {
			return x
		}
		seen[x] = true
	}
	return ""
}

// Load opens the files of roles and refuses those whose content is not that of the data: the same seed would draw
// other samples.
func (t *Task) Load(openFile Opener, roles ...tasks.Role) error {
	for _, r := range roles {
		want := t.data.file(r)
		if want == nil {
			return fmt.Errorf("the run has no %s file; start a run with --test FILE, or evaluate with --data FILE", r)
		}
		source, err := openFile(want.Path)
		if err != nil {
			return err
		}
		if source.Size() != want.Bytes {
			return fmt.Errorf("%s has %d bytes, but had %d when the run began; put the file back as it was, "+
				"or start a new run", want.Path, source.Size(), want.Bytes)
		}
		f, err := open(want.Path, source, nil)
		if err != nil {
			return err
		}
		if f.sum != want.SHA256 || f.samples != want.Samples {
			return fmt.Errorf("%s is not the file that the run began with (its SHA-256 is %s); "+
				"put the file back as it was, or start a new run", want.Path, f.sum)
		}
		t.files[r] = f
	}
	return nil
}

// SamplesOf reads all samples of any file of the task's kind, in the order of its lines. fields, where not nil, take
// the place of the data's groups.
func (t *Task) SamplesOf(path string, fields []string, openFile Opener) ([]tasks.Sample, error) {
	if fields != nil {
		d := t.data
		d.Groups = fields
		t = newTask(d)
	}
	s := &survey{data: &t.data, open: openFile}
	var list []tasks.Sample
	_, _, err := s.read(path, func(number int, line []byte) error {
		var x tasks.Sample
		if err := t.parse(&x, line); err != nil {
			return locate(err, path, number, line)
		}
		list = append(list, x)
		return nil
	})
	return list, err
}

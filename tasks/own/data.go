package own

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"mhacsp/tasks"
	"mhacsp/tasks/show"
	"mhacsp/tasks/strict"
)

// Data is what a run keeps of its files, under the key "data" of its configuration (.github/your-own-data.md).
type Data struct {
	Tokens     string   `json:"tokens"` // Characters or Words
	Vocabulary []string `json:"vocabulary"`
	Unasked    []string `json:"unasked,omitempty"` // tokens of the vocabulary that no training prompt has
	Classes    []string `json:"classes,omitempty"` // none: the lines have targets
	Groups     []string `json:"groups,omitempty"`  // fields of the breakdown
	Fields     *Fields  `json:"fields,omitempty"`  // names of the fields; nil: the usual ones
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

// files are those of the roles, by role; nil where one has none.
func (d *Data) files() [3]*File { return [3]*File{&d.Train, &d.Validation, d.Test} }

func (d *Data) longest(of func(*File) int) (n int) {
	for _, f := range d.files() {
		if f != nil {
			n = max(n, of(f))
		}
	}
	return n
}

// Options say what Read reads.
type Options struct {
	Train, Validation string
	Test              string   // may be empty
	Tokens            string   // Characters (the default) or Words
	Vocabulary        []string // nil: that of the training file
	Groups            []string // fields of the breakdown; nil: the field "group" where lines have it and it is fit
	Fields            *Fields  // names of the fields; nil: the usual ones
}

// usual is the field of the breakdown where none is named.
const usual = "group"

// Read looks through the files from their first line to their last and makes the task, loaded. An error of a file's
// content is an *Error; it is the first of its file.
func Read(o Options, open Opener) (*Task, error) {
	t, s, err := look(o, open)
	if err != nil {
		return nil, err
	}
	s.compare(tasks.Validation)
	s.compare(tasks.Test)
	t.warnings = s.warnings
	return t, nil
}

// look is Read, with what else was seen.
func look(o Options, open Opener) (*Task, *survey, error) {
	d := Data{Tokens: cmp.Or(o.Tokens, Characters), Vocabulary: o.Vocabulary, Groups: o.Groups, Fields: o.Fields}
	if d.Vocabulary != nil {
		if err := d.checkVocabulary(); err != nil {
			return nil, nil, err
		}
	}
	if d.Groups == nil {
		d.Groups = []string{usual}
	}
	if double := repeated(d.Groups); double != "" {
		return nil, nil, fmt.Errorf("the field %q is named twice for the breakdown; name it once", double)
	}
	s := &survey{data: &d, open: open, asked: o.Groups != nil, seed: maphash.MakeSeed()}
	files := [3]*file{}
	var err error
	if files[tasks.Train], d.Train, err = s.first(o.Train); err != nil {
		return nil, nil, err
	}
	t := newTask(d)
	if files[tasks.Validation], d.Validation, err = s.further(t, tasks.Validation, o.Validation); err != nil {
		return nil, nil, err
	}
	if o.Test != "" {
		d.Test = new(File)
		if files[tasks.Test], *d.Test, err = s.further(t, tasks.Test, o.Test); err != nil {
			return nil, nil, err
		}
	}
	if err := s.checkGroups(); err != nil {
		return nil, nil, err
	}
	t.data, t.files, t.columns = d, files, s.columns
	return t, s, nil
}

// survey is one look through the files.
type survey struct {
	data     *Data
	open     Opener
	asked    bool              // the groups were named, and a file that does not fit them is refused
	found    []bool            // of each group: some line has it
	seen     []map[string]bool // the values that each group has in the file that is read; nil: they are not counted
	warnings []error
	columns  []string // of the training file

	seed     maphash.Seed
	training []uint64 // a number for each sample of the training file, in ascending order
	shared   [3]int   // by role: samples that are among them
}

// maxCompared is how many samples of the training file others are compared with.
const maxCompared = 1 << 24

// read goes through a file; each gets its lines.
func (s *survey) read(path string, each func(f *file, number int, line []byte) error) (*file, File, error) {
	source, err := s.open(path)
	if err != nil {
		return nil, File{}, err
	}
	f, err := open(path, source, s.data, each)
	if err != nil {
		return nil, File{}, err
	}
	if f.samples == 0 {
		return nil, File{}, &Error{File: path, Line: 1, Column: 1,
			Text: "the file holds no samples; write one a line, as in " + sampleLine}
	}
	return f, File{Path: path, Bytes: f.end, SHA256: f.sum, Samples: f.samples}, nil
}

// first reads the training file: what it holds decides what the others may.
func (s *survey) first(path string) (*file, File, error) {
	d := s.data
	s.found = make([]bool, len(d.Groups))
	g := gathering{data: d, names: d.Fields.names(), tokens: map[string]bool{}, asked: map[string]bool{},
		classes: map[string]bool{}}
	if d.Vocabulary != nil {
		g.cut = newCutter(*d)
	}
	f, file, err := s.read(path, func(f *file, number int, line []byte) error {
		r, err := f.row(line, d)
		if err == nil {
			err = g.take(r)
		}
		if err == nil && s.columns == nil {
			s.columns = f.names(line)
		}
		if err == nil {
			err = s.takeGroups(path, r)
		}
		if err == nil && len(s.training) < maxCompared {
			s.training = append(s.training, s.number(r))
		}
		return locate(err, path, number, line)
	})
	if err != nil {
		return nil, file, err
	}
	slices.Sort(s.training)
	file.Prompt, file.Target, d.Example = g.prompt, g.target, g.example
	if d.Vocabulary == nil {
		d.Vocabulary = slices.Sorted(maps.Keys(g.tokens))
	}
	for _, token := range d.Vocabulary {
		if !g.asked[token] {
			d.Unasked = append(d.Unasked, token)
		}
	}
	if g.labels {
		d.Classes = sortedClasses(g.classes)
		if len(d.Classes) == 1 {
			return nil, file, &Error{File: path, Line: 1, Column: 1,
				Text: fmt.Sprintf("every label is %s; two classes are needed", show.Exact(d.Classes[0]))}
		}
	}
	return f, file, nil
}

// sample reads a line as a sample of a task, and takes in its groups.
func (s *survey) sample(f *file, t *Task, path string, line []byte, x *tasks.Sample) (row, error) {
	r, err := f.row(line, s.data)
	if err == nil {
		err = s.takeGroups(path, r)
	}
	if err != nil {
		return r, err
	}
	if s.data.Groups == nil {
		r.groups = nil
	}
	return r, t.take(x, r)
}

// further reads a file of the task that the training file made.
func (s *survey) further(t *Task, role tasks.Role, path string) (*file, File, error) {
	var sample tasks.Sample
	prompt, target := 0, 0
	s.seen = make([]map[string]bool, len(s.data.Groups))
	f, file, err := s.read(path, func(f *file, number int, line []byte) error {
		r, err := s.sample(f, t, path, line, &sample)
		if err == nil {
			s.look(role, r)
		}
		prompt, target = max(prompt, len(sample.Prompt)), max(target, len(sample.Target))
		return locate(err, path, number, line)
	})
	file.Prompt, file.Target = prompt, target
	return f, file, err
}

// number is one for a row's prompt and outcome. Two rows have the same by chance once in 2⁶⁴.
func (s *survey) number(r row) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	prompt, _ := r.prompt.text("")
	_, _ = h.Write(prompt)
	_ = h.WriteByte(0xff) // which is in no text
	if r.target.raw != nil {
		target, _ := r.target.text("")
		_, _ = h.Write(target)
	} else {
		label, _ := r.label.word("")
		_, _ = h.WriteString(label)
	}
	return h.Sum64()
}

// look counts a row of a role that stands in the training file too.
func (s *survey) look(role tasks.Role, r row) {
	if _, also := slices.BinarySearch(s.training, s.number(r)); also {
		s.shared[role]++
	}
}

// compare warns of samples of a role that are trained on.
func (s *survey) compare(role tasks.Role) {
	if s.shared[role] == 0 {
		return
	}
	f, train := s.data.files()[role], s.data.Train
	text := fmt.Sprintf("%d of the %d samples for %s (%s) stand among those for training too", s.shared[role],
		f.Samples, role, show.Text(f.Path))
	if f.SHA256 == train.SHA256 {
		text = fmt.Sprintf("the file for %s, %s, is the same as that for training: all its %d samples are trained on",
			role, show.Text(f.Path), f.Samples)
	}
	s.warnings = append(s.warnings, errors.New(text+"; accuracy on them does not tell what was learned beyond them"))
}

// takeGroups notes the values of the groups, of which a file may have that many. Of training no breakdown is made.
func (s *survey) takeGroups(path string, r row) error {
	for i, v := range r.groups {
		if v.raw == nil {
			continue
		}
		field := s.data.Groups[i]
		word, err := v.word(field)
		if err == nil && s.seen != nil {
			if s.seen[i] == nil {
				s.seen[i] = map[string]bool{}
			}
			if s.seen[i][word] = true; len(s.seen[i]) > maxValues {
				err = wrong(v.at, "field %q has more than %d values, too many for a breakdown",
					field, maxValues).with(ChooseGroup)
			}
		}
		if err != nil && !s.asked {
			s.warnings = append(s.warnings,
				fmt.Errorf("%s: %w; results are not broken down by it", show.Text(path), err))
			s.data.Groups = nil
			return nil
		}
		if err != nil {
			return err
		}
		s.found[i] = true
	}
	return nil
}

// checkGroups drops the usual field where no line has it, and refuses another that no line has.
func (s *survey) checkGroups() error {
	d := s.data
	for i, field := range d.Groups {
		if s.found[i] {
			continue
		}
		if !s.asked {
			d.Groups = nil
			return nil
		}
		return wrong(0, "no line has the field %q", field).with(ChooseGroup)
	}
	return nil
}

// gathering collects the vocabulary and the classes of the training file.
type gathering struct {
	data           *Data
	names          Fields
	labels         bool   // else targets
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
	if g.prompt == 0 { // the first line decides
		g.labels = r.label.raw != nil
	}
	switch {
	case !g.labels && r.target.raw == nil:
		return wrong(r.label.at, "field %q stands here, but the lines before have %q; a file has one of the two",
			g.names.Label, g.names.Target)
	case g.labels && r.label.raw == nil:
		return wrong(r.target.at, "field %q stands here, but the lines before have %q; a file has one of the two",
			g.names.Target, g.names.Label)
	}
	n, err := g.count(g.names.Prompt, r.prompt)
	if err != nil {
		return err
	}
	if n == 0 {
		return emptyPrompt(g.names.Prompt, r)
	}
	g.prompt = max(g.prompt, n+1)
	if g.example == "" {
		text, _ := r.prompt.text(g.names.Prompt)
		g.example = shortened(string(text), g.data.words())
		if _, bad := g.cut.add(nil, []byte(g.example)); bad > 0 { // within a token of several characters
			g.example = g.example[:bad]
		}
	}
	if !g.labels {
		n, err := g.count(g.names.Target, r.target)
		g.target = max(g.target, n+1)
		return err
	}
	word, err := r.label.word(g.names.Label)
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
			if field == g.names.Prompt {
				g.asked[g.data.Vocabulary[tokenPlace(id)]] = true
			}
		}
	case g.data.words():
		eachWord(text, func(at int, word []byte) bool {
			if slices.Contains(everywhere, string(word)) {
				err = wrong(v.place(at), "field %q: %s is a token of every vocabulary, and no word; write it "+
					"otherwise", field, word)
				return false
			}
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
	case err != nil:
		return n, err
	case n > MaxTokens:
		return n, tooLong(field, n, v)
	case len(g.tokens) > maxVocabulary:
		return n, wrong(v.at, "field %q: more than %d different tokens so far",
			field, maxVocabulary).with(TakeCharacters)
	}
	return n, nil
}

func (g *gathering) note(field string, token []byte) {
	if !g.tokens[string(token)] {
		g.tokens[string(token)] = true
	}
	if field == g.names.Prompt && !g.asked[string(token)] {
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
	if err := strict.UnmarshalKnown(raw, &d); err != nil {
		return nil, fmt.Errorf("key \"data\": %w; take it from the run's own config.json", err)
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
	left := d.Vocabulary // Unasked is in its order
	for _, token := range d.Unasked {
		i := slices.Index(left, token)
		if left = left[i+1:]; i < 0 {
			return fmt.Errorf("unasked has %q, which the vocabulary has not; take it from the run's own config.json",
				token)
		}
	}
	if n := len(d.Classes); n == 1 || n > maxClasses {
		return fmt.Errorf("classes has %d; 2 to %d are needed, or none", n, maxClasses)
	}
	if double := repeated(d.Classes); double != "" {
		return fmt.Errorf("classes has %q twice; remove one", double)
	}
	if n := len(d.Classes); (n == 0) != (d.Train.Target > 0) {
		return fmt.Errorf("classes has %d and the longest target of train %d tokens: files have labels or targets; "+
			"take both from the run's own config.json", n, d.Train.Target)
	}
	for role, f := range d.files() {
		if f != nil && (f.Path == "" || f.Bytes < 1 || f.Samples < 1 || f.Prompt < 2 || f.Target < 0 ||
			max(f.Prompt, f.Target) > MaxTokens+1 || (f.Target == 0) != (len(d.Classes) > 0)) {
			return fmt.Errorf("%s is not what a file can be; take it from the run's own config.json", tasks.Role(role))
		}
	}
	return nil
}

// checkVocabulary refuses tokens that no text could hold, or that another hides.
func (d *Data) checkVocabulary() error {
	if err := strict.OneOf("tokens", d.Tokens, []string{Characters, Words}); err != nil {
		return err
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
		case slices.Contains(everywhere, token):
			return fmt.Errorf("token %d of the vocabulary is %q, which every vocabulary has; remove it", i+1, token)
		}
	}
	if double := repeated(d.Vocabulary); double != "" {
		return fmt.Errorf("the vocabulary has %q twice; remove one", double)
	}
	return nil
}

// everywhere are the tokens that every vocabulary has.
var everywhere = []string{"<SOS>", "<EOS>", "<PAD>"}

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
		want := t.data.files()[r]
		if want == nil {
			return fmt.Errorf("the run has no %s file", r)
		}
		source, err := openFile(want.Path)
		if err != nil {
			return err
		}
		name := want.Path
		if f, ok := source.(interface{ Name() string }); ok {
			name = f.Name() // where it was moved to
		}
		if source.Size() != want.Bytes {
			return fmt.Errorf("%s has %d bytes, but had %d when the run began; put the file back as it was, "+
				"or start a new run", name, source.Size(), want.Bytes)
		}
		f, err := open(name, source, &t.data, nil)
		if err != nil {
			return err
		}
		if f.sum != want.SHA256 || f.samples != want.Samples {
			return fmt.Errorf("%s is not the file that the run began with (its SHA-256 is %s); "+
				"put the file back as it was, or start a new run", name, f.sum)
		}
		t.files[r] = f
	}
	return nil
}

// SamplesOf reads all samples of any file of the task's kind, in the order of its lines, and warns of what is odd in
// it. fields and names, where not nil, take the place of the data's groups and of its names of fields.
func (t *Task) SamplesOf(path string, fields []string, names *Fields, openFile Opener) (list []tasks.Sample,
	warnings []error, err error) {
	d := t.data
	if fields != nil {
		d.Groups = fields
	}
	if names != nil {
		d.Fields = names
	}
	t = newTask(d)
	s := &survey{data: &t.data, open: openFile, asked: fields != nil || !slices.Equal(d.Groups, []string{usual}),
		found: make([]bool, len(d.Groups)), seen: make([]map[string]bool, len(d.Groups))}
	_, _, err = s.read(path, func(f *file, number int, line []byte) error {
		var x tasks.Sample
		if _, err := s.sample(f, t, path, line, &x); err != nil {
			return locate(err, path, number, line)
		}
		list = append(list, x)
		return nil
	})
	if err == nil && fields != nil {
		err = s.checkGroups()
	}
	if t.data.Groups == nil {
		for i := range list {
			list[i].Groups = nil
		}
	}
	return list, s.warnings, err
}

// EachLine calls each with every line of a file of JSON lines that is not blank, and its number from 1. Files of
// another kind are refused with an *Error that says what they are.
func EachLine(path string, openFile Opener, each func(number int, line []byte) error) error {
	s := &survey{data: &Data{}, open: openFile}
	_, _, err := s.read(path, func(f *file, number int, line []byte) error {
		if f.comma != 0 {
			return &Error{File: path, Line: 1, Column: 1,
				Text: "the file is a table; write a JSON object a line, as mhacsp data does"}
		}
		return each(number, line)
	})
	return err
}

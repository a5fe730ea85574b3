package tasks

// curriculumLength is where a length curriculum starts (SPEC §8).
const curriculumLength = 4

// classifier is what the classification tasks share: a string of characters after SOS, a label and no target.
type classifier struct {
	name       string
	example    string
	characters string
	vocabulary *Vocabulary
	classes    []string
	lengths    lengths
	stream     uint64
}

func (t *classifier) Name() string                 { return t.name }
func (t *classifier) Vocabulary() *Vocabulary      { return t.vocabulary }
func (t *classifier) Classes() int                 { return len(t.classes) }
func (t *classifier) ClassName(label int32) string { return t.classes[label] }
func (t *classifier) Example() string              { return t.example }
func (t *classifier) Characters() string           { return t.characters }
func (t *classifier) span() lengths                { return t.lengths }
func (t *classifier) MaxPrompt() int               { return 1 + t.lengths.high }
func (t *classifier) MaxTarget() int               { return 0 }
func (t *classifier) Answer([]int32) (int32, bool) { return 0, false }

func (t *classifier) Curriculum() Curriculum {
	full := t.lengths.high
	return Curriculum{Limit: Length, From: min(max(curriculumLength, t.lengths.low), full), Full: full}
}

// begin resets s and draws the length of its string.
func (t *classifier) begin(s *Sample, d Draw, index uint64) stream {
	s.Reset()
	r := newStream(t.stream, d, index)
	s.Length = t.lengths.draw(&r, d.MaxLength)
	return r
}

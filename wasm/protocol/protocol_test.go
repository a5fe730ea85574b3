package protocol

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"mhacsp/model/ask"
	"mhacsp/model/trace"
	"mhacsp/model/train"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// TestCommands reads every command as the page writes it, and writes it back the same.
func TestCommands(t *testing.T) {
	for text, want := range map[string]Command{
		`{"type":"open","id":1,"run":{"task":"parity"},"backend":"gpu"}`: {Type: Open, ID: 1, Run: json.RawMessage(`{"task":"parity"}`), Backend: "gpu"},
		`{"type":"open"}`:                           {Type: Open, Backend: "auto"},
		`{"type":"start"}`:                          {Type: Start},
		`{"type":"pause"}`:                          {Type: Pause},
		`{"type":"step"}`:                           {Type: Step, Count: 1},
		`{"type":"step","count":20}`:                {Type: Step, Count: 20},
		`{"type":"reset"}`:                          {Type: Reset},
		`{"type":"seek","step":0}`:                  {Type: Seek},
		`{"type":"seek","step":40}`:                 {Type: Seek, Step: 40},
		`{"type":"speed","stepsPerSecond":2.5}`:     {Type: Speed, StepsPerSecond: 2.5},
		`{"type":"speed","stepsPerSecond":0}`:       {Type: Speed},
		`{"type":"read","text":"1 + 1"}`:            {Type: Read, Text: "1 + 1"},
		`{"type":"read","text":""}`:                 {Type: Read},
		`{"type":"samples","n":8}`:                  {Type: Samples, N: 8},
		`{"type":"evaluate","n":64}`:                {Type: Evaluate, N: 64, Role: "test"},
		`{"type":"evaluate","n":64,"role":"train"}`: {Type: Evaluate, N: 64, Role: "train"},
		`{"type":"lengths","n":64}`:                 {Type: Lengths, N: 64},
		`{"type":"embedding","id":9}`:               {Type: Embed, ID: 9},
		`{"type":"save","full":true}`:               {Type: Save, Full: true},
		`{"type":"bench","n":32,"count":5}`:         {Type: Bench, Backend: "auto", N: 32, Count: 5},
		`{"type":"load"}`:                           {Type: Load, Backend: "auto"},
	} {
		got, err := ParseCommand([]byte(text))
		assert.Need(t, err == nil && reflect.DeepEqual(got, want), "%s: %+v, %v; want %+v", text, got, err, want)
		back := assert.Must(json.Marshal(got))(t)
		assert.Is(t, assert.Must(ParseCommand(back))(t), want, "%s: written as %s and read as", text, back)
	}
}

// TestCommandErrors: every error names the field, the value and the remedy, and keeps the id.
func TestCommandErrors(t *testing.T) {
	for text, want := range map[string]struct{ field, part string }{
		`{"type":"dance","id":4}`:                            {"type", `"dance"; choose one of bench, embedding, evaluate`},
		`{"id":4}`:                                           {"type", `""; choose one of`},
		`{"type":"pause","id":4,"text":"x"}`:                 {"text", `"pause" takes no "text"; leave it out`},
		`{"type":"pause","id":4,"colour":1}`:                 {"", `unknown key "colour"`},
		`{"type":"open","id":4,"run":{"steps":3,"steps":4}}`: {"", `key "steps" stands twice`},
		`{"type":"step","id":4,"Count":3}`:                   {"", `unknown key "Count", did you mean "count"`},
		`{"type":"open","id":4,"backend":"tpu"}`:             {"backend", `"tpu"; choose one of auto, gpu, cpu`},
		`{"type":"step","id":4,"count":0}`:                   {"count", "count is 0; choose a number from 1"},
		`{"type":"step","id":4,"count":"many"}`:              {"count", `"count" holds a string`},
		`{"type":"step","id":4,"count":1.5}`:                 {"count", `"count" holds a number 1.5`},
		`{"type":"seek","id":4,"step":-1}`:                   {"step", "step is -1"},
		`{"type":"speed","id":4,"stepsPerSecond":-1}`:        {"stepsPerSecond", "stepsPerSecond is -1"},
		`{"type":"samples","id":4}`:                          {"n", "n is 0"},
		`{"type":"evaluate","id":4,"n":1,"role":"my"}`:       {"role", `"my"; choose one of train, validation, test`},
	} {
		c, err := ParseCommand([]byte(text))
		assert.Need(t, err != nil, "%s: no error", text)
		e := Refused(err)
		assert.True(t, e.Field == want.field && strings.Contains(e.Text, want.part) && e.At == -1 && !e.Fatal &&
			c.ID == 4, "%s: %+v of command %d; want field %q and %q", text, e, c.ID, want.field, want.part)
	}
	_, err := ParseCommand([]byte(`{"type":`))
	assert.True(t, err != nil, "half an object was taken")
}

// TestFiles: files go to the commands that take them and to no other.
func TestFiles(t *testing.T) {
	file := map[string][]byte{"checkpoint": {1}, "state": {2}}
	c := Command{Type: Load}
	err := c.Attach(file)
	assert.True(t, err == nil && c.Checkpoint[0] == 1 && c.State[0] == 2, "load: %+v, %v", c, err)
	for _, x := range []struct {
		command Command
		files   map[string][]byte
		field   string
	}{
		{Command{Type: Read}, file, ""}, {Command{Type: Load, Backend: "auto"}, nil, "checkpoint"},
		{Command{Type: Open}, map[string][]byte{"state": {2}}, "state"}, {Command{Type: Open}, map[string][]byte{"weights": {2}}, "weights"},
	} {
		var e *Error
		err := x.command.Attach(x.files)
		assert.True(t, errors.As(err, &e) && (x.field == "" || e.Field == x.field),
			"%s with %v: %v", x.command.Type, x.files, err)
	}
	got := (Saved{Checkpoint: []byte{1}}).Files()
	assert.True(t, len(got) == 1, "a save without state has files %v", got)
}

// TestEvents writes every event with an id and reads it back the same.
func TestEvents(t *testing.T) {
	lacks := []tasks.Unpractised{{Kind: "number", Value: "9", Most: 8, Same: "0"}}
	for _, e := range []Event{
		Ready{Version: "1", WebGPU: true},
		Opened{
			Run: json.RawMessage(`{"task":"parity"}`), Step: 3, Parameters: 4, Memory: 5, Backend: "gpu",
			Adapter: "a", Software: true, Notice: "n", Example: "1",
		},
		Status{State: Running, Step: 3, StepsPerSecond: 1.5},
		Steps{Steps: []train.Step{{Step: 1, Loss: 2.5, Exact: 0.25, Tokens: 4, Limit: 100, Seconds: 0.25}}},
		Eval{
			Step: 3, Role: "test", Loss: 1, Tally: Tally{4, 0.25, 0.5}, Common: 0.25,
			ByOperands: []OperandGroup{{2, Tally{4, 0.25, 0.5}}}, ByDepth: []DepthGroup{{0, Tally{4, 0.25, 0.5}}},
			ByLength: []LengthGroup{{8, Tally{4, 0.25, 0.5}}},
		},
		Reading{Unpractised: lacks, Instead: "0 + 1", Reading: trace.Reading{
			Text: "1", Tokens: []string{"<SOS>"}, Width: 1, Heads: 1, Turning: 1,
			State: [][]float32{{0.6, 0.8}}, Memory: [][]float32{{3, 4}}, Period: 96, Outcomes: []string{"0"}, Modulus: 9,
			Probabilities: [][]float32{{0.1}}, Distance: [][][]float32{{{0}}}, Tree: [][][]float32{{{0}}}, Attention: [][][]float32{{{1}}},
			Fusion: [][][]float32{{{1}}}, Answer: "1", Expected: "1", Right: true, Step: 3,
		}},
		SampleList{[]ask.Sample{{Prompt: "p", Target: "t", Output: "o", Answer: "a", Expected: "e", Right: true,
			Exact: true, Operands: 2}}},
		LengthList{[]LengthSet{{"n", 256, 0, 10, 0.5, 0.25}}}, Embedding{[]Point{{"0", 1, 2}}, []float64{0.75, 0.25}},
		Timing{"cpu", "a", false, 32, 10, 20, 1000, []float64{1.5, 1.25}}, Saved{Step: 3, Name: "n"}, Warning{"w"},
		Preparing{1, 2}, &Error{"e", "f", 3, "x", true, true, nil}, Done{3, "finished"},
	} {
		text := assert.Must(Encode(e, 7))(t)
		var head struct {
			Type string `json:"type"`
			ID   int    `json:"id"`
		}
		kind := reflect.TypeOf(e)
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		back := reflect.New(kind)
		err := errors.Join(json.Unmarshal(text, &head), json.Unmarshal(text, back.Interface()))
		assert.Need(t, err == nil, "%s: %v", text, err)
		was := reflect.Indirect(reflect.ValueOf(e)).Interface()
		assert.True(t, head.Type == e.Type() && head.ID == 7 && reflect.DeepEqual(back.Elem().Interface(), was),
			"%s: read back as %+v of type %q, id %d", text, back.Elem(), head.Type, head.ID)
		plain, _ := Encode(e, 0)
		assert.True(t, !strings.Contains(string(plain), `"id"`), "%s has an id, it answers nothing", plain)
	}
}

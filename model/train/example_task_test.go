package train_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"mhacsp/model/backend/cpu"
	"mhacsp/model/train"
	"mhacsp/tasks"
)

// ends is a task of mine: does a string of a and b begin and end with the same letter? Its value is the greatest
// length.
type ends int

func (e ends) Name() string                 { return "ends" }
func (e ends) Classes() int                 { return 2 }
func (e ends) ClassName(label int32) string { return [...]string{"differ", "same"}[label] }
func (e ends) Example() string              { return "abba" }
func (e ends) Characters() string           { return "ab" }
func (e ends) MaxPrompt() int               { return 1 + int(e) } // <SOS> comes first
func (e ends) MaxTarget() int               { return 0 }

// Vocabulary has <SOS>, <EOS> and <PAD> where every vocabulary has them, at 16 to 18.
func (e ends) Vocabulary() *tasks.Vocabulary {
	tokens := []string{"a", "b"}
	for len(tokens) < int(tasks.SOS) {
		tokens = append(tokens, fmt.Sprintf("<unused %d>", len(tokens)))
	}
	return tasks.NewVocabulary(append(tokens, "<SOS>", "<EOS>", "<PAD>"))
}

// Sample depends on its arguments alone: seed, role and index make the random numbers.
func (e ends) Sample(s *tasks.Sample, d tasks.Draw, index uint64) {
	random := rand.New(rand.NewPCG(d.Seed<<2|uint64(d.Role), index))
	*s = tasks.Sample{Prompt: append(s.Prompt[:0], tasks.SOS), AnswerAt: -1, Length: 2 + random.IntN(int(e)-1)}
	for range s.Length {
		s.Prompt = append(s.Prompt, int32(random.IntN(2)))
	}
	if s.Prompt[1] == s.Prompt[s.Length] {
		s.Label = 1
	}
}

func (e ends) Answer([]int32) (int32, bool) { return 0, false } // of sequences
func (e ends) Curriculum() tasks.Curriculum { return tasks.Curriculum{} }

// A task of mine: a type that is a tasks.Task, with the settings that suit it.
func ExampleRecommended() {
	run, err := train.Recommended(ends(6), "csp")
	if err != nil {
		log.Fatal(err)
	}
	if err := run.Overlay([]byte(`{"width": 16, "steps": 250, "batch": 32, "lr": 0.005, "warmup": 0,
		"eval_every": 0, "eval_samples": 64, "test_samples": 0}`)); err != nil {
		log.Fatal(err)
	}
	if _, err := run.Fit(); err != nil { // the network gets the task's vocabulary and classes
		log.Fatal(err)
	}
	device := cpu.New()
	defer device.Close()
	network, err := run.Config.Open(device)
	if err != nil {
		log.Fatal(err)
	}
	network.Initialise(run.Training.Seed)
	trainer, err := train.New(run, network)
	if err != nil {
		log.Fatal(err)
	}
	if err := trainer.Continue(context.Background(), func(train.Event) {}, nil); err != nil {
		log.Fatal(err)
	}
	test, err := trainer.Evaluate(tasks.Test, 256)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("more than nine in ten right:", test.Report.ExactRate() > 0.9)
	// Output:
	// more than nine in ten right: true
}

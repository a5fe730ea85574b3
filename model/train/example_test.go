package train_test

import (
	"context"
	"fmt"
	"log"

	"mhacsp/model/ask"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/train"
	"mhacsp/tasks"
)

// Train, evaluate, ask: a run of a configuration, without a folder. Keys that are left out have the defaults of
// FORMATS.md.
func ExampleNew() {
	run, task, err := train.Resolve([]byte(`{
		"task": "parity", "max_length": 8, "model": "csp", "width": 16,
		"steps": 250, "batch": 32, "lr": 0.005, "warmup": 0, "eval_every": 0, "eval_samples": 64, "test_samples": 0}`))
	if err != nil {
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

	question, err := ask.Parse(task, "", "1011001")
	if err != nil {
		log.Fatal(err)
	}
	reply, err := ask.Put(network, task, "", question)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("1011001 has parity", reply.Answer)
	// Output:
	// more than nine in ten right: true
	// 1011001 has parity 0
}

package own_test

import (
	"fmt"
	"log"
	"strings"

	"mhacsp/tasks"
	"mhacsp/tasks/own"
)

// Files are read through whatever opens them. The task goes to a run with train.Recommended, as any custom task.
func ExampleRead() {
	files := map[string]string{
		"train.jsonl":      `{"prompt": "abc", "target": "cba", "group": "long"}`,
		"validation.jsonl": `{"prompt": "cab", "target": "bac"}`,
	}
	task, err := own.Read(own.Options{Train: "train.jsonl", Validation: "validation.jsonl"},
		func(path string) (own.Source, error) { return strings.NewReader(files[path]), nil })
	if err != nil {
		log.Fatal(err)
	}
	var s tasks.Sample
	task.Sample(&s, tasks.Draw{Seed: 1, Role: tasks.Validation}, 0)
	fmt.Println(task.Text(s.Prompt), "→", task.Text(s.Target))

	files["train.jsonl"] = `{"prompt": "abc", "label": 0.5}`
	_, err = own.Read(own.Options{Train: "train.jsonl", Validation: "validation.jsonl"},
		func(path string) (own.Source, error) { return strings.NewReader(files[path]), nil })
	fmt.Println(err)
	// Output:
	// cab → bac
	// train.jsonl:1:28: field "label" holds 0.5; a text, a whole number, or true or false is needed
}

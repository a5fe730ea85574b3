// Command check reads a Job of Kubernetes as its own types do, strictly: a key that they do not have, or a value of
// another type, is an error. It prints the Job as JSON. It is a module of its own, so that the trainer does not depend
// on Kubernetes; TestKubernetes in native runs it.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	batch "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := check(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var job batch.Job
	if err := yaml.UnmarshalStrict(text, &job); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return json.NewEncoder(os.Stdout).Encode(job)
}

// Command check reads a manifest as Kubernetes' own types do, strictly: a key that they do not have, or a value of
// another type, is an error. Which words a field takes it does not know: TestKubernetes in native, which runs it,
// looks at those. It prints the manifest as JSON. It is a module of its own, so that the trainer does not depend on
// Kubernetes.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
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
	var is struct{ Kind string }
	if err := yaml.Unmarshal(text, &is); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var manifest any
	switch is.Kind {
	case "Job":
		manifest = new(batch.Job)
	case "PersistentVolumeClaim":
		manifest = new(core.PersistentVolumeClaim)
	default:
		return fmt.Errorf("%s: it is a %q; add its type here", path, is.Kind)
	}
	if err := yaml.UnmarshalStrict(text, manifest); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return json.NewEncoder(os.Stdout).Encode(manifest)
}

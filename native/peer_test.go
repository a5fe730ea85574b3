//go:build !js

package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPeer: the PyTorch model computes our logits, from our checkpoint and our batch, and both are timed. Where
// no Python has PyTorch the test is skipped.
func TestPeer(t *testing.T) {
	python := ""
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(p, "-c", "import torch").Run() == nil {
			python = p
			break
		}
	}
	if python == "" {
		t.Skip("no python3 with PyTorch")
	}
	t.Setenv("OPENBLAS_NUM_THREADS", "1") // threads of its own wait for each other on a busy machine
	for _, preset := range []string{"mha-csp", "mha-csp-s"} {
		text, err := exec.Command(python, "peer/peer.py", "--mhacsp", binary(), "--model", preset,
			"--batch", "2", "--steps", "1", "--warmup", "0", "--threads", "1").CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", preset, err, text)
		}
		for _, wanted := range []string{"logits differ by", "PyTorch, eager", "ours, cpu"} {
			if !strings.Contains(string(text), wanted) {
				t.Errorf("%s: no %q in\n%s", preset, wanted, text)
			}
		}
	}
	text, err := exec.Command(python, "peer/peer.py",
		"--mhacsp", binary(), "--model", "mha-csp-2").CombinedOutput()
	if err == nil || !strings.Contains(string(text), "the configuration has layers 2") {
		t.Errorf("two blocks: %v\n%s", err, text)
	}
}

//go:build !js

package native

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// TestPeer: the PyTorch models compute our logits, from our checkpoint and batch, in every form, and all are timed.
// Where no Python has PyTorch the test is skipped.
func TestPeer(t *testing.T) {
	t.Parallel()
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
	gated := []string{"cells", "fused", "packed"}
	for preset, forms := range map[string][]string{
		"mha-csp": {"eager"}, "mha-csp-s": {"eager"}, "lstm": gated, "gru": gated,
	} {
		c := exec.Command(python, "peer/peer.py", "--mhacsp", nativetest.Binary(), "--model", preset,
			"--batch", "2", "--steps", "1", "--warmup", "0", "--threads", "1")
		c.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1") // its threads wait for each other on a busy machine
		text, err := c.CombinedOutput()
		assert.True(t, err == nil, "%s: %v\n%s", preset, err, text)
		if n := strings.Count(string(text), "logits differ by"); n != len(forms) {
			t.Errorf("%s: %d times \"logits differ by\", want %d, in\n%s", preset, n, len(forms), text)
		}
		wanted := []string{"ours, cpu"}
		for _, form := range forms {
			wanted = append(wanted, "PyTorch, "+form)
		}
		for _, w := range wanted {
			assert.True(t, strings.Contains(string(text), w), "%s: no %q in\n%s", preset, w, text)
		}
	}
	text, err := exec.Command(python, "peer/peer.py",
		"--mhacsp", nativetest.Binary(), "--model", "mha-csp-2").CombinedOutput()
	assert.True(t, err != nil && strings.Contains(string(text), "the configuration has layers 2"),
		"two blocks: %v\n%s", err, text)
}

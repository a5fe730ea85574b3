//go:build !js

package native

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// TestPeer: the PyTorch models compute our logits, from our checkpoint and batch, in every form, and all are timed.
// Where no Python has PyTorch the test is skipped.
func TestPeer(t *testing.T) {
	t.Parallel()
	pythons := []string{"python3", "/usr/bin/python3"}
	at := slices.IndexFunc(pythons, func(p string) bool { return exec.Command(p, "-c", "import torch").Run() == nil })
	if at < 0 {
		t.Skip("no python3 with PyTorch")
	}
	peer := func(line string) *exec.Cmd {
		return exec.Command(pythons[at], words("peer/peer.py "+line+" --mhacsp", nativetest.Binary())...)
	}
	gated := []string{"cells", "fused", "packed"}
	for preset, forms := range map[string][]string{
		"mha-csp": {"eager"}, "mha-csp-s": {"eager"}, "lstm": gated, "gru": gated,
	} {
		c := peer("--batch 2 --steps 1 --warmup 0 --threads 1 --model " + preset)
		c.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1") // its threads wait for each other on a busy machine
		text := output(t, c)
		n := strings.Count(text, "logits differ by")
		assert.True(t, n == len(forms), "%s: %d times \"logits differ by\" in\n%s", preset, n, text)
		assert.Says(t, text, "ours, cpu")
		for _, form := range forms {
			assert.Says(t, text, "PyTorch, "+form)
		}
	}
	text, err := peer("--model mha-csp-2").CombinedOutput()
	assert.True(t, err != nil && strings.Contains(string(text), "the configuration has layers 2"),
		"two blocks: %v\n%s", err, text)
}

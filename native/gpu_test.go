//go:build cgo && !js

package native

import (
	"strings"
	"testing"

	"mhacsp/model/backend/backendtest"
	"mhacsp/model/backend/webgpu"
)

// softwareAdapter is the name of any adapter. Without one the test ends in backendtest.NoGPU.
func softwareAdapter(t *testing.T) string {
	list, err := webgpu.Adapters()
	if err != nil {
		backendtest.NoGPU(t, err)
	}
	return list[0].Adapter
}

// TestGPU: devices lists the adapter, a run trains on it under the mirror, and its
// checkpoint moves to the CPU and back.
func TestGPU(t *testing.T) {
	t.Parallel()
	adapter := softwareAdapter(t)
	p := newPlace(t)
	if out := p.ok("devices"); !strings.Contains(out, adapter) || !strings.Contains(out, "processor") {
		t.Errorf("devices prints %q", out)
	}
	out := p.ok("train", "--backend", "gpu", "--adapter", adapter,
		"--mirror", "--model", "mha-csp-s", "--width", "8", "--heads", "2",
		"--steps", "4", "--batch", "4", "--eval-samples", "8",
		"--test-samples", "8", "--checkpoint-every", "2", "--out", "run")
	if !strings.Contains(out, adapter) || !strings.Contains(out, "mirrored on cpu64") {
		t.Errorf("the run does not name its devices: %q", out)
	}
	var b benchmark
	p.json(&b, "bench", "--backend", "gpu", "--adapter", adapter, "--model", "csp",
		"--width", "8", "--task", "parity", "--batch", "4", "--steps", "2",
		"--warmup", "1", "--kernels", "--json")
	if len(b.Shaders) == 0 && b.NoClock == "" || b.GPUMiB <= 0 {
		t.Errorf("bench --kernels: %+v", b)
	}
	for _, k := range b.Shaders {
		if k.Ms < 0 || k.Calls < 1 {
			t.Errorf("shader %+v", k)
		}
	}
	out = p.ok("bench", "--backend", "cpu", "--model", "csp", "--width", "8", "--task", "parity",
		"--batch", "4", "--steps", "1", "--kernels")
	if !strings.Contains(out, "no times of shaders") {
		t.Errorf("bench --kernels on the CPU prints %q", out)
	}
	for _, device := range [][]string{
		{"--backend", "cpu"}, {"--backend", "gpu"}, {"--backend", "gpu", "--adapter", adapter},
	} {
		out := p.ok(append([]string{"ask", "--run", "run", "3 + 4"}, device...)...)
		if !strings.Contains(out, "most probable") {
			t.Errorf("%v: ask prints %q", device, out)
		}
	}
}

// TestReportGPU: the report of an adapter has its name, its driver, checks and times, and checks can be had alone.
func TestReportGPU(t *testing.T) {
	t.Parallel()
	adapter := softwareAdapter(t)
	p := newPlace(t)
	text := p.ok("report", "--adapter", adapter, "--budget", "40s", "--model", "mha-csp", "--batch", "2")
	for _, want := range []string{
		"### mhacsp report: " + adapter, "a software adapter", "| driver | ", "set for real GPUs",
		"**right** kernels", "GPU, batch 2", "<summary>Kernels of a step: mha-csp, batch 2, GPU",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	markdownTables(t, text)
	out := p.ok("check", "--backend", "gpu", "--adapter", adapter, "--seconds", "1")
	if !strings.Contains(out, "right ") {
		t.Errorf("check prints %q", out)
	}
	code, _, errs := p.try("report", "--adapter", "x")
	if code != codeUser || !strings.Contains(errs, "--adapter is \"x\"") || !strings.Contains(errs, adapter) {
		t.Errorf("an adapter that is not there: exit code %d, %q", code, errs)
	}
}

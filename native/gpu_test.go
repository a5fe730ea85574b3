//go:build cgo && !js

package native

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mhacsp/model/backend/backendtest"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/tune"
	"mhacsp/model/backend/webgpu"
	"mhacsp/native/cli"
	"mhacsp/native/cmd/bench"
	"mhacsp/native/hardware"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
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
	p, adapter := parallelPlace(t), softwareAdapter(t)
	assert.Says(t, p.OK("devices"), adapter, "processor")
	out := p.OK(words("train --backend gpu --mirror --model mha-csp-s --width 8 --heads 2 --steps 4 --batch 4 "+
		"--eval-samples 8 --test-samples 8 --checkpoint-every 2 --out run --adapter", adapter)...)
	assert.Says(t, out, adapter, "mirrored on cpu64")
	var b bench.Result
	p.JSON(&b, words("bench --backend gpu --model csp --width 8 --task parity --batch 4 --steps 2 --warmup 1 "+
		"--kernels --json --adapter", adapter)...)
	assert.True(t, (len(b.Shaders) != 0 || b.NoClock != "") && b.GPUMiB > 0, "bench --kernels: %+v", b)
	for _, k := range b.Shaders {
		assert.True(t, k.Ms >= 0 && k.Calls >= 1, "shader %+v", k)
	}
	out = p.OK(words("bench --backend cpu --model csp --width 8 --task parity --batch 4 --steps 1 --kernels")...)
	assert.Says(t, out, "no times of shaders")
	for _, device := range [][]string{{"cpu"}, {"gpu"}, {"gpu", "--adapter", adapter}} {
		assert.Says(t, p.OK(words("ask --run run 3+4 --backend", device...)...), "most probable")
	}
}

// TestReportGPU: the report of an adapter has its name, its driver, checks and times, and checks can be had alone.
func TestReportGPU(t *testing.T) {
	p, adapter := parallelPlace(t), softwareAdapter(t)
	text := p.reported(cli.CodeOK, "", words("--model mha-csp --batch 2 --adapter", adapter),
		"### mhacsp report: "+adapter, "a software adapter", "| driver | ", "set for real GPUs", "**right** kernels",
		"GPU, batch 2", "<summary>Kernels of a step: mha-csp, batch 2, GPU")
	nativetest.Tables(t, text)
	assert.Says(t, p.OK(words("check --backend gpu --seconds 1 --adapter", adapter)...), "right ")
	_, errs := p.ends(cli.CodeUser, `--adapter is "x"`, "report", "--adapter", "x")
	assert.Says(t, errs, adapter)
}

// TestDevicesForms: devices shows what was found for an adapter, as text and as JSON, and --tune forgets it.
func TestDevicesForms(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the cache folder is set by XDG_CACHE_HOME on Linux alone")
	}
	p := newPlace(t)
	p = p.with("XDG_CACHE_HOME=" + p.Path("cache"))
	path := p.Path("cache/mhacsp/forms.json")
	gpus, err := hardware.Adapters()
	if err != nil {
		t.Skip("no adapter:", err)
	}
	found := tune.Record{
		Key:     tune.Key{Adapter: gpus[0].Adapter, Kernels: "1", Width: 132, Angle: "token", Batch: 128},
		Choices: []tune.Choice{{Knob: "forward", Value: "registers", Times: []tune.Time{{Value: "registers", Ms: 1}}}},
	}
	text, err := tune.Records{found}.Encode()
	assert.NoError(t, errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)))
	assert.Says(t, p.OK("devices"), "angles by token")
	var read []struct {
		Name  string
		Forms []tune.Record
	}
	p.JSON(&read, "devices", "--json")
	host := cpu.New()
	defer host.Close()
	assert.True(t, len(read) == 1+len(gpus) && read[0].Name == host.Info().Name && read[1].Forms[0].Width == 132,
		"devices --json prints %+v", read)
	out := p.OK("devices", "--tune")
	assert.True(t, strings.Contains(out, "forgotten") && !strings.Contains(out, "angles by"), "--tune: %q", out)
	p.Absent("cache/mhacsp/forms.json")
	assert.NoError(t, os.WriteFile(path, []byte("{"), 0o644))
	out, errs := p.ends(cli.CodeOK, path, "devices")
	assert.True(t, strings.Count(errs, "\n") == 1 && strings.Contains(out, "cpu"), "a damaged file: %q, %q", out, errs)
}

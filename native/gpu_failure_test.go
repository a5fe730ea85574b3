//go:build cgo && linux

package native

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mhacsp/model/backend/backendtest"
	"mhacsp/native/cli"
	"mhacsp/native/cmd/bench"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// failingDriver is a place whose commands use testdata/failing_driver.c over Mesa's software driver; the environment
// variables that it names say what fails. Its test is parallel.
func failingDriver(t *testing.T) place {
	t.Helper()
	t.Parallel()
	softwareAdapter(t)
	found, _ := filepath.Glob("/usr/share/vulkan/icd.d/lvp_icd*.json")
	if len(found) == 0 {
		backendtest.NoGPU(t, "Mesa's software driver is not where Debian has it")
	}
	text := assert.Must(os.ReadFile(found[0]))(t)
	var manifest map[string]any
	assert.NoError(t, json.Unmarshal(text, &manifest))
	icd := manifest["ICD"].(map[string]any)
	driver := icd["library_path"].(string)
	dir := t.TempDir()
	library := filepath.Join(dir, "failing_driver.so")
	build := exec.Command("gcc", "-shared", "-fPIC", "-o", library, "testdata/failing_driver.c", "-ldl")
	if out, err := build.CombinedOutput(); err != nil {
		backendtest.NoGPU(t, string(out), err)
	}
	icd["library_path"] = library
	text = assert.Must(json.Marshal(manifest))(t)
	name := filepath.Join(dir, "failing_driver.json")
	assert.NoError(t, os.WriteFile(name, text, 0o644))
	// VK_ICD_FILENAMES is its name in older loaders.
	return newPlace(t).with("FAIL_DRIVER="+driver, "VK_DRIVER_FILES="+name, "VK_ICD_FILENAMES="+name)
}

// lossRun is a short run on the GPU with many checkpoints.
func lossRun(out string) []string {
	return words("train --backend gpu --task parity --model csp --width 8 --steps 40 --checkpoint-every 5 --batch 8 "+
		"--curriculum=false --eval-every 0 --eval-samples 8 --test-samples 8 --out", out)
}

// TestLostDevice: whichever call of the driver reports the loss, training ends with one clear line that names the last
// checkpoint, without a stack trace of ours, and the run goes on from there to the same end.
func TestLostDevice(t *testing.T) {
	p := failingDriver(t)
	p.OK(lossRun("whole")...)
	for _, x := range []struct{ call, result, after string }{
		{"vkQueueSubmit", "-4", "60"},               // what a step, an upload and a download end in
		{"vkGetSemaphoreCounterValue", "-4", "200"}, // what Sync and reading back ask
		{"vkAllocateMemory", "-4", "1"},             // a buffer
		{"vkAllocateMemory", "-2", "1"},             // the same, out of memory
		{"vkCreateDescriptorPool", "-4", "1"},       // a bind group
	} {
		t.Run(x.call+x.result, func(t *testing.T) {
			p := p.in(t)
			t.Parallel()
			dir := "lost" + x.call + x.result
			failing := p.with("FAIL_CALL="+x.call, "FAIL_RESULT="+x.result, "FAIL_AFTER="+x.after)
			out, errs := failing.ends(cli.CodeInternal, "", lossRun(dir)...)
			last := errs[strings.LastIndex(strings.TrimSpace(errs), "\n")+1:]
			t.Log(last)
			assert.True(t, !strings.Contains(errs, "goroutine ") && strings.HasPrefix(last, "mhacsp: "),
				"the last line is %q of\n%s", last, errs)
			assert.True(t, x.call != "vkAllocateMemory" || strings.Contains(last, "memory"),
				"%q does not speak of memory", last)
			if strings.Contains(out, "folder ") { // it had begun to train
				assert.Says(t, last, "last good checkpoint: step ", " train --resume "+dir)
				p.OK("train", "--resume", dir, "--backend", "gpu")
				p.Same("whole/model.safetensors", dir+"/model.safetensors")
				p.onlyRunFiles(dir)
			}
		})
	}
}

// TestNoAdapter: no Vulkan loader, no driver, and an adapter whose limits are too small are each one clear line.
func TestNoAdapter(t *testing.T) {
	p := failingDriver(t)
	assert.NoError(t, os.WriteFile(p.Path("libvulkan.so.1"), nil, 0o755))
	for _, x := range []struct{ name, variable, value, want string }{
		{"no loader", "LD_LIBRARY_PATH", p.Dir, "no GPU adapter was found"},
		{"no driver", "VK_DRIVER_FILES", "/nonexistent", "no GPU adapter was found"},
		{"small limits", "FAIL_STORAGE", "67108864", "maxStorageBufferBindingSize is 67108864, 134217728 is needed"},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := p.in(t).with(x.variable + "=" + x.value)
			p.refused(x.want, lossRun("none")...)
			if x.variable != "FAIL_STORAGE" {
				assert.Says(t, p.OK("devices"), "no GPU: ", "processor")
			}
			// auto takes the CPU.
			p.OK(words("bench --task parity --model csp --width 8 --batch 8 --steps 1 --warmup 0")...)
		})
	}
}

// TestAuto: --backend auto takes a real GPU, and where it cannot be used the CPU, saying why. Mesa's driver passes for
// a GPU here, so that what a GPU gets runs from end to end.
func TestAuto(t *testing.T) {
	p := failingDriver(t).with("FAIL_TYPE=2")
	bench := words("bench --backend auto --model mha-csp-s --width 16 --heads 2 --batch 4 --steps 2 --warmup 1")
	out, errs := p.ends(cli.CodeOK, "", bench...)
	assert.True(t, strings.Contains(out, "device    gpu: ") && !strings.Contains(out, "in software") && errs == "",
		"a GPU:\n%s%s", out, errs)
	small := p.with("FAIL_STORAGE=67108864")
	out, errs = small.ends(cli.CodeOK, "maxStorageBufferBindingSize is 67108864", bench...)
	assert.True(t, strings.Contains(out, "device    cpu: ") && strings.Count(errs, "\n") == 1,
		"a GPU with small limits:\n%s%s", out, errs)
}

// TestBenchTune: on a GPU bench --tune tries the forms of kernels, and keeps nothing.
func TestBenchTune(t *testing.T) {
	p := failingDriver(t)
	p = p.with("FAIL_TYPE=2", "XDG_CACHE_HOME="+p.Path("cache"))
	if home, err := os.UserCacheDir(); err == nil && os.Getenv("MESA_SHADER_CACHE_DIR") == "" {
		p = p.with("MESA_SHADER_CACHE_DIR=" + home) // the driver's own: else it compiles all forms each time
	}
	var b bench.Result
	p.JSON(&b, words("bench --backend gpu --tune --json --brief --seconds 0.1 --task parity --max-length 8 "+
		"--model csp --width 8 --batch 2")...)
	// On a busy machine the measurement may end early, which it says.
	tried := b.Forms != nil &&
		(len(b.Forms.Choices) > 0 && len(b.Forms.Choices[0].Times) > 1 || len(b.Forms.Notes) > 0)
	assert.True(t, tried && b.Steps >= bench.LeastPaced && len(b.Kernels) == 0 && b.Sequences > 0,
		"%+v, forms %+v", b, b.Forms)
	p.Absent("cache/mhacsp") // no choice is kept
	p.refused("--seconds is -1", words("bench --model csp --seconds -1")...)
	p.refused("--brief leaves", words("bench --model csp --brief --kernels")...)
}

// TestReportLost: where the driver loses the GPU the report says at what, and has the CPU's figures; where there is no
// GPU it says what to do.
func TestReportLost(t *testing.T) {
	p := failingDriver(t)
	flags := words("--model csp --batch 2,3")
	p = p.with("FAIL_TYPE=2") // a real GPU, to all appearance
	losing := p.with("FAIL_CALL=vkQueueSubmit", "FAIL_RESULT=-4", "FAIL_AFTER=1")
	out := losing.reported(cli.CodeInternal, "the GPU was lost on the way", flags,
		"**The GPU was lost**, or its driver hung, at: checks, GPU", "the GPU's driver gave up",
		"(– in the table): the GPU was lost before", "cpu: ",
		"| ms a step (sequences/s) | CPU, batch 2 | CPU, batch 3 |")
	nativetest.Tables(t, out)
	p.with("VK_DRIVER_FILES=/nonexistent").reported(cli.CodeOK, "no GPU is measured", flags,
		"| GPU | none: webgpu: no GPU adapter was found by Vulkan: ")
}

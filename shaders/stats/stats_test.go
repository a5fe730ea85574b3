//go:build cgo && linux

package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cogentcore/webgpu/wgpu"

	"mhacsp/model/backend/backendtest"
	"mhacsp/model/backend/webgpu"
	"mhacsp/model/zoo"
)

// TestMain is the program itself where compiled starts it.
func TestMain(m *testing.M) {
	if os.Getenv(childName) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// capturable ends the test where there is no adapter to capture on.
func capturable(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, webgpu.ErrNoAdapter) {
		backendtest.NoGPU(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// compiles is everywhere. Without RADV the test is skipped; it fails where MHACSP_GPU promises an adapter and Mesa's
// is the only one, for RADV comes with that.
func compiles(t *testing.T, list []pipeline) [][]figures {
	t.Helper()
	got, err := everywhere(someChips(), list)
	if !errors.Is(err, errNoRADV) {
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	adapters, _ := webgpu.Adapters()
	for _, a := range adapters {
		if !a.Software {
			t.Skip(err)
		}
	}
	backendtest.NoGPU(t, err)
	return nil
}

// TestSpills: on no chip does a kernel of a training step of any preset, in the form that GPUs get by default, need
// more registers than there are, or private memory, and the attention's workgroups are one wave. Of other forms only
// the fastest is ever kept, by measurement.
func TestSpills(t *testing.T) {
	list, err := capture(zoo.Names(), "", false)
	capturable(t, err)
	for _, want := range []struct{ model, kernel, form string }{
		{"mha-csp", "recurrence_forward", ""},
		{"mha-csp-s", "recurrence_backward", "theta:"},
		{"lstm", "lstm_backward", ""},
		{"gcn", "adam", "parts"},
	} {
		if !slices.ContainsFunc(list, func(p pipeline) bool {
			return p.Kernel == want.kernel && strings.Contains(p.Form, want.form) &&
				slices.Contains(p.Models, want.model)
		}) {
			t.Errorf("a step of %s has no pipeline %s with %q", want.model, want.kernel, want.form)
		}
	}
	for i, got := range compiles(t, list) {
		for j, f := range got {
			if strings.HasPrefix(list[j].Kernel, "attention_") && strings.Contains(list[j].Form, "lanes:64") &&
				f.Subgroup < 64 {
				t.Errorf("%s on %s: a workgroup is of several waves, of %d invocations", list[j].name(),
					someChips()[i], f.Subgroup)
			}
			if n, bytes := f.spilled(), f.number("Scratch size"); n+bytes > 0 {
				t.Errorf("%s on %s (models %s): %d registers spilled, %d bytes of private memory",
					list[j].name(), someChips()[i], list[j].Models, n, bytes)
			}
		}
	}
}

// TestReductions: the compiler keeps the parts in which π/2, 2π and ln 2 are taken off an argument (of shaders/shared:
// complex.wgsl, turn.wgsl, math.wgsl, element.wgsl). Added up they would be one float32, and angles of thousands
// of radians wrong by 2e-3.
func TestReductions(t *testing.T) {
	list, err := capture([]string{"mha-csp-m"}, `{"batch": 4}`, false)
	capturable(t, err)
	quarter := []float32{-1.5703125, -2.4187564849853515625e-4, -1.88744748872297054e-8}
	full := []float32{-6.28125, -9.67502593994140625e-4, -7.54978995489188216e-8}
	log2 := []float32{-0.693359375, 1.06097220e-4}
	parts := map[string][]float32{
		"slots_forward":      quarter,
		"turn_forward":       slices.Concat(full, quarter),
		"recurrence_forward": quarter,
		"attention_forward":  log2,
		"output_forward":     log2,
	}
	seen := map[string]bool{}
	for i, got := range compiles(t, list) {
		for j, f := range got {
			kernel := list[j].Kernel
			for _, part := range parts[kernel] {
				seen[kernel] = true
				if !strings.Contains(f.Code, fmt.Sprintf("0x%x", math.Float32bits(part))) {
					t.Errorf("%s on %s: the part %g is not in its code", list[j].name(), someChips()[i], part)
				}
			}
		}
	}
	if len(seen) < len(parts) {
		t.Errorf("of the kernels with parts a step has only %v", seen)
	}
}

// TestSpilling: a kernel that keeps too many numbers is found to spill on every chip.
func TestSpilling(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", os.TempDir()) // else Mesa complains
	const kept = 320                          // registers are 256 at most
	var text strings.Builder
	text.WriteString(`@group(0) @binding(1) var<storage, read_write> x : array<f32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i : u32) {
	var sum = x[0];
`)
	for i := range kept {
		fmt.Fprintf(&text, "let v%d = x[%d + i]; sum = sum * v%d;\n", i, 64*i, i)
	}
	for i := range kept {
		fmt.Fprintf(&text, "x[%d + i] = v%d + sum;\n", 64*i, i)
	}
	text.WriteString("}\n")
	device, err := webgpu.Open(webgpu.Options{Software: true})
	capturable(t, err)
	device.Close()
	p := pipeline{Kernel: "spilling", Storage: 1}
	modules.take = func(code []uint32) { p.Code = slices.Clone(code) }
	compileAlone(t, text.String())
	modules.take = nil
	for i, got := range compiles(t, []pipeline{p}) {
		f := got[0]
		t.Log(someChips()[i], f.Statistics)
		if f.spilled() == 0 || f.number("Scratch size") == 0 {
			t.Errorf("%s: %d registers spilled, %d bytes of private memory: it must be some",
				someChips()[i], f.spilled(), f.number("Scratch size"))
		}
	}
}

// compileAlone has wgpu compile a shader.
func compileAlone(t *testing.T, text string) {
	t.Helper()
	wgpu.SetLogLevel(wgpu.LogLevelError)
	instance := wgpu.CreateInstance(nil)
	defer instance.Release()
	vulkan := wgpu.InstanceEnumerateAdapterOptons{Backends: wgpu.InstanceBackendVulkan}
	for _, a := range instance.EnumerateAdapters(&vulkan) {
		defer a.Release()
		d, err := a.RequestDevice(nil)
		if err != nil {
			continue
		}
		defer d.Release()
		m, err := d.CreateShaderModule(&wgpu.ShaderModuleDescriptor{
			WGSLDescriptor: &wgpu.ShaderModuleWGSLDescriptor{Code: text},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Release()
		c, err := d.CreateComputePipeline(&wgpu.ComputePipelineDescriptor{
			Compute: wgpu.ProgrammableStageDescriptor{Module: m, EntryPoint: "main"},
		})
		if err != nil {
			t.Fatal(err)
		}
		c.Release()
		return
	}
	t.Fatal("no adapter gives a device")
}

// TestFormsByChoice: every knob of webgpu.Forms brings kernels that a step by default has not.
func TestFormsByChoice(t *testing.T) {
	list, err := capture([]string{"mha-csp"}, `{"batch": 4, "width": 12}`, true)
	capturable(t, err)
	for _, kernel := range []string{"recurrence_forward", "recurrence_backward"} {
		count := map[bool]int{}
		for _, p := range list {
			if p.Kernel == kernel {
				count[p.Default]++
			}
		}
		if count[true] != 1 || count[false] != 1 {
			t.Errorf("%s: %d forms by default, %d by choice", kernel, count[true], count[false])
		}
	}
}

//go:build !js

package native

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/tune"
)

func formRecord(adapter string, batch int) tune.Record {
	return tune.Record{
		Key: tune.Key{Adapter: adapter, Kernels: "1", Width: 132, Angle: "token", Batch: batch},
		Choices: []tune.Choice{{
			Knob: "forward", Value: "registers",
			Times: []tune.Time{{Value: "streamed", Ms: 2}, {Value: "registers", Ms: 1}},
		}},
	}
}

// TestKeptForms: what a tuner tells of is in the file for the next run, and said where it is used. A damaged or
// foreign file is said once, on one line, and written again; a folder that cannot be written is said once, and is no
// error.
func TestKeptForms(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	path, err := formsFile()
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	say := func(text string) { said = append(said, text) }
	known, tell := keptForms(say)
	if len(known) > 0 || len(said) > 0 {
		t.Fatalf("at first there are %v, said %q", known, said)
	}
	tell(formRecord("a", 64), false)
	tell(formRecord("b", 64), true)
	if len(said) != 1 || said[0] != "kernels: forward registers (50 % less time a step)\n" {
		t.Errorf("said %q", said)
	}
	if known, _ := keptForms(say); len(known) != 2 || len(formsOf(known, "b")) != 1 {
		t.Errorf("kept are %+v", known)
	}
	for _, wrong := range []string{"", "{", `{"version":99,"records":[]}`} {
		if err := os.WriteFile(path, []byte(wrong), 0o644); err != nil {
			t.Fatal(err)
		}
		said = nil
		known, tell := keptForms(say)
		tell(formRecord("c", 64), false)
		if len(known) > 0 || len(said) != 1 || strings.Count(said[0], "\n") != 1 || !strings.Contains(said[0], path) {
			t.Errorf("%q: known %+v, said %q", wrong, known, said)
		}
		if l, err := readForms(path); err != nil || len(l) != 1 {
			t.Errorf("%q: then the file has %+v, %v", wrong, l, err)
		}
	}
	if err := forgetForms(path); err != nil {
		t.Fatal(err)
	}
	if err := forgetForms(path); err != nil {
		t.Errorf("nothing to forget: %v", err)
	}
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Dir(path), nil, 0o644); err != nil { // where the folder should be
		t.Fatal(err)
	}
	said = nil
	_, tell = keptForms(say)
	tell(formRecord("c", 64), false)
	tell(formRecord("c", 64), false)
	if len(said) != 1 || strings.Count(said[0], "\n") != 1 {
		t.Errorf("no folder: said %q", said)
	}
}

// TestDevicesForms: devices shows what was found for an adapter, as text and as JSON, and --tune forgets it.
func TestDevicesForms(t *testing.T) {
	t.Parallel()
	list := []deviceInfo{
		{Info: backend.Info{Name: "cpu", Adapter: "some"}},
		{backend.Info{Name: "gpu", Adapter: "An adapter", API: "vulkan"}, tune.Records{formRecord("An adapter", 128)}},
	}
	var out strings.Builder
	printDevices(&out, list)
	want := "cpu  some        processor\ngpu  An adapter  GPU (vulkan)\n" +
		"     width 132, angles by token, up to 128 sequences: forward registers (50 % less time a step)\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	if runtime.GOOS != "linux" {
		t.Skip("the cache folder is set by XDG_CACHE_HOME on Linux alone")
	}
	p := newPlace(t)
	p = p.with("XDG_CACHE_HOME=" + p.path("cache"))
	path := p.path("cache/mhacsp/forms.json")
	gpus, err := adapters()
	if err != nil {
		t.Skip("no adapter:", err)
	}
	if err := keepForm(path, formRecord(gpus[0].Adapter, 128)); err != nil {
		t.Fatal(err)
	}
	if out := p.ok("devices"); !strings.Contains(out, "angles by token") {
		t.Errorf("devices prints %q", out)
	}
	var read []struct {
		Name  string
		Forms []tune.Record
	}
	p.json(&read, "devices", "--json")
	host := cpu.New()
	defer host.Close()
	if len(read) != 1+len(gpus) || read[0].Name != host.Info().Name || read[1].Forms[0].Width != 132 {
		t.Errorf("devices --json prints %+v", read)
	}
	if out := p.ok("devices", "--tune"); !strings.Contains(out, "forgotten") || strings.Contains(out, "angles by") {
		t.Errorf("devices --tune prints %q", out)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is still there")
	}
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out2, errs := p.try("devices")
	if code != 0 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, path) || !strings.Contains(out2, "cpu") {
		t.Errorf("a damaged file: code %d, %q, %q", code, out2, errs)
	}
}

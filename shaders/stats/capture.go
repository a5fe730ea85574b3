//go:build cgo && linux

package main

// #cgo LDFLAGS: -ldl -Wl,--wrap=dlsym
// #include <stddef.h>
// #include <stdint.h>
import "C"

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"mhacsp/model/backend/webgpu"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/shaders"
)

// pipeline is one that a training step is made of, as the GPU's driver gets it.
type pipeline struct {
	Kernel  string
	Form    string   // what the host put into the kernel, as in "lanes:64 theta:1"
	Default bool     // false: a step has it only where the tuner, or somebody, chose webgpu.Forms
	Models  []string // those whose step has it
	Storage int      // its storage buffers, beside the uniform block
	Code    []uint32 // SPIR-V
}

// name is the pipeline's, for a line of a table.
func (p pipeline) name() string {
	name := strings.TrimSpace(p.Kernel + " " + p.Form)
	if !p.Default {
		name += " (by choice)"
	}
	return name
}

// capture makes a training step of each model on the machine's software adapter, or with forms one in each that
// webgpu.Forms may choose, and returns the pipelines that they made, each once, in their order. Nothing is computed:
// dispatches have no workgroups. keys is JSON with keys of config.json that are not the preset's, or empty.
func capture(models []string, keys string, forms bool) ([]pipeline, error) {
	var all []pipeline
	for _, model := range models {
		list, err := captureStep(model, keys, forms)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", model, err)
		}
		for _, p := range list {
			i := slices.IndexFunc(all, func(q pipeline) bool { return slices.Equal(p.Code, q.Code) })
			if i < 0 {
				i, all = len(all), append(all, p)
			}
			all[i].Models = append(all[i].Models, model)
			all[i].Default = all[i].Default || p.Default
		}
	}
	return all, nil
}

// captureStep is capture of one model.
func captureStep(model, keys string, forms bool) (list []pipeline, err error) {
	var next pipeline
	modules.take = func(code []uint32) {
		next.Code = slices.Clone(code)
		list = append(list, next)
	}
	defer func() { modules.take = nil }()
	device, err := webgpu.Open(webgpu.Options{
		Software: true, Idle: true,
		Compiling: func(k shaders.Kernel, form string) {
			next = pipeline{Kernel: k.Name, Form: given(form), Storage: len(k.Storage)}
		},
	})
	if err != nil {
		return nil, err
	}
	defer device.Close()
	run, err := train.Default("arithmetic")
	if err != nil {
		return nil, err
	}
	if run.Config, err = zoo.Preset(model); err != nil {
		return nil, err
	}
	run.Training.Curriculum = false // the first step has the lengths that most of the training has
	if keys != "" {
		if err := run.Overlay([]byte(keys)); err != nil {
			return nil, err
		}
	}
	if _, err := run.Fit(); err != nil {
		return nil, err
	}
	network, err := run.Config.Open(device)
	if err != nil {
		return nil, err
	}
	network.Initialise(1)
	trainer, err := train.New(run, network)
	if err != nil {
		return nil, err
	}
	step := func() error {
		if _, _, err := trainer.Advance(); err != nil {
			return err
		}
		_, _, err = trainer.Drain()
		return err
	}
	if err := step(); err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Default = true
	}
	if !forms {
		return list, nil
	}
	for _, knob := range device.Candidates() {
		for _, value := range knob.Values[1:] {
			err := device.SetForms(webgpu.DefaultForms().With(knob, value))
			if err == nil {
				err = step()
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// given leaves of "{kernel:x writable:false lanes:64 loop:{sequences:2 held:true}}" what is set, beside the name.
func given(form string) string {
	var set []string
	for _, field := range strings.Fields(strings.NewReplacer("{", " ", "}", " ").Replace(form)) {
		key, value, _ := strings.Cut(field, ":")
		switch {
		case key == "kernel" || value == "0" || value == "false" || value == "":
		case value == "true":
			set = append(set, key)
		default:
			set = append(set, field)
		}
	}
	return strings.Join(set, " ")
}

// modules is where the SPIR-V of a shader module goes while it is created. C calls captured, and can be given no
// receiver.
var modules struct{ take func(code []uint32) }

//export captured
func captured(code *C.uint32_t, bytes C.size_t) {
	if modules.take != nil {
		modules.take(unsafe.Slice((*uint32)(code), int(bytes)/4))
	}
}

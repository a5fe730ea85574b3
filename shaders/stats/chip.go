//go:build cgo && linux

package main

// #include <stdlib.h>
// #include "chip.h"
import "C"

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"unsafe"
)

// amd is the vendor of RADV's chips, as PCI numbers it.
const amd = 0x1002

// childName is the environment variable that makes this program the compiler for one chip: see compiled.
const childName = "MHACSP_STATS_CHILD"

// errNoRADV is of a machine whose Vulkan has no RADV.
var errNoRADV = errors.New("there is no driver RADV; on Debian it is in the package mesa-vulkan-drivers")

// figures are what the compiler says of one pipeline on one chip.
type figures struct {
	Statistics map[string]float64
	Subgroup   int    // invocations a wave
	Code       string // the chip's own, in the assembler's words
}

// reply is what the compiler for one chip answers.
type reply struct {
	None  bool // there is no such device
	Error string
	List  []figures // of each pipeline
}

// compiled compiles pipelines for a chip that RADV knows and that need not be here. RADV reads the chip's name once,
// and ends the process where it does not know it: each chip has its own process, which is this program again.
func compiled(chip string, list []pipeline) ([]figures, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var in, out, complaints bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(list); err != nil {
		return nil, err
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), childName+"=1", "RADV_FORCE_FAMILY="+chip, "MESA_SHADER_CACHE_DISABLE=true")
	c.Stdin, c.Stdout, c.Stderr = &in, &out, &complaints
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("RADV does not compile for %q, which may be no chip that it knows: %w\n%s",
			chip, err, strings.TrimSpace(complaints.String()))
	}
	var r reply
	if err := gob.NewDecoder(&out).Decode(&r); err != nil {
		return nil, fmt.Errorf("%s: %w", chip, err)
	}
	if r.None {
		return nil, errNoRADV
	}
	if r.Error != "" {
		return nil, fmt.Errorf("%s: %s", chip, r.Error)
	}
	return r.List, nil
}

// everywhere is compiled for several chips at a time.
func everywhere(chips []string, list []pipeline) ([][]figures, error) {
	got, wrong := make([][]figures, len(chips)), make([]error, len(chips))
	var all sync.WaitGroup
	for i, chip := range chips {
		all.Go(func() { got[i], wrong[i] = compiled(chip, list) })
	}
	all.Wait()
	return got, errors.Join(wrong...)
}

// child is the other end of compiled.
func child(in io.Reader, out io.Writer) error {
	var list []pipeline
	if err := gob.NewDecoder(in).Decode(&list); err != nil {
		return err
	}
	return gob.NewEncoder(out).Encode(compileAll(list))
}

func compileAll(list []pipeline) (r reply) {
	if wrong := C.chip_open(amd); wrong != nil {
		return reply{None: true, Error: C.GoString(wrong)}
	}
	for _, p := range list {
		var found C.chip_pipeline
		wrong := C.chip_compile((*C.uint32_t)(unsafe.Pointer(&p.Code[0])), C.size_t(4*len(p.Code)), C.int(p.Storage),
			&found)
		if wrong != nil {
			r.Error = p.name() + ": " + C.GoString(wrong)
			return r
		}
		f := figures{Statistics: map[string]float64{}, Subgroup: int(found.subgroup)}
		for _, s := range found.statistics[:found.count] {
			f.Statistics[C.GoString(&s.name[0])] = float64(s.value)
		}
		if found.code != nil {
			f.Code = C.GoString(found.code)
			C.free(unsafe.Pointer(found.code))
		}
		r.List = append(r.List, f)
	}
	return r
}

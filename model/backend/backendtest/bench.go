package backendtest

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"mhacsp/model/backend"
)

// bench is a backend with the tensors of one run of a program.
type bench struct {
	backend.Backend
	tensors []tensor
	windows []backend.Vec // of each tensor, with its margins
	bufs    []backend.Buffer
	indices []backend.Index
}

// program calls kernels on tensors that it asks of the bench, always the same ones in the same order.
type program func(b *bench)

func (b *bench) place(x tensor) backend.Vec { return b.together(x)[0] }

// together places tensors in one buffer, as a model's parameters are, each with margins of its own.
func (b *bench) together(list ...tensor) (placed []backend.Vec) {
	var host []float32
	for _, x := range list {
		padded := filled[float32]((len(x.before)+margin-1)/margin*margin+2*margin, junk)
		copy(padded[margin:], x.before)
		placed = append(placed, backend.Vec{Off: len(host) + margin, Len: len(x.before)})
		host = append(host, padded...)
	}
	buf := b.Floats(len(host))
	b.Upload(backend.All(buf), host)
	b.bufs = append(b.bufs, buf)
	for i := range placed {
		placed[i].Buf = buf
		b.tensors = append(b.tensors, list[i])
		b.windows = append(b.windows, backend.Vec{Buf: buf, Off: placed[i].Off - margin,
			Len: placed[i].Len + 2*margin})
	}
	return placed
}

// in is an input: it must come out as it went in. Without data it is not given.
func (b *bench) in(name string, data []float32) backend.Vec {
	if data == nil {
		return backend.Vec{}
	}
	return b.place(tensor{name: name, before: data, role: filled(len(data), kept)})
}

// out is an output of n elements that is overwritten; it holds junk.
func (b *bench) out(name string, bound float64, n int, roles []role) backend.Vec {
	return b.over(name, bound, filled[float32](n, junk), roles)
}

// over is an output that is overwritten where its role is written, and holds data before.
func (b *bench) over(name string, bound float64, data []float32, roles []role) backend.Vec {
	return b.place(tensor{name: name, bound: bound, before: data, over: true, role: roles})
}

// add is an output that is added to.
func (b *bench) add(name string, bound float64, data []float32, roles []role) backend.Vec {
	return b.place(tensor{name: name, bound: bound, before: data, role: roles})
}

// outOr is an output that is overwritten or, with add, added to.
func (b *bench) outOr(add bool, name string, bound float64, before []float32, roles []role) backend.Vec {
	if add {
		return b.add(name, bound, before, roles)
	}
	return b.out(name, bound, len(before), roles)
}

// raw is an input that is not looked at again.
func (b *bench) raw(data []float32) backend.Vec {
	return b.place(tensor{name: "raw", before: data, role: filled(len(data), free)})
}

// slack is how much longer an index is than its list: buffers are reused, and what lies behind a list is stale.
const slack = 3

func (b *bench) ints(data []int32) backend.Index {
	return b.index(append(slices.Clone(data), filled[int32](slack, math.MaxInt32)...))
}

// index is an index without slack.
func (b *bench) index(data []int32) backend.Index {
	x := b.Ints(len(data))
	b.UploadInts(x, data)
	b.indices = append(b.indices, x)
	return x
}

// release frees the run's memory, last first.
func (b *bench) release() {
	for i := len(b.bufs) - 1; i >= 0; i-- {
		b.bufs[i].Release()
	}
	for i := len(b.indices) - 1; i >= 0; i-- {
		b.indices[i].Release()
	}
}

// execute runs p on dev and returns its tensors and what their buffers hold afterwards.
func execute(p program, dev backend.Backend) (tensors []tensor, after [][]float32, err error) {
	b := &bench{Backend: dev}
	defer b.recovered(&err)
	p(b)
	if after, err = b.contents(); err != nil {
		return nil, nil, err
	}
	b.release()
	return b.tensors, after, dev.Sync()
}

// recovered makes an error of a panic.
func (b *bench) recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
	}
}

// contents is what the tensors' buffers hold. A device takes longer to answer than to copy: they are gathered in one.
func (b *bench) contents() (list [][]float32, err error) {
	n := 0
	for _, w := range b.windows {
		n += w.Len
	}
	if n == 0 {
		return nil, nil
	}
	all, host := b.floats(n), make([]float32, n)
	at := 0
	for _, w := range b.windows {
		b.Copy(all.Slice(at, w.Len), w)
		list = append(list, host[at:at+w.Len])
		at += w.Len
	}
	if err := b.Download(host, all); err != nil {
		return nil, fmt.Errorf("download: %w", err)
	}
	return list, nil
}

// lasting is a reference whose word on a case is kept for the next backend that the case is tried on.
type lasting struct {
	backend.Backend
	faulty bool // those are wrong on purpose: one that is caught in its first run is not run again
}

// word is what a program leaves on the reference; nil for what it only reads, which must be as it was.
func word(p program, yard backend.Backend) ([][]float32, error) {
	tensors, after, err := execute(p, yard)
	for i, x := range tensors {
		if x.role == nil || slices.Contains(x.role, written) || slices.Contains(x.role, zero) {
			after[i] = slices.Clone(after[i]) // not a part of what holds all tensors
			continue
		}
		if _, wrong := x.compare(after[i], after[i]); err == nil {
			err = wrong
		}
		after[i] = nil
	}
	return after, err
}

// add adds a case to a kernel, whose name is made of a format and values.
func (k *kernel) add(format string, values []any, setup func(d draw) program) {
	c := against(fmt.Sprintf(format, values...), setup)
	c.Kernel = k.name()
	k.cases = append(k.cases, c)
}

// casesOf adds a case for each of a list to a kernel.
func casesOf[C fmt.Stringer](k kernel, list []C, setup func(C, draw) program) kernel {
	for _, c := range list {
		k.add("%v", []any{c}, func(d draw) program { return setup(c, d) })
	}
	return k
}

// against is the case of a program: setup draws its inputs, the reference says what comes out, and the backend
// runs it twice.
func against(name string, setup func(d draw) program) Case {
	var kept program
	var said [][]float32
	drawn := func(yard backend.Backend) program {
		if kept != nil {
			return kept
		}
		p := setup(newDraw(name, yard))
		if _, lasts := yard.(lasting); lasts {
			kept = p
		}
		return p
	}
	calls := func(dev, yard backend.Backend) (err error) {
		b := &bench{Backend: dev}
		defer b.recovered(&err)
		drawn(yard)(b)
		b.release()
		return dev.Sync()
	}
	return Case{Name: name, calls: calls, check: func(dev, yard backend.Backend) ([]Figure, error) {
		p, want := drawn(yard), said
		last, lasts := yard.(lasting)
		if want == nil {
			var err error
			if want, err = word(p, yard); err != nil {
				return nil, fmt.Errorf("the reference: %w", err)
			}
			if lasts {
				said = want
			}
		}
		tensors, got, err := execute(p, dev)
		if err != nil {
			return nil, err
		}
		var report []Figure
		var wrong []error
		for i, x := range tensors {
			right := want[i]
			if right == nil {
				right = got[i]
			}
			rel, err := x.compare(got[i], right)
			if err != nil {
				wrong = append(wrong, err)
			} else if x.bound > 0 {
				report = append(report, Figure{x.name, rel, x.bound})
			}
		}
		if last.faulty && len(wrong) > 0 {
			return report, errors.Join(wrong...)
		}
		_, again, err := execute(p, dev)
		if err != nil {
			return report, errors.Join(append(wrong, err)...)
		}
		for i, x := range tensors {
			if err := x.same(got[i], again[i]); err != nil {
				wrong = append(wrong, err)
			}
		}
		return report, errors.Join(wrong...)
	}}
}

// and has something more checked in the case that was added last.
func (k *kernel) and(more func(b *bench) error) {
	c := &k.cases[len(k.cases)-1]
	check := c.check
	c.check = func(dev, yard backend.Backend) ([]Figure, error) {
		report, err := check(dev, yard)
		_, besides := direct("", more).check(dev, yard)
		return report, errors.Join(err, besides)
	}
}

package backendtest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mhacsp/model/backend"
)

// direct is a case that needs no reference: what must come out is known.
func direct(name string, check func(b *bench) error) Case {
	return Case{Kernel: "Memory", Name: name, check: func(dev, _ backend.Backend) (_ []Figure, err error) {
		b := &bench{Backend: dev}
		if err := check(b); err != nil {
			return nil, err
		}
		b.release()
		return nil, dev.Sync()
	}}
}

// floats is a buffer of n zeros that the bench releases.
func (b *bench) floats(n int) backend.Vec {
	buf := b.Floats(n)
	b.bufs = append(b.bufs, buf)
	return backend.All(buf)
}

// holds downloads a window and compares it bit for bit.
func (b *bench) holds(name string, v backend.Vec, want []float32) error {
	got := make([]float32, len(want))
	if err := b.Download(got, v); err != nil {
		return fmt.Errorf("download of %s: %w", name, err)
	}
	for i, w := range want {
		if math.Float32bits(got[i]) != math.Float32bits(w) {
			return fmt.Errorf("%s[%d] is %g, should be %g", name, i, got[i], w)
		}
	}
	return nil
}

// points enqueues a kernel that reads x, for indices cannot be downloaded: the result has a 1 where x, at the time of
// the call, holds what is wanted, from 0 to 3, and a 0 elsewhere.
func (b *bench) points(x backend.Index, want []int32) backend.Vec {
	const classes = 4
	p := len(want)
	logits := b.floats(p * classes)
	host := make([]float32, p*classes)
	for i, w := range want {
		host[i*classes+int(w)] = 1
	}
	b.Upload(logits, host)
	hit := b.floats(p)
	b.CrossEntropy(backend.CrossEntropy{Loss: b.floats(1), RowLoss: b.floats(p), Hit: hit,
		DLogits: b.floats(p * classes), Logits: logits, Target: x, Weight: b.floats(p), P: p, C: classes, Scale: 1})
	return hit
}

// count is from, from+1, … with n elements.
func count(from, n int) []float32 { return each(n, func(i int) float32 { return float32(from + i) }) }

func memory() []Case {
	return []Case{
		direct("Info", func(b *bench) error {
			if i := b.Info(); i.Name == "" || i.Adapter == "" || i.Bits != 32 && i.Bits != 64 {
				return fmt.Errorf("Info is %+v: a name, an adapter and 32 or 64 bits are needed", i)
			}
			return nil
		}),
		direct("Floats", func(b *bench) error {
			for _, n := range []int{1, 3, 1000, 100001} {
				v := b.floats(n)
				if v.Buf.Len() != n {
					return fmt.Errorf("Floats(%d) has Len %d", n, v.Buf.Len())
				}
				if err := b.holds("a new buffer", v, make([]float32, n)); err != nil {
					return err
				}
				// Memory that is handed out again is zero as well.
				again := b.Floats(n)
				b.Upload(backend.All(again), filled[float32](n, junk))
				again.Release()
				if err := b.holds("a buffer after another's release", b.floats(n), make([]float32, n)); err != nil {
					return err
				}
			}
			return nil
		}),
		direct("Ints", func(b *bench) error {
			x := b.Ints(6)
			b.indices = append(b.indices, x)
			if x.Len() != 6 {
				return fmt.Errorf("Ints(6) has Len %d", x.Len())
			}
			if err := b.holds("new indices", b.points(x, make([]int32, 6)), filled[float32](6, 1)); err != nil {
				return err
			}
			b.UploadInts(x, []int32{3, 1, 2})
			return b.holds("indices after an upload of three", b.points(x, []int32{3, 1, 2, 0, 0, 0}),
				filled[float32](6, 1))
		}),
		direct("Fetch", func(b *bench) error {
			v, first, second := b.floats(300), b.NewFetch(), b.NewFetch()
			defer first.Release()
			defer second.Release()
			fetched := func(what string, f backend.Fetch, want []float32) error {
				got := make([]float32, len(want))
				if err := f.Wait(got); err != nil {
					return fmt.Errorf("%s: %w", what, err)
				}
				if !slices.Equal(got, want) {
					return fmt.Errorf("%s is %v…, should be %v…", what, got[0], want[0])
				}
				return nil
			}
			b.Upload(v, count(1, 300))
			first.Start(v.Slice(5, 10))
			b.Zero(v) // behind the fetch
			second.Start(v)
			b.Upload(v, count(1000, 300))
			return errors.Join(
				fetched("the second fetch", second, make([]float32, 300)),
				fetched("the first, after the second", first, count(6, 10)),
				fetched("the first, again and less of it", first, count(6, 3)),
				func() error {
					first.Start(v) // longer than before
					return fetched("the first, again", first, count(1000, 300))
				}(),
				fetched("the second, still", second, make([]float32, 300)),
				panics("Wait for more than was started", func() { _ = second.Wait(make([]float32, 301)) }),
			)
		}),
		direct("Upload", func(b *bench) error {
			v := b.floats(300)
			odd := []float32{0, float32(math.Copysign(0, -1)), 1, -1.5, math.MaxFloat32, -math.MaxFloat32,
				math.SmallestNonzeroFloat32, 1e-38, float32(math.Inf(1)), float32(math.Inf(-1)), 16777217, math.Pi}
			b.Upload(v, odd)
			b.Upload(v.Slice(64, 100), count(1, 7))    // less than the window holds
			b.Upload(v.Slice(133, 5), count(50, 5))    // any offset will do
			b.Upload(v.Slice(290, 10), count(900, 10)) // up to the end
			want := make([]float32, 300)
			copy(want, odd)
			copy(want[64:], count(1, 7))
			copy(want[133:], count(50, 5))
			copy(want[290:], count(900, 10))
			return b.holds("the buffer", v, want)
		}),
		direct("Download", func(b *bench) error {
			v := b.floats(1000)
			b.Upload(v, count(0, 1000))
			for _, x := range []struct{ off, window, n int }{{0, 1000, 1000}, {0, 1000, 1}, {7, 20, 20},
				{7, 20, 3}, {64, 936, 936}, {999, 1, 1}} {
				what := fmt.Sprintf("%d of the window of %d from %d", x.n, x.window, x.off)
				if err := b.holds(what, v.Slice(x.off, x.window), count(x.off, x.n)); err != nil {
					return err
				}
			}
			return nil
		}),
		direct("Zero", func(b *bench) error {
			v := b.floats(200)
			want := count(1, 200)
			b.Upload(v, want)
			for _, x := range []struct{ off, n int }{{0, 1}, {64, 64}, {131, 7}, {199, 1}} {
				b.Zero(v.Slice(x.off, x.n))
				clear(want[x.off:][:x.n])
			}
			return b.holds("the buffer", v, want)
		}),
		direct("Copy", func(b *bench) error {
			from, to := b.floats(200), b.floats(300)
			b.Upload(from, count(1, 200))
			want := make([]float32, 300)
			for _, x := range []struct{ dst, src, n int }{{0, 0, 200}, {64, 128, 64}, {7, 13, 5}, {299, 199, 1}} {
				b.Copy(to.Slice(x.dst, x.n), from.Slice(x.src, x.n))
				copy(want[x.dst:], count(1+x.src, x.n))
			}
			return errors.Join(b.holds("the copy", to, want), b.holds("what was copied", from, count(1, 200)))
		}),
		direct("order", func(b *bench) error {
			// What was enqueued sees its operands as they were then, whatever is uploaded afterwards.
			x, w, y, z, first := b.floats(3), b.floats(1), b.floats(3), b.floats(3), b.floats(3)
			b.Upload(w, []float32{2})
			a := backend.MatMul{Y: y, X: x, W: w, M: 3, K: 1, N: 1}
			b.Upload(x, []float32{1, 2, 3})
			b.MatMul(a)
			b.Copy(first, x)
			b.Upload(x, []float32{10, 20, 30})
			a.Y = z
			b.MatMul(a)
			b.Zero(x)
			b.Upload(w, []float32{-1})
			return errors.Join(
				b.holds("the first product", y, []float32{2, 4, 6}),
				b.holds("the copy of the first operand", first, []float32{1, 2, 3}),
				b.holds("the second product", z, []float32{20, 40, 60}),
				b.holds("the zeroed operand", x, []float32{0, 0, 0}),
				b.holds("the factor", w, []float32{-1}))
		}),
		direct("order-of-indices", func(b *bench) error {
			at, each := b.Ints(3), b.floats(9)
			b.indices = append(b.indices, at)
			for i, x := range [][]int32{{0, 1, 2}, {2, 2, 0}, {3, 1, 1}} {
				b.UploadInts(at, x)
				b.Copy(each.Slice(3*i, 3), b.points(at, x))
			}
			return b.holds("what the indices pointed at, list after list", each, filled[float32](9, 1))
		}),
		direct("too-much", func(b *bench) error {
			v, x := b.floats(10), b.index(make([]int32, 4))
			return errors.Join(
				panics("Upload of 6 elements to a window of 5",
					func() { b.Upload(v.Slice(0, 5), make([]float32, 6)) }),
				panics("Download of 6 elements from a window of 5",
					func() { _ = b.Download(make([]float32, 6), v.Slice(0, 5)) }),
				panics("UploadInts of 5 elements to 4", func() { b.UploadInts(x, make([]int32, 5)) }),
				panics("Slice beyond the end", func() { v.Slice(5, 6) }),
				panics("Slice before the start", func() { v.Slice(-1, 3) }),
				panics("Slice of a negative length", func() { v.Slice(5, -1) }),
				b.holds("the buffer", v, make([]float32, 10)))
		}),
	}
}

// panics returns an error unless call panics with a message of this package.
func panics(what string, call func()) (err error) {
	defer func() {
		switch p := recover(); {
		case p == nil:
			err = fmt.Errorf("%s: no panic", what)
		case !strings.HasPrefix(fmt.Sprint(p), "backend:"):
			err = fmt.Errorf(`%s: panic %q, should start with "backend:"`, what, fmt.Sprint(p))
		}
	}()
	call()
	return nil
}

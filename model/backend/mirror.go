package backend

import (
	"fmt"
	"math"
	"reflect"
)

// Mirror runs every kernel on two backends and compares all that the kernel was given and wrote, tensor by tensor.
// The first tensor that lies further apart than Tolerance (relative L2), and than float32 rounds the kernel's largest
// tensor, becomes the sticky error: it names the kernel, the tensor and the index that differs most. After each kernel
// the second backend is given the first one's numbers, so that every kernel is judged on equal inputs. What a kernel
// uses up (a field's tag `after:"anything"`) is not compared. Host calls are answered by the first backend.
//
// It is a tool for finding a wrong kernel, not for training: every tensor is read back after every kernel.
type Mirror struct {
	Around        // its memory calls are replaced below
	first, second Backend
	Tolerance     float64
	err           error
}

// NewMirror pairs two backends.
func NewMirror(first, second Backend, tolerance float64) *Mirror {
	m := &Mirror{first: first, second: second, Tolerance: tolerance}
	m.Around = Around{Memory: first, Do: m.both}
	return m
}

// A twin is a buffer on both backends.
type twin[T Buffer] struct{ first, second T }

func (t twin[T]) Len() int { return t.first.Len() }
func (t twin[T]) Release() { t.first.Release(); t.second.Release() }

// side is v on the first backend (0) or the second (1).
func (v Vec) side(i int) Vec {
	if t, ok := v.Buf.(*twin[Buffer]); ok {
		v.Buf = [2]Buffer{t.first, t.second}[i]
	}
	return v
}

// Info names both devices.
func (m *Mirror) Info() Info {
	i, other := m.first.Info(), m.second.Info()
	i.Adapter = fmt.Sprintf("%s, mirrored on %s (%s)", i.Adapter, other.Name, other.Adapter)
	i.AnyWindow = i.AnyWindow && other.AnyWindow
	return i
}

// Floats allocates on both.
func (m *Mirror) Floats(n int) Buffer { return &twin[Buffer]{m.first.Floats(n), m.second.Floats(n)} }

// Ints allocates on both.
func (m *Mirror) Ints(n int) Index { return &twin[Index]{m.first.Ints(n), m.second.Ints(n)} }

// Upload copies to both.
func (m *Mirror) Upload(dst Vec, src []float32) {
	m.first.Upload(dst.side(0), src)
	m.second.Upload(dst.side(1), src)
}

// UploadInts copies to both.
func (m *Mirror) UploadInts(dst Index, src []int32) {
	t := dst.(*twin[Index])
	m.first.UploadInts(t.first, src)
	m.second.UploadInts(t.second, src)
}

// Download reads from the first.
func (m *Mirror) Download(dst []float32, src Vec) error {
	if m.err != nil {
		return m.err
	}
	return m.first.Download(dst, src.side(0))
}

// NewFetch reads from the first.
func (m *Mirror) NewFetch() Fetch { return ImmediateFetch(m) }

// Zero clears both.
func (m *Mirror) Zero(v Vec) {
	m.first.Zero(v.side(0))
	m.second.Zero(v.side(1))
}

// Copy copies on both.
func (m *Mirror) Copy(dst, src Vec) {
	m.first.Copy(dst.side(0), src.side(0))
	m.second.Copy(dst.side(1), src.side(1))
}

// Sync returns the first divergence.
func (m *Mirror) Sync() error {
	if err := m.first.Sync(); err != nil {
		return err
	}
	return m.err
}

// Close ends both.
func (m *Mirror) Close() {
	m.first.Close()
	m.second.Close()
}

// split replaces every twin in a kernel's arguments by one of its sides.
func split(v reflect.Value, side int) {
	for _, f := range v.Fields() {
		switch x := f.Interface().(type) {
		case Vec:
			f.Set(reflect.ValueOf(x.side(side)))
		case Index:
			if t, ok := x.(*twin[Index]); ok {
				f.Set(reflect.ValueOf([2]Index{t.first, t.second}[side]))
			}
		default:
			if f.Kind() == reflect.Struct {
				split(f, side)
			}
		}
	}
}

// tensors lists the windows among a kernel's arguments, and whether a kernel may leave anything there: the field's
// tag says so.
func tensors(v reflect.Value, visit func(name string, x Vec, anything bool)) {
	for f, at := range v.Fields() {
		switch x := at.Interface().(type) {
		case Vec:
			if x.Given() {
				visit(f.Name, x, f.Tag.Get("after") == "anything")
			}
		default:
			if at.Kind() == reflect.Struct {
				tensors(at, visit)
			}
		}
	}
}

// both runs one call on both backends and compares.
func (m *Mirror) both(c Call) {
	if m.err != nil {
		return
	}
	args := reflect.ValueOf(c)
	for side, b := range []Backend{m.first, m.second} {
		own := reflect.New(args.Type()).Elem()
		own.Set(args)
		split(own, side)
		own.Interface().(Call).On(b)
	}
	var most float64 // norm of the largest tensor that is compared
	tensors(args, func(_ string, x Vec, anything bool) {
		if m.err == nil && !anything {
			var n float64
			n, m.err = m.norm(x)
			most = max(most, n)
		}
	})
	tensors(args, func(name string, x Vec, anything bool) {
		if m.err == nil {
			m.err = m.compare(Name(c), name, x, anything, rounding*most)
		}
	})
}

// rounding is what float32 loses of a tensor: numbers that cancel, as in a gradient that is 0 but for rounding, may
// lie so far apart compared with those that they are sums of.
const rounding = 1.0 / (1 << 23)

// norm is that of a tensor on the second backend.
func (m *Mirror) norm(x Vec) (float64, error) {
	b := make([]float32, x.Len)
	err := m.second.Download(b, x.side(1))
	var sum float64
	for _, v := range b {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum), err
}

// compare allows for a difference of Tolerance relative to the tensor, and of slack.
func (m *Mirror) compare(kernel, name string, x Vec, anything bool, slack float64) error {
	a, b := make([]float32, x.Len), make([]float32, x.Len)
	if err := m.first.Download(a, x.side(0)); err != nil {
		return err
	}
	if err := m.second.Download(b, x.side(1)); err != nil {
		return err
	}
	var diff, norm, most float64
	at := 0
	for i := range a {
		d := math.Abs(float64(a[i]) - float64(b[i]))
		if diff += d * d; d > most || math.IsNaN(d) {
			most, at = d, i
		}
		norm += float64(b[i]) * float64(b[i])
	}
	if !anything && !(math.Sqrt(diff) <= m.Tolerance*math.Sqrt(norm)+slack) {
		return fmt.Errorf("mirror: %s.%s differs by %.2g relative; most at index %d: %v on %s, %v on %s",
			kernel, name, math.Sqrt(diff/norm), at, a[at], m.first.Info().Name, b[at], m.second.Info().Name)
	}
	m.second.Upload(x.side(1), a)
	return nil
}

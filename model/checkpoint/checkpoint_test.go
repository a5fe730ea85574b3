package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mhacsp/tasks/assert"
)

func sample() *File {
	return &File{
		Metadata: map[string]string{"config": `{"model":"mha-csp"}`, "a<b>": "é\n", "z": ""},
		Tensors: []Tensor{
			{Name: "embedding.weight", Shape: []int{2, 3}, Data: []float32{1, -2, 3.5, 0, float32(math.Inf(1)), math.SmallestNonzeroFloat32}},
			{Name: "empty", Shape: []int{0, 7}, Data: []float32{}}, {Name: "scalar", Data: []float32{42}},
			{Name: "Λ \"quoted\"", Shape: []int{1}, Data: []float32{-0.25}},
		},
	}
}

func sameBits(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }

func encode(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	assert.NoError(t, Encode(&b, f))
	return b.Bytes()
}

func decode(b []byte) (*File, error) { return Decode(bytes.NewReader(b), int64(len(b))) }

// raw is a file of the given header and data.
func raw(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func TestRoundTrip(t *testing.T) {
	large := &File{}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 20 { // larger than the conversion buffer, at odd places
		tensor := Tensor{Name: fmt.Sprint("t", n), Shape: []int{1 + n*37, 5 * n}, Data: make([]float32, (1+n*37)*5*n)}
		for i := range tensor.Data {
			tensor.Data[i] = float32(r.NormFloat64())
		}
		large.Tensors = append(large.Tensors, tensor)
	}
	for _, want := range []*File{sample(), {}, {Metadata: map[string]string{"k": "v"}}, large} {
		b := encode(t, want)
		assert.Is(t, assert.Must(decode(b))(t), want, "read back")
		start := 8 + binary.LittleEndian.Uint64(b)
		assert.True(t, start%8 == 0, "data starts at byte %d", start)
		for range 2 {
			assert.Need(t, bytes.Equal(encode(t, want), b), "two encodings differ")
		}
	}
	nan := math.Float32frombits(0x7fc12345)
	f, err := decode(encode(t, &File{Tensors: []Tensor{{Name: "n", Shape: []int{1}, Data: []float32{nan}}}}))
	assert.True(t, err == nil && sameBits(f.Tensors[0].Data[0], nan), "NaN comes back as %v, %v", f, err)
}

func TestGoldenBytes(t *testing.T) {
	got := encode(t, &File{
		Metadata: map[string]string{"k": "<v>", "a": "b"},
		Tensors: []Tensor{
			{Name: "w", Shape: []int{1, 2}, Data: []float32{1, -2}},
			{Name: "b", Shape: []int{1}, Data: []float32{0.5}},
		},
	})
	want := "\x98\x00\x00\x00\x00\x00\x00\x00" +
		`{"__metadata__":{"a":"b","k":"<v>"},` +
		`"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},` +
		`"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}       ` +
		"\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f"
	assert.True(t, string(got) == want, "got\n%q, want\n%q", got, want)
	got = encode(t, &File{})
	assert.True(t, string(got) == "\x08\x00\x00\x00\x00\x00\x00\x00{}      ", "an empty file is %q", got)
}

func TestFind(t *testing.T) {
	f := sample()
	got, ok := f.Find("scalar")
	assert.True(t, ok && got == &f.Tensors[2], "got %v, %v", got, ok)
	got, ok = f.Find("nothing")
	assert.True(t, !ok && got == nil, "got %v, %v", got, ok)
}

// Other writers give other orders, types, spaces and alignments.
func TestForeignFiles(t *testing.T) {
	var data bytes.Buffer
	for _, x := range []any{float32(1.5), []float64{0.1, math.Inf(-1)}} {
		assert.NoError(t, binary.Write(&data, binary.LittleEndian, x))
	}
	f := assert.Must(decode(raw("{ \"late\":{\"data_offsets\":[4,20],\"shape\":[2],\"dtype\":\"F64\"},\n"+
		`"\u0061":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"__metadata__":{} }  `, data.Bytes()...)))(t)
	assert.Is(t, f, &File{Tensors: []Tensor{
		{Name: "a", Data: []float32{1.5}},
		{Name: "late", Shape: []int{2}, Data: []float32{0.1, float32(math.Inf(-1))}},
	}}, "read")
}

func TestCorruptions(t *testing.T) {
	four := make([]byte, 4)
	one := func(tensor string) []byte { return raw(`{"w":`+tensor+`}`, four...) }
	const good = `"dtype":"F32","shape":[1],"data_offsets":[0,4]`
	pair := func(first, second string) []byte {
		return raw(fmt.Sprintf(`{"v":{"dtype":"F32","shape":[1],`+
			`"data_offsets":%s},"w":{"dtype":"F32","shape":[1],"data_offsets":%s}}`,
			first, second), make([]byte, 8)...)
	}
	header := func(length uint64) []byte {
		return append(binary.LittleEndian.AppendUint64(nil, length), make([]byte, 8)...)
	}
	big := binary.LittleEndian.AppendUint64(nil, math.Float64bits(-1e300))

	for _, c := range []struct {
		name  string
		bytes []byte
		want  string
	}{
		{"empty", nil, "truncated: the file holds 0 bytes, a safetensors file at least 10; copy it again or use an earlier checkpoint"},
		{"header length", header(1 << 62), "truncated, or not a safetensors file: header length 4 611 686 018 427 387 904, the file holds 8 bytes after it; copy it again or use an earlier checkpoint"},
		{"header length wraps", header(math.MaxUint64 - 3), "header length 18 446 744 073 709 551 612"},
		{"header of 0", header(0), "header length 0 is not between 2 and 100 000 000: not a safetensors file"},
		{"not UTF-8", raw("{\"\xff\":1}"), "header is not UTF-8: not a safetensors file"},
		{"not an object", raw(`[1]`), `header starts with "[", not with "{"`},
		{"leading space", raw(` {}`), `header starts with " "`},
		{"not JSON", raw(`{"w":}`), `tensor "w": not JSON, about byte `},
		{"no comma", raw(`{"__metadata__":{"a":"b" "c":"d"}}`), "__metadata__: not JSON, about byte"},
		{"last comma", raw(`{"__metadata__":{"a":"b",}}`), "__metadata__: not JSON"},
		{"open", raw(`{"w":{` + good + `}`), "header: the header's JSON ends too soon"},
		{"open string", raw(`{"w`), "header: the header's JSON ends too soon"},
		{"two objects", raw(`{}{}`), "header: text after its closing brace"},
		{"zero bytes after", raw("{}\x00"), "header: text after its closing brace"},
		{"empty name", raw(`{"":{` + good + `}}`), "a tensor has an empty name"},
		{"lone surrogate", raw(`{"\ud800":{` + good + `}}`), "is not valid text"},
		{"name twice", raw(`{"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"w":{}}`), `header: "w" stands twice; write it again as plain safetensors`},
		{"name twice, escaped", raw(`{"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"\u0077":{}}`), `header: "w" stands twice`},
		{"metadata twice", raw(`{"__metadata__":{},"__metadata__":{}}`), `header: "__metadata__" stands twice`},
		{"metadata key twice", raw(`{"__metadata__":{"a":"","a":""}}`), `__metadata__: key "a" stands twice`},
		{"metadata value", raw(`{"__metadata__":{"a":[]}}`), `__metadata__: "a" is "[", want a string`},
		{"metadata array", raw(`{"__metadata__":[]}`), `__metadata__ is "[", want an object`},
		{"tensor null", one(`null`), `tensor "w" is null, want an object`},
		{"tensor number", one(`1.5`), `tensor "w" is 1.5, want an object`},
		{"deep", raw(strings.Repeat(`{"w":`, 100000)), `tensor "w": unknown key "w"`},
		{"deep array", one(`{"shape":` + strings.Repeat("[", 100000)), `tensor "w": shape has "[", want a whole number`},
		{"unknown key", one(`{` + good + `,"color":1}`), `tensor "w": unknown key "color"`},
		{"key twice", one(`{` + good + `,"dtype":"F32"}`), `tensor "w": key "dtype" stands twice`},
		{"no dtype", one(`{"shape":[1],"data_offsets":[0,4]}`), `tensor "w": no dtype`},
		{"no shape", one(`{"dtype":"F32","data_offsets":[0,4]}`), `tensor "w": no shape`},
		{"no data_offsets", one(`{"dtype":"F32","shape":[1]}`), `tensor "w": no data_offsets`},
		{"dtype", one(`{"dtype":"BF16"}`), `tensor "w": dtype "BF16", only F32 and F64 are read; convert it to F32`},
		{"dtype type", one(`{"dtype":32}`), `tensor "w": "dtype" is 32, want a string`},
		{"long dtype", one(`{"dtype":"` + strings.Repeat("x", 1000) + `"}`), strings.Repeat("x", 80) + `"…, only`},
		{"shape string", one(`{"shape":"1"}`), `tensor "w": shape is the string "1", want an array`},
		{"shape negative", one(`{"shape":[-1]}`), `tensor "w": shape has -1, want a whole number from 0`},
		{"shape fraction", one(`{"shape":[1.0]}`), `tensor "w": shape has 1.0, want a whole number`},
		{"shape exponent", one(`{"shape":[1e2]}`), `tensor "w": shape has 1e2, want a whole number`},
		{"shape bool", one(`{"shape":[true]}`), `tensor "w": shape has true, want a whole number`},
		{"shape null", one(`{"shape":[null]}`), `tensor "w": shape has null, want a whole number`},
		{"shape huge", one(`{"shape":[18446744073709551616]}`), `tensor "w": shape has 18446744073709551616, want a whole number`},
		{"rank", one(`{"shape":[1` + strings.Repeat(",1", 32) + `]}`), `tensor "w": shape has more than 32 numbers`},
		{"product overflow", one(`{"dtype":"F32","shape":[2147483647,2147483647,2147483647],"data_offsets":[0,4]}`), `tensor "w": shape [2147483647 2147483647 2147483647] is more values than any file can hold`},
		{"byte overflow", one(`{"dtype":"F64","shape":[2147483647,1073741824],"data_offsets":[0,0]}`), "more values than any file"},
		{"shape too large", one(`{"dtype":"F32","shape":[3000],"data_offsets":[0,4]}`), `tensor "w": shape [3000] of F32 is 12 000 bytes, data_offsets [0 4] are 4; copy it again`},
		{"shape for F64", one(`{"dtype":"F64","shape":[1],"data_offsets":[0,4]}`), `tensor "w": shape [1] of F64 is 8 bytes, data_offsets [0 4] are 4`},
		{"offsets reversed", one(`{"data_offsets":[4,0]}`), `tensor "w": data_offsets [4 0], want a begin and an end not before it`},
		{"one offset", one(`{"data_offsets":[4]}`), `tensor "w": data_offsets [4], want a begin`},
		{"three offsets", one(`{"data_offsets":[0,4,4]}`), `tensor "w": data_offsets has more than 2 numbers`},
		{"offset negative", one(`{"data_offsets":[-4,0]}`), `tensor "w": data_offsets has -4, want`},
		{"hole at the start", one(`{"dtype":"F32","shape":[0],"data_offsets":[4,4]}`), `tensor "w": data_offsets [4 4] leaves a hole after the header, which ends at 0`},
		{"hole", pair("[0,4]", "[8,12]"), `tensor "w": data_offsets [8 12] leaves a hole after tensor "v", which ends at 4`},
		{"overlap", pair("[0,4]", "[2,6]"), `tensor "w": data_offsets [2 6] overlaps tensor "v", which ends at 4`},
		{"same place", pair("[0,4]", "[0,4]"), `tensor "w": data_offsets [0 4] overlaps tensor "v"`},
		{"cut data", raw(`{"w":{"dtype":"F32","shape":[119250],"data_offsets":[0,477000]}}`, make([]byte, 12000)...), "truncated: header says 477 000 bytes of tensors, the file holds 12 000; copy it again or use an earlier checkpoint"},
		{"data after", raw(`{"w":{`+good+`}}`, make([]byte, 6)...), "header says 4 bytes of tensors, the file holds 6: 2 belong to none"},
		{"beyond float32", raw(`{"w":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}`, big...), `tensor "w": value -1e+300 at index 0 is beyond float32; scale it or write the file as F32`},
	} {
		f, err := decode(c.bytes)
		assert.True(t, f == nil && errors.Is(err, ErrFormat) && strings.Contains(err.Error(), c.want) &&
			len(err.Error()) <= 500 && strings.Contains(err.Error(), "; "),
			"%s: error\n%v, want a short one with a remedy, and\n%s", c.name, err, c.want)
	}
}

func TestTruncation(t *testing.T) {
	whole := encode(t, sample())
	path := filepath.Join(t.TempDir(), "model.safetensors")
	for n := range whole {
		assert.NoError(t, os.WriteFile(path, whole[:n], 0o600))
		_, err := ReadFile(path)
		assert.Need(t, errors.Is(err, ErrFormat) && strings.HasPrefix(err.Error(), path+": ") &&
			strings.Contains(err.Error(), "truncated"), "%d of %d bytes: %v", n, len(whole), err)
		// The size was right when it was asked for, and is not any more.
		_, err = Decode(bytes.NewReader(whole[:n]), int64(len(whole)))
		assert.Need(t, errors.Is(err, ErrFormat), "file shrunk to %d of %d bytes: %v", n, len(whole), err)
	}
}

// failing is a disk that fails from some byte on.
type failing struct {
	bytes.Reader
	from int64
	err  error
}

func (f *failing) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > f.from {
		return 0, f.err
	}
	return f.Reader.ReadAt(p, at)
}

func TestReaderErrorsAreKept(t *testing.T) {
	whole := encode(t, sample())
	disk := errors.New("input/output error")
	for from := range whole {
		_, err := Decode(&failing{*bytes.NewReader(whole), int64(from), disk}, int64(len(whole)))
		assert.Need(t, errors.Is(err, disk) && !errors.Is(err, ErrFormat), "fails from byte %d: %v", from, err)
	}
}

func TestEncodeErrors(t *testing.T) {
	long := make([]int, 33)
	for want, f := range map[string]*File{
		"an empty name":        {Tensors: []Tensor{{}}},
		"keeps for metadata":   {Tensors: []Tensor{{Name: "__metadata__", Data: []float32{1}}}},
		"is not valid text":    {Tensors: []Tensor{{Name: "\xff", Data: []float32{1}}}},
		`"w" stands twice`:     {Tensors: []Tensor{{Name: "w", Data: []float32{1}}, {Name: "w", Data: []float32{1}}}},
		"negative dimension":   {Tensors: []Tensor{{Name: "w", Shape: []int{-1, -1}, Data: []float32{1}}}},
		"more values than any": {Tensors: []Tensor{{Name: "w", Shape: []int{math.MaxInt, math.MaxInt, 2}}}},
		"has 33 dimensions":    {Tensors: []Tensor{{Name: "w", Shape: long}}},
		`tensor "w": shape [2 3] is 6 values, Data has 5; make them agree`: {Tensors: []Tensor{{Name: "w", Shape: []int{2, 3}, Data: make([]float32, 5)}}},
		`metadata "k" is not UTF-8`:                                        {Metadata: map[string]string{"k": "\xff"}},
	} {
		var b bytes.Buffer
		err := Encode(&b, f)
		assert.True(t, errors.Is(err, ErrFormat) && strings.Contains(err.Error(), want) && b.Len() == 0,
			"error %v after %d bytes, want %q", err, b.Len(), want)
	}
}

// limited takes that many bytes and then is full.
type limited struct {
	left int
	err  error
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		return l.left, l.err
	}
	l.left -= len(p)
	return len(p), nil
}

func TestEncodeReportsTheWriter(t *testing.T) {
	full := errors.New("no space left")
	for room := range encode(t, sample()) {
		err := Encode(&limited{room, full}, sample())
		assert.Need(t, errors.Is(err, full) && !errors.Is(err, ErrFormat), "room for %d bytes: %v", room, err)
	}
	disk, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer disk.Close()
	err = Encode(disk, sample())
	assert.True(t, Full(err), "a full disk gives %v", err)
}

func TestReadFileErrors(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing.safetensors")
	_, err := ReadFile(missing)
	assert.True(t, errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(err.Error(), missing+": cannot open") &&
		strings.HasSuffix(err.Error(), "; check the path"), "missing: %v", err)
	_, err = ReadFile(folder)
	assert.True(t, errors.Is(err, ErrFormat) && strings.Contains(err.Error(), "is a folder"), "folder: %v", err)
}

// The memory taken is bounded by the size, whatever the header claims.
func TestDecodeAllocation(t *testing.T) {
	tensors := func(n int, one string) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"%d":%s`, i, one)
		}
		return raw("{" + b.String()[1:] + "}")
	}
	for name, b := range map[string][]byte{
		"large claims":   tensors(1, `{"dtype":"F32","shape":[1000000000000],"data_offsets":[0,4000000000000]}`),
		"header length":  append([]byte{0xff, 0xe0, 0xf5, 5, 0, 0, 0, 0}, "{}"...),
		"empty tensors":  tensors(20000, `{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`),
		"many claims":    tensors(20000, `{"dtype":"F32","shape":[1000],"data_offsets":[0,4000]}`),
		"long dimension": raw(`{"w":{"shape":[` + strings.Repeat("9", 1<<20) + `]}}`),
		"long name":      raw(`{"` + strings.Repeat("n", 1<<20) + `":0}`),
		"long shape":     raw(`{"w":{"shape":[` + strings.Repeat("1,", 1<<19) + `1]}}`),
		"metadata":       raw(`{"__metadata__":` + string(tensors(100000, `""`)[8:]) + `}`),
		"plain":          encode(t, &File{Tensors: []Tensor{{"w", []int{1 << 18}, make([]float32, 1<<18)}}}),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, _ := decode(b)
		runtime.ReadMemStats(&after)
		taken := after.TotalAlloc - before.TotalAlloc // garbage included
		t.Logf("%-15s %8d bytes, %5.1f times as much taken", name, len(b), float64(taken)/float64(len(b)))
		assert.True(t, taken <= uint64(40*len(b)+chunk), "%s: %d bytes taken for a file of %d", name, taken, len(b))
		runtime.KeepAlive(f)
	}
}

// counting refuses what lies outside the file and counts what is read.
type counting struct {
	t    *testing.T
	b    []byte
	read int
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	assert.Need(c.t, at >= 0 && at+int64(len(p)) <= int64(len(c.b)),
		"reads %d bytes at %d of %d", len(p), at, len(c.b))
	c.read += len(p)
	return copy(p, c.b[at:]), nil
}

func FuzzDecode(f *testing.F) {
	whole := encode(f, sample())
	f.Add(whole)
	f.Add(whole[:len(whole)-3])
	f.Add(encode(f, &File{}))
	f.Add(raw(`{"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}}`, make([]byte, 16)...))
	f.Add(raw(`{"a":{"dtype":"F32","shape":[99999999999],"data_offsets":[0,399999999996]}}`))
	f.Add(raw(`{"__metadata__":{"a":"\ud83d\ude00"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := &counting{t: t, b: b}
		got, err := Decode(r, int64(len(b)))
		assert.Need(t, r.read <= len(b), "reads %d bytes of %d", r.read, len(b))
		if err != nil {
			assert.Need(t, got == nil && errors.Is(err, ErrFormat), "got %v, %v", got, err)
			return
		}
		values := 0
		for _, tensor := range got.Tensors {
			values += cap(tensor.Data)
		}
		// At least 4 bytes a value, and the slack of size classes.
		assert.Need(t, values <= len(b), "%d values from %d bytes", values, len(b))
		second := assert.Must(decode(encode(t, got)))(t)
		same := func(a, b Tensor) bool {
			return a.Name == b.Name && reflect.DeepEqual(a.Shape, b.Shape) &&
				slices.EqualFunc(a.Data, b.Data, sameBits)
		}
		assert.Need(t, slices.EqualFunc(got.Tensors, second.Tensors, same) &&
			reflect.DeepEqual(second.Metadata, got.Metadata), "%v comes back as %v", got, second)
	})
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	for range 2 { // new, then over the old
		assert.NoError(t, WriteFile(path, sample()))
		assert.Is(t, assert.Must(ReadFile(path))(t), sample(), "read back")
	}
	alone(t, path)
	assert.NoError(t, os.Chmod(path, 0o640))
	assert.NoError(t, WriteFile(path, &File{}))
	mode := assert.Must(os.Stat(path))(t).Mode()
	assert.True(t, mode == 0o640 || runtime.GOOS == "windows", "permissions became %v", mode)
	err := WriteFile(path, &File{Tensors: []Tensor{{}}})
	assert.True(t, errors.Is(err, ErrFormat), "got %v", err)
	alone(t, path)
}

// TestReplaced: who reads a file while it is replaced again and again has one of them, whole.
func TestReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	files := []*File{sample(), {Metadata: map[string]string{"step": "12"}, Tensors: sample().Tensors[:1]}}
	assert.NoError(t, WriteFile(path, files[0]))
	// Windows replaces no file that is always open.
	pause := map[bool]time.Duration{true: 20 * time.Millisecond}[runtime.GOOS == "windows"]
	var reading sync.WaitGroup
	t.Cleanup(reading.Wait) // the context has ended then
	reading.Go(func() {
		for t.Context().Err() == nil {
			f, err := ReadFile(path)
			_, failed := ReadText(path)
			whole := reflect.DeepEqual(f, files[0]) || reflect.DeepEqual(f, files[1])
			assert.True(t, err == nil && failed == nil && whole, "read: %v, %v; as a text: %v", f, err, failed)
			time.Sleep(pause)
		}
	})
	for n, end := 0, time.Now().Add(500*time.Millisecond); time.Now().Before(end); n++ {
		assert.NoError(t, WriteFile(path, files[n%2]))
	}
}

// alone checks that the folder of path holds nothing but it.
func alone(t *testing.T, path string) {
	t.Helper()
	names := assert.Must(fs.Glob(os.DirFS(filepath.Dir(path)), "*"))(t)
	assert.Is(t, names, []string{filepath.Base(path)}, "the folder holds")
}

func TestWriteAtomicKeepsTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	assert.NoError(t, WriteFile(path, sample()))
	check := func() {
		t.Helper()
		assert.Is(t, assert.Must(ReadFile(path))(t), sample(), "the old file became")
		alone(t, path)
	}
	midway := errors.New("midway")
	err := WriteAtomic(path, func(w io.Writer) error {
		w.Write(make([]byte, 3*chunk)) // past the buffer
		return fmt.Errorf("step 7: %w", midway)
	})
	want := path + ": not written: step 7: midway; the file there, if any, is as it was"
	assert.True(t, errors.Is(err, midway) && err.Error() == want, "error %v, want %s", err, want)
	check()

	func() {
		defer func() { recover() }()
		WriteAtomic(path, func(w io.Writer) error {
			w.Write([]byte("half"))
			panic("midway")
		})
	}()
	check()
}

func TestWriteAtomicRemedies(t *testing.T) {
	folder := t.TempDir()
	nothing := func(io.Writer) error { return nil }
	path := filepath.Join(folder, "missing", "f")
	unwritten(t, WriteAtomic(path, nothing), path, fs.ErrNotExist)
	unwritten(t, WriteAtomic(folder, nothing), folder, errNotFile)
	assert.Is(t, assert.Must(fs.Glob(os.DirFS(folder), "*"))(t), nil, "left")
	path = filepath.Join(folder, "f")
	full := &fs.PathError{Op: "write", Path: "elsewhere", Err: fs.ErrPermission}
	unwritten(t, WriteAtomic(path, func(io.Writer) error { return full }), path, fs.ErrPermission)
}

// unwritten holds an error to be a *DiskError of a path and a cause, with a remedy.
func unwritten(t *testing.T, err error, path string, cause error) {
	t.Helper()
	var disk *DiskError
	assert.True(t, errors.As(err, &disk) && disk.Path == path && errors.Is(err, cause) &&
		remedy(cause) != remedy(nil), "%v; want %s and %v", err, path, cause)
}

// TestWritable: what WriteAtomic cannot do is reported before, and nothing is left of the trial.
func TestWritable(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	assert.NoError(t, Writable(path))
	assert.Is(t, assert.Must(fs.Glob(os.DirFS(folder), "*"))(t), nil, "left")
	assert.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
	assert.NoError(t, Writable(path))
	alone(t, path)
	assert.Is(t, string(assert.Must(os.ReadFile(path))(t)), "old", "the file became")
	unwritten(t, Writable(folder), folder, errNotFile)
	missing := filepath.Join(folder, "missing", "f")
	unwritten(t, Writable(missing), missing, fs.ErrNotExist)
}

// TestPatiently: an error that passes is waited out for a while, any other is returned at once.
func TestPatiently(t *testing.T) {
	busy, other := errors.New("busy"), errors.New("other")
	passes := func(err error) bool { return err == busy }
	for _, c := range []struct {
		errs []error // of the first calls
		want error
	}{{nil, nil}, {[]error{busy, busy, busy}, nil}, {[]error{other, nil}, other}, {[]error{busy, other, nil}, other}} {
		calls := 0
		err := patiently(time.Minute, passes, func() error {
			if calls++; calls > len(c.errs) {
				return nil
			}
			return c.errs[calls-1]
		})
		assert.True(t, err == c.want, "%v: %v after %d calls", c.errs, err, calls)
	}
	begin, most, calls := time.Now(), 50*time.Millisecond, 0
	err := patiently(most, passes, func() error {
		calls++
		return busy
	})
	assert.True(t, err == busy && time.Since(begin) >= most && calls >= 2, "%v after %d calls", err, calls)
}

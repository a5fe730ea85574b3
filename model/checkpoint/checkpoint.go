// Package checkpoint reads and writes safetensors files, the interchange format of FORMATS.md: a little-endian uint64
// header length n, n bytes of JSON that name every tensor, its type, its shape and its place, then the tensors' bytes.
//
// Reading trusts nothing: a damaged or hostile file gives an error that says what is wrong and what to do, never a
// panic, and never takes more memory than a small multiple of the file's size. Writing is atomic: a reader sees the
// old file or the whole new one.
package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// ErrFormat is what errors.Is finds in every error about the content of a file: one that is damaged, cut short, or not
// a file of this format, or, from Encode, a File that the format cannot hold.
var ErrFormat = errors.New("not a valid safetensors file")

// Tensor is one named array, row-major. A scalar has an empty shape.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32 // as many as the product of Shape
}

// File is the content of a safetensors file. Metadata are the free strings under the header's "__metadata__"; nil and
// empty are the same in the file and are read back as nil. Tensors stand in the order of their bytes in the file.
type File struct {
	Metadata map[string]string
	Tensors  []Tensor
}

// Find returns the tensor of that name.
func (f *File) Find(name string) (*Tensor, bool) {
	for i := range f.Tensors {
		if f.Tensors[i].Name == name {
			return &f.Tensors[i], true
		}
	}
	return nil, false
}

const (
	lengthSize   = 8 // the uint64 before the header
	maxHeader    = 100_000_000
	maxRank      = 32
	metadataName = "__metadata__"
	chunk        = 64 << 10 // bytes converted at a time
)

// ReadFile reads a whole checkpoint. An error names the file and the remedy; one about its content is ErrFormat, one
// from the system is kept (fs.ErrNotExist and the like).
func ReadFile(path string) (*File, error) {
	info, err := os.Stat(path) // before opening: to open a pipe is to wait
	switch {
	case err != nil:
		return nil, openError(path, err)
	case info.IsDir():
		return nil, fmt.Errorf("%s: %w",
			path, invalid("is a folder, not a checkpoint; name the .safetensors file in it"))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: %w", path, invalid("is not a regular file; copy it to one first"))
	}
	r, err := Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, openError(path, err)
	}
	defer r.Close()
	if info, err = r.Stat(); err != nil { // it may have been replaced since
		return nil, openError(path, err)
	}
	f, err := Decode(r, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func openError(path string, err error) error {
	remedy := "check the path"
	if errors.Is(err, fs.ErrPermission) {
		remedy = "make it readable"
	}
	return fmt.Errorf("%s: cannot open the checkpoint: %w; %s", path, Cause(err), remedy)
}

// WriteFile writes a whole checkpoint with WriteAtomic.
func WriteFile(path string, f *File) error {
	return WriteAtomic(path, func(w io.Writer) error { return Encode(w, f) })
}

// formatError is an error whose text stands alone and that is ErrFormat.
type formatError string

func (e formatError) Error() string        { return string(e) }
func (e formatError) Is(target error) bool { return target == ErrFormat }

func invalid(format string, args ...any) error { return formatError(fmt.Sprintf(format, args...)) }

// group writes 12000 as "12 000".
func group[T int | int64 | uint64](n T) string {
	digits := strconv.FormatUint(uint64(n), 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + " " + digits[i:]
	}
	return digits
}

// clip quotes text of the file for a message, shortened.
func clip(s string) string {
	const most = 80
	if len(s) > most {
		return strconv.Quote(strings.ToValidUTF8(s[:most], "")) + "…"
	}
	return strconv.Quote(s)
}

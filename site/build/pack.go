//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Go's linker writes a program's data as some ninety thousand segments and leaves out each run of a few zeros between
// them. The headers of the segments are noise that compression cannot take away, and zeros are nothing to it: with one
// segment the trainer is a tenth smaller in brotli.

// dataSection is the number of a module's data section (WebAssembly core specification, 5.5.14).
const dataSection = 11

// gapMax is the longest run of zeros that is written out. Longer ones are few, and would only make the module larger.
const gapMax = 256

// segment is bytes that are put into memory 0 at an offset when the program starts.
type segment struct {
	offset int64
	data   []byte
}

// pack rewrites the data section of a WebAssembly module with few segments. The memory that the program starts with is
// the same, but for what change does to it, where one is given. An error means that the module is not of the kind that
// Go's linker writes.
func pack(module []byte, change func([]segment) error) ([]byte, error) {
	const magic = "\x00asm\x01\x00\x00\x00"
	if !bytes.HasPrefix(module, []byte(magic)) {
		return nil, errors.New("this is no WebAssembly module of version 1")
	}
	out := bytes.NewBufferString(magic)
	r := reader{rest: module[len(magic):]}
	for len(r.rest) > 0 {
		id, body := r.byte(), r.take(r.unsigned())
		if r.err != nil {
			return nil, r.err
		}
		if id == dataSection {
			segments, err := readData(body)
			if err != nil {
				return nil, err
			}
			segments = merge(segments)
			if change != nil {
				if err := change(segments); err != nil {
					return nil, err
				}
			}
			body = writeData(segments)
		}
		out.WriteByte(id)
		out.Write(binary.AppendUvarint(nil, uint64(len(body))))
		out.Write(body)
	}
	return out.Bytes(), nil
}

// merge joins segments that follow each other with no more than gapMax bytes between them, which are zeros.
func merge(segments []segment) []segment {
	var out []segment
	for _, s := range segments {
		if len(out) > 0 {
			last := &out[len(out)-1]
			gap := s.offset - last.offset - int64(len(last.data))
			if gap >= 0 && gap <= gapMax {
				last.data = append(append(last.data, make([]byte, gap)...), s.data...)
				continue
			}
		}
		out = append(out, segment{s.offset, bytes.Clone(s.data)})
	}
	return out
}

// i32const and end are the two instructions of a segment's offset.
const i32const, end = 0x41, 0x0b

func readData(body []byte) ([]segment, error) {
	r := reader{rest: body}
	list := make([]segment, r.unsigned())
	for i := range list {
		if kind := r.byte(); r.err == nil && kind != 0 {
			return nil, fmt.Errorf("data segment %d is of kind %d; only active ones of memory 0 are known", i, kind)
		}
		if op := r.byte(); r.err == nil && op != i32const {
			return nil, fmt.Errorf("the offset of data segment %d is instruction %#x; only i32.const is known", i, op)
		}
		list[i].offset = r.signed()
		if op := r.byte(); r.err == nil && op != end {
			return nil, fmt.Errorf("the offset of data segment %d goes on with instruction %#x; "+
				"only i32.const is known", i, op)
		}
		list[i].data = r.take(r.unsigned())
		if r.err != nil {
			return nil, r.err
		}
	}
	if len(r.rest) > 0 {
		return nil, fmt.Errorf("%d bytes follow the last data segment", len(r.rest))
	}
	return list, nil
}

func writeData(list []segment) []byte {
	out := binary.AppendUvarint(nil, uint64(len(list)))
	for _, s := range list {
		out = append(out, 0, i32const)
		out = appendSigned(out, s.offset)
		out = append(out, end)
		out = binary.AppendUvarint(out, uint64(len(s.data)))
		out = append(out, s.data...)
	}
	return out
}

// appendSigned writes a number as signed LEB128.
func appendSigned(out []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// reader reads a module's numbers and remembers the first error; after one it gives zeros.
type reader struct {
	rest []byte
	err  error
}

var errShort = errors.New("the WebAssembly module ends within a section")

func (r *reader) take(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part
}

func (r *reader) fail() {
	if r.err == nil {
		r.err = errShort
	}
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// unsigned reads unsigned LEB128 of 32 bits, signed the signed kind.
func (r *reader) unsigned() uint64 {
	v, n := binary.Uvarint(r.rest)
	if r.err != nil || n <= 0 || v>>32 != 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) signed() (v int64) {
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 {
				v -= 1 << (shift + 7)
			}
			return v
		}
	}
	r.fail()
	return 0
}

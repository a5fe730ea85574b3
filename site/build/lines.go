//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// A Go program carries, for stack traces, the file and line of every instruction: 80 KB of the trainer in brotli.
// Nothing else reads them, and what the page tells of a trainer that ended is the reason, not where. They are cleared;
// names of functions stay, so a trace in the browser's console still says who called whom, with "?" for the line.
//
// The table is the runtime's own (runtime/symtab.go, type _func; cmd/link writes it): a header, and by function where
// in the tables of changing values, pctab, those of its files and lines begin. Tables are shared where their bytes are
// the same, so one that the stack or the garbage collector needs too is kept.

// Two more things go that a browser has no use for: where a thread may be stopped by a signal, and what arguments a
// trace prints. And the index of functions by address is made coarser.

// The indices of their tables in a function's description (internal/abi/symtab.go), and what stands for no table in
// the second list; in the first it is 0.
const unsafePoint, argLive = 0, 3 // PCDATA_UnsafePoint, PCDATA_ArgLiveIndex
const argInfo, argLiveInfo = 5, 6 // FUNCDATA_ArgInfo, FUNCDATA_ArgLiveInfo
const none = "\xff\xff\xff\xff"

// lineTable is the header's beginning in a WebAssembly program, Go 1.20 and later: the number of the layout, two
// zeros, the size of the least instruction and that of a pointer.
var lineTable = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

var errLines = errors.New("the table of lines is not laid out as Go 1.20 to 1.26 do")

// clearLines clears what traces and signals alone read in a program's memory, and makes its index of functions coarse.
func clearLines(segments []segment) error {
	memory := flat(segments)
	at := bytes.Index(memory.data, lineTable)
	if at < 0 || bytes.Contains(memory.data[at+1:], lineTable) {
		return errLines
	}
	t := table{memory.data[at:], nil}
	const functions, cus, files, values, infos = 8, 40, 48, 56, 64 // offsets in the header
	first, pctab := t.word(infos), t.word(values)
	keep, drop := map[uint64]bool{0: true}, map[uint64]bool{} // 0 stands for no table
	for i := range t.word(functions) {
		f := first + t.half(first+8*i+4)
		// Offsets in a function's description.
		const stack, file, line, count, cu, start, more, data = 16, 20, 24, 28, 32, 36, 43, 44
		if t.half(f) != t.half(first+8*i) || max(t.half(f+file), t.half(f+line)) >= first-pctab {
			return errLines // the description begins with where the function does, as the index tells too
		}
		keep[t.half(f+stack)] = true
		n := t.half(f + count)
		for k := range n {
			at := f + data + 4*k
			if k == unsafePoint || k == argLive {
				drop[t.half(at)] = true
				t.clear(at, 4)
				continue
			}
			keep[t.half(at)] = true
		}
		for k := uint64(argInfo); k <= argLiveInfo && k < uint64(t.part(f+more, 1)[0]); k++ {
			copy(t.part(f+data+4*(n+k), 4), none)
		}
		drop[t.half(f+file)], drop[t.half(f+line)] = true, true
		for _, field := range [...]uint64{file, line, cu, start} {
			t.clear(f+field, 4)
		}
		if t.err != nil {
			return t.err
		}
	}
	for offset := range drop {
		if !keep[offset] {
			t.clear(pctab+offset, t.length(pctab+offset))
		}
	}
	t.clear(t.word(cus), pctab-t.word(cus)) // the units' lists of files, and the files' names
	if t.err != nil {
		return t.err
	}
	if err := coarsen(memory, at); err != nil {
		return err
	}
	for _, s := range segments {
		copy(s.data, memory.data[s.offset-memory.offset:])
	}
	return nil
}

// coarse is how many functions share an entry of the index by address after coarsen.
const coarse = 32

// coarsen rounds the index that finds a function by its address. An entry says where in the sorted list a search
// begins, and any place before the function will do (findfunc in runtime/symtab.go). A WebAssembly program has sixteen
// entries for each function, 9 KB in brotli; with few different numbers they are nothing. at is where the header of
// the table of lines lies; the index is found by the runtime's moduledata, which begins with the addresses of the
// header and of the names.
func coarsen(memory segment, at int) error {
	header := table{memory.data[at:], nil}
	const functions, names = 8, 32 // offsets in the header
	address := uint64(memory.offset) + uint64(at)
	begin := binary.LittleEndian.AppendUint64(nil, address)
	begin = binary.LittleEndian.AppendUint64(begin, address+header.word(names))
	if header.err != nil || bytes.Count(memory.data, begin) != 1 {
		return errLines
	}
	module := table{memory.data[bytes.Index(memory.data, begin):], nil}
	const index, low, high = 19 * 8, 20 * 8, 21 * 8 // offsets in moduledata: findfunctab, minpc, maxpc
	const reach, size = 4096, 20                    // the addresses of an entry, and its bytes: a number and 16 to add
	t := table{memory.data, nil}
	first := module.word(index) - uint64(memory.offset)
	for i := range (module.word(high) - module.word(low) + reach - 1) / reach {
		entry := t.part(first+size*i, size)
		n := binary.LittleEndian.Uint32(entry)
		if t.err != nil || module.err != nil || uint64(n) >= header.word(functions) {
			return errLines
		}
		binary.LittleEndian.PutUint32(entry, n/coarse*coarse)
	}
	return nil
}

// flat is a program's memory from its first segment to the end of its last.
func flat(segments []segment) (out segment) {
	var end int64
	for i, s := range segments {
		if i == 0 || s.offset < out.offset {
			out.offset = s.offset
		}
		end = max(end, s.offset+int64(len(s.data)))
	}
	out.data = make([]byte, end-out.offset)
	for _, s := range segments {
		copy(out.data[s.offset-out.offset:], s.data)
	}
	return out
}

// table reads and clears, and remembers when it was asked for what lies outside.
type table struct {
	data []byte
	err  error
}

func (t *table) part(at, n uint64) []byte {
	if t.err != nil || at > uint64(len(t.data)) || n > uint64(len(t.data))-at {
		t.err = errLines
		return make([]byte, min(n, 8))
	}
	return t.data[at:][:n]
}

func (t *table) half(at uint64) uint64 { return uint64(binary.LittleEndian.Uint32(t.part(at, 4))) }
func (t *table) word(at uint64) uint64 { return binary.LittleEndian.Uint64(t.part(at, 8)) }
func (t *table) clear(at, n uint64)    { clear(t.part(at, n)) }

// length is how many bytes the table of changing values at a place has: pairs of a change and a distance, until a
// change of 0 that is not the first.
func (t *table) length(at uint64) (n uint64) {
	for first := true; ; first = false {
		change, size := t.varint(at + n)
		n += size
		if t.err != nil || change == 0 && !first {
			return n
		}
		_, size = t.varint(at + n)
		n += size
	}
}

// varint reads a number of seven bits a byte, and how many bytes it has.
func (t *table) varint(at uint64) (v, size uint64) {
	v, n := binary.Uvarint(t.data[min(at, uint64(len(t.data))):])
	if n <= 0 {
		t.err = errLines
	}
	return v, uint64(max(n, 0))
}

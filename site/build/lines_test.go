//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
)

// lineProgram is the memory of a program with a table of two functions: the first one's lines are the second one's
// stack depths, its files and the second one's lines have tables of their own. Its memory begins at base. It returns
// where parts lie.
func lineProgram(base int) (memory []byte, at map[string]int) {
	at = map[string]int{"table": 32}
	pair := func(list ...uint64) (out []byte) {
		for _, v := range list {
			out = binary.AppendUvarint(out, v)
		}
		return out
	}
	values := []byte{0} // offset 0: no table
	put := func(name string, table []byte) uint32 {
		at[name] = len(values)
		values = append(values, table...)
		return uint32(at[name])
	}
	shared := put("shared", pair(0, 3, 2, 300, 0)) // a first change of 0 does not end it
	files := put("files", pair(2, 5, 0))
	lines := put("lines", pair(1000, 7, 2, 1, 0))
	depth := put("depth", pair(4, 5, 0))
	function := func(entry, stack, file, line uint32, more ...uint32) (out []byte) {
		fields := append([]uint32{entry, 12, 13, 14, stack, file, line, uint32(len(more)), 9, 77, 0x00020304}, more...)
		for _, v := range fields {
			out = binary.LittleEndian.AppendUint32(out, v)
		}
		return out
	}
	kept, dropped := put("kept", pair(6, 1, 0)), put("dropped", pair(8, 2, 0))
	one := function(0, depth, files, shared)
	two := function(1, shared, files, lines, dropped, depth, kept, dropped) // four lists of values
	two[43] = 7                                                             // and seven of other data
	for i := range uint32(7) {
		two = binary.LittleEndian.AppendUint32(two, 50+i)
	}
	const header = 72
	names, units := []byte("main.main\x00"), []byte{1, 2, 3}
	paths := []byte("main.go\x00")
	cu := header + len(names)
	file := cu + len(units)
	pctab := file + len(paths)
	infos := pctab + len(values)
	for name, offset := range map[string]int{"pctab": pctab, "infos": infos, "names": header, "units": cu} {
		at[name] = at["table"] + offset
	}
	memory = append(make([]byte, at["table"]), lineTable...)
	for _, v := range []int{2, 1, 0, header, cu, file, pctab, infos} {
		memory = binary.LittleEndian.AppendUint64(memory, uint64(v))
	}
	memory = slices.Concat(memory, names, units, paths, values)
	const index = 2*8 + 4
	for i, f := range []int{index, index + len(one)} {
		memory = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(memory, uint32(i)), uint32(f))
	}
	memory = append(memory, 0, 0, 0, 0)
	at["one"], at["two"] = len(memory), len(memory)+len(one)
	memory = slices.Concat(memory, one, two)
	at["index"] = len(memory) // of functions by address: two entries, the last one of the second function
	memory = append(append(memory, make([]byte, 40)...), "after"...)
	memory[at["index"]+20] = 1
	at["module"] = len(memory)
	data := make([]int, 22)
	data[0], data[1] = base+at["table"], base+at["names"]
	data[19], data[20], data[21] = base+at["index"], 1<<16, 1<<16+4097
	for _, v := range data {
		memory = binary.LittleEndian.AppendUint64(memory, uint64(v))
	}
	return memory, at
}

// TestClearLines: files, lines, arguments and places to stop go, and what the stack needs stays though a function's
// lines are the same bytes; names stay. The index of functions is rounded.
func TestClearLines(t *testing.T) {
	was, at := lineProgram(100)
	now := bytes.Clone(was)
	cut := len(was) / 2 // in two segments, as a long run of zeros makes them
	if err := clearLines([]segment{{100, now[:cut:cut]}, {100 + int64(cut), now[cut:]}}); err != nil {
		t.Fatal(err)
	}
	want := bytes.Clone(was)
	clear(want[at["units"]:at["pctab"]])
	clear(want[at["pctab"]+at["files"]:][:3])
	clear(want[at["pctab"]+at["lines"]:][:6])
	clear(want[at["pctab"]+at["dropped"]:][:3])
	for _, i := range []int{0, 3} {
		clear(want[at["two"]+44+4*i:][:4])
	}
	copy(want[at["two"]+44+4*(4+5):], "\xff\xff\xff\xff\xff\xff\xff\xff") // arguments: no table
	want[at["index"]+20] = 0
	for _, f := range []string{"one", "two"} {
		clear(want[at[f]+20:][:8]) // where its files and lines are
		clear(want[at[f]+32:][:8]) // its unit and its first line
	}
	if !bytes.Equal(now, want) {
		t.Errorf("memory\n%x, want\n%x", now, want)
	}
}

// TestClearLinesUnknown: a table of another layout, none, two or a broken one is refused, and the memory stays as it
// was.
func TestClearLinesUnknown(t *testing.T) {
	whole, at := lineProgram(0)
	change := func(f func(m []byte) []byte) []byte { return f(bytes.Clone(whole)) }
	for name, m := range map[string][]byte{
		"none":              change(func(m []byte) []byte { m[at["table"]] = 0xf0; return m }),
		"two":               change(func(m []byte) []byte { return append(m, m...) }),
		"cut off":           change(func(m []byte) []byte { return m[:at["two"]+8] }),
		"index elsewhere":   change(func(m []byte) []byte { m[at["module"]+8*19+2] = 1; return m }),
		"index too large":   change(func(m []byte) []byte { m[at["index"]+20] = 2; return m }),
		"no module":         change(func(m []byte) []byte { m[at["module"]]++; return m }),
		"too many":          change(func(m []byte) []byte { m[at["table"]+8] = 200; return m }),
		"another entry":     change(func(m []byte) []byte { m[at["two"]]++; return m }),
		"lines elsewhere":   change(func(m []byte) []byte { m[at["two"]+25]++; return m }),
		"table without end": slices.Concat(whole[:len(whole)-5], bytes.Repeat([]byte{0x80}, 64)),
	} {
		if name == "table without end" { // the second function's lines are where the garbage is
			binary.LittleEndian.PutUint32(m[at["two"]+24:], uint32(len(whole)-5-at["pctab"]))
		}
		was := bytes.Clone(m)
		if err := clearLines([]segment{{0, m}}); !errors.Is(err, errLines) {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Equal(m, was) {
			t.Errorf("%s: the memory was changed", name)
		}
	}
}

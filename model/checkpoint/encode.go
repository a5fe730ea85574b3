package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Encode writes f as F32, bit for bit the same for the same File: tensors in the order given, metadata by sorted key,
// the header padded with spaces so that the data starts at a multiple of 8 bytes. Nothing is written where f itself is
// invalid, which is ErrFormat; an error of w is returned wrapped.
func Encode(w io.Writer, f *File) error {
	header, err := encodeHeader(f)
	if err != nil {
		return err
	}
	buffer := make([]byte, lengthSize, chunk)
	binary.LittleEndian.PutUint64(buffer, uint64(len(header)))
	if _, err := w.Write(buffer); err != nil {
		return fmt.Errorf("cannot write the header: %w", err)
	}
	if _, err := w.Write(header); err != nil {
		return fmt.Errorf("cannot write the header: %w", err)
	}
	for _, t := range f.Tensors {
		for values := range slices.Chunk(t.Data, chunk/4) {
			buffer = buffer[:0]
			for _, x := range values {
				buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(x))
			}
			if _, err := w.Write(buffer); err != nil {
				return fmt.Errorf("cannot write tensor %s: %w", clip(t.Name), err)
			}
		}
	}
	return nil
}

// encodeHeader checks f and gives the padded JSON.
func encodeHeader(f *File) ([]byte, error) {
	var header bytes.Buffer
	header.WriteByte('{')
	if len(f.Metadata) > 0 {
		for _, key := range slices.Sorted(maps.Keys(f.Metadata)) {
			if !utf8.ValidString(key) || !utf8.ValidString(f.Metadata[key]) {
				return nil, invalid("metadata %s is not UTF-8; encode it as text first", clip(key))
			}
		}
		writeJSON(&header, metadataName)
		header.WriteByte(':')
		writeJSON(&header, f.Metadata)
	}
	names := make(map[string]bool, len(f.Tensors))
	offset := uint64(0)
	for _, t := range f.Tensors {
		if err := checkName(t.Name); err != nil {
			return nil, err
		}
		if names[t.Name] {
			return nil, invalid("tensor %s stands twice; names are unique", clip(t.Name))
		}
		names[t.Name] = true
		count, err := product(t.Name, t.Shape)
		if err != nil {
			return nil, err
		}
		if count != uint64(len(t.Data)) {
			return nil, invalid("tensor %s: shape %v is %s values, Data has %s; make them agree",
				clip(t.Name), t.Shape, group(count), group(len(t.Data)))
		}
		if header.Len() > 1 {
			header.WriteByte(',')
		}
		writeJSON(&header, t.Name)
		header.WriteString(`:{"dtype":"F32","shape":`)
		writeJSON(&header, append([]int{}, t.Shape...)) // a scalar's is [], not null
		fmt.Fprintf(&header, `,"data_offsets":[%d,%d]}`, offset, offset+4*count)
		offset += 4 * count
	}
	header.WriteByte('}')
	for (lengthSize+header.Len())%8 != 0 {
		header.WriteByte(' ')
	}
	if header.Len() > maxHeader {
		return nil, invalid("the header has %s bytes, the most is %s; shorten the metadata",
			group(header.Len()), group(maxHeader))
	}
	return header.Bytes(), nil
}

// writeJSON writes strings of valid UTF-8, maps of them by sorted key, and numbers.
func writeJSON(b *bytes.Buffer, x any) {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	encoder.Encode(x)       // none of these can fail
	b.Truncate(b.Len() - 1) // the newline that Encode adds
}

// checkName refuses what cannot be told apart again after a trip through JSON.
func checkName(name string) error {
	switch {
	case name == "":
		return invalid("a tensor has an empty name; name it")
	case name == metadataName:
		return invalid("a tensor is named %q, which the format keeps for metadata; rename it", name)
	case !utf8.ValidString(name) || strings.ContainsRune(name, utf8.RuneError):
		return invalid("tensor name %s is not valid text; rename it", clip(name))
	}
	return nil
}

// product is the number of values in a shape. It must fit 8 bytes a value.
func product(name string, shape []int) (uint64, error) {
	if len(shape) > maxRank {
		return 0, invalid("tensor %s: shape has %d dimensions, the most is %d; reshape it",
			clip(name), len(shape), maxRank)
	}
	count := uint64(1)
	for _, n := range shape {
		if n < 0 {
			return 0, invalid("tensor %s: shape %v has a negative dimension; correct it", clip(name), shape)
		}
		high, low := bits.Mul64(count, uint64(n))
		if high != 0 || low > math.MaxInt64/8 {
			return 0, invalid("tensor %s: shape %v is more values than any file can hold; %s",
				clip(name), shape, remedyDamaged)
		}
		count = low
	}
	return count, nil
}

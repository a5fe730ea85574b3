package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	remedyDamaged = "copy it again or use an earlier checkpoint"
	remedyForeign = "write it again as plain safetensors"
)

// Decode reads the size bytes of r as safetensors. It takes F32, and F64 where every value fits a float32 (rounded to
// the nearest). It refuses, with an ErrFormat that names the field, the value and the remedy, whatever is not exactly
// such a file: unknown or doubled keys, bytes that belong to no tensor or to two, shapes that do not fit their bytes.
// It allocates no more than a small multiple of size. An error of r is returned wrapped.
func Decode(r io.ReaderAt, size int64) (*File, error) {
	if size < lengthSize+2 {
		return nil, invalid("truncated: the file holds %s bytes, a safetensors file at least %d; %s",
			group(max(size, 0)), lengthSize+2, remedyDamaged)
	}
	var length [lengthSize]byte
	if err := readAt(r, length[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > uint64(size-lengthSize) {
		return nil, invalid("truncated, or not a safetensors file: "+
			"header length %s, the file holds %s bytes after it; %s", group(n), group(size-lengthSize), remedyDamaged)
	}
	if n < 2 || n > maxHeader {
		return nil, invalid("header length %s is not between 2 and %s: not a safetensors file; %s",
			group(n), group(maxHeader), remedyDamaged)
	}
	text := make([]byte, n)
	if err := readAt(r, text, lengthSize); err != nil {
		return nil, err
	}
	f, places, err := parseHeader(text)
	if err != nil {
		return nil, err
	}
	start := lengthSize + int64(n)
	if err := checkPlaces(places, uint64(size-start)); err != nil {
		return nil, err
	}

	// From here on the tensors fill the rest of the file exactly.
	buffer := make([]byte, min(chunk, (size+7)&^7)) // a whole number of values of either type
	for _, t := range places {
		data, err := readValues(r, start, t, buffer)
		if err != nil {
			return nil, err
		}
		f.Tensors = append(f.Tensors, Tensor{t.name, t.shape, data})
	}
	return f, nil
}

// place is one tensor as the header tells it.
type place struct {
	name       string
	dtype      string
	shape      []int
	begin, end uint64 // of its bytes, counted from the end of the header
}

// width is the bytes of one value.
func (p place) width() uint64 {
	if p.dtype == "F64" {
		return 8
	}
	return 4
}

// checkPlaces puts the tensors in the order of their bytes and checks that they
// fill the held bytes without a hole or an overlap.
func checkPlaces(places []place, held uint64) error {
	slices.SortStableFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	told := uint64(0)
	for i, t := range places {
		if t.begin != told {
			fault := "overlaps"
			if t.begin > told {
				fault = "leaves a hole after"
			}
			before := "the header"
			if i > 0 {
				before = "tensor " + clip(places[i-1].name)
			}
			return invalid("tensor %s: data_offsets [%d %d] %s %s, which ends at %d; %s",
				clip(t.name), t.begin, t.end, fault, before, told, remedyDamaged)
		}
		told = t.end
	}
	if told > held {
		return invalid("truncated: header says %s bytes of tensors, the file holds %s; %s",
			group(told), group(held), remedyDamaged)
	}
	if told < held {
		return invalid("header says %s bytes of tensors, the file holds %s: %s belong to none; %s",
			group(told), group(held), group(held-told), remedyDamaged)
	}
	return nil
}

// readValues reads a tensor whose place has been checked.
func readValues(r io.ReaderAt, start int64, t place, buffer []byte) ([]float32, error) {
	data := make([]float32, 0, (t.end-t.begin)/t.width())
	for at := t.begin; at < t.end; {
		part := buffer[:min(uint64(len(buffer)), t.end-at)]
		if err := readAt(r, part, start+int64(at)); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", clip(t.name), err)
		}
		at += uint64(len(part))
		if t.dtype == "F32" {
			for ; len(part) > 0; part = part[4:] {
				data = append(data, math.Float32frombits(binary.LittleEndian.Uint32(part)))
			}
			continue
		}
		for ; len(part) > 0; part = part[8:] {
			x := math.Float64frombits(binary.LittleEndian.Uint64(part))
			narrow := float32(x)
			if math.IsInf(float64(narrow), 0) && !math.IsInf(x, 0) {
				return nil, invalid("tensor %s: value %v at index %d is beyond float32; "+
					"scale it or write the file as F32", clip(t.name), x, len(data))
			}
			data = append(data, narrow)
		}
	}
	return data, nil
}

func readAt(r io.ReaderAt, p []byte, at int64) error {
	n, err := r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return invalid("truncated: the file ended at byte %s while it was read; %s", group(at+int64(n)), remedyDamaged)
	}
	return fmt.Errorf("cannot read at byte %s: %w", group(at), err)
}

// parseHeader reads the JSON, whose form is fixed: no value is deeper than it has to be, no key is unknown or doubled.
// The file has its metadata alone.
func parseHeader(text []byte) (f *File, places []place, err error) {
	if !utf8.Valid(text) {
		return nil, nil, invalid("header is not UTF-8: not a safetensors file, or damaged; %s", remedyDamaged)
	}
	if text[0] != '{' {
		return nil, nil, invalid("header starts with %s, not with \"{\": not a safetensors file, or damaged; %s",
			clip(string(text[:1])), remedyDamaged)
	}
	p := parser{json.NewDecoder(bytes.NewReader(text)), int64(len(text))}
	p.UseNumber()
	f = &File{}
	names := make(map[string]bool)
	err = p.object("header", func(name string) error {
		if names[name] {
			return invalid("header: %s stands twice; %s", clip(name), remedyForeign)
		}
		names[name] = true
		if name == metadataName {
			return p.metadata(f)
		}
		if err := checkName(name); err != nil {
			return err
		}
		t, err := p.tensor(name)
		places = append(places, t)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if _, err := p.Token(); err != io.EOF {
		return nil, nil, invalid("header: text after its closing brace; %s", remedyDamaged)
	}
	return f, places, nil
}

type parser struct {
	*json.Decoder
	size int64
}

func (p parser) metadata(f *File) error {
	return p.object(metadataName, func(key string) error {
		if _, ok := f.Metadata[key]; ok {
			return invalid("%s: key %s stands twice; %s", metadataName, clip(key), remedyForeign)
		}
		value, err := p.text(metadataName, key)
		if f.Metadata == nil {
			f.Metadata = make(map[string]string)
		}
		f.Metadata[key] = value
		return err
	})
}

// tensor reads {"dtype":…,"shape":…,"data_offsets":…} and checks the three against each other.
func (p parser) tensor(name string) (place, error) {
	t := place{name: name}
	where := "tensor " + clip(name)
	seen := map[string]bool{}
	err := p.object(where, func(key string) error {
		if seen[key] {
			return invalid("%s: key %s stands twice; %s", where, clip(key), remedyForeign)
		}
		seen[key] = true
		var err error
		switch key {
		case "dtype":
			t.dtype, err = p.text(where, "dtype")
			if err == nil && t.dtype != "F32" && t.dtype != "F64" {
				err = invalid("%s: dtype %s, only F32 and F64 are read; convert it to F32", where, clip(t.dtype))
			}
		case "shape":
			err = p.numbers(where, "shape", maxRank, func(n uint64) error {
				if n > math.MaxInt {
					return invalid("%s: shape has a dimension of %d; %s", where, n, remedyDamaged)
				}
				t.shape = append(t.shape, int(n))
				return nil
			})
		case "data_offsets":
			var pair []uint64
			err = p.numbers(where, "data_offsets", 2, func(n uint64) error {
				pair = append(pair, n)
				return nil
			})
			if err == nil && (len(pair) != 2 || pair[0] > pair[1]) {
				err = invalid("%s: data_offsets %v, want a begin and an end not before it; %s",
					where, pair, remedyDamaged)
			}
			if err == nil {
				t.begin, t.end = pair[0], pair[1]
			}
		default:
			err = invalid("%s: unknown key %s; %s", where, clip(key), remedyForeign)
		}
		return err
	})
	if err != nil {
		return t, err
	}
	for _, key := range []string{"dtype", "shape", "data_offsets"} {
		if !seen[key] {
			return t, invalid("%s: no %s; %s", where, key, remedyForeign)
		}
	}
	count, err := product(name, t.shape)
	if err != nil {
		return t, err
	}
	if size := count * t.width(); size != t.end-t.begin {
		return t, invalid("%s: shape %v of %s is %s bytes, data_offsets [%d %d] are %s; %s",
			where, t.shape, t.dtype, group(size), t.begin, t.end, group(t.end-t.begin), remedyDamaged)
	}
	return t, nil
}

// token is the next one, whose error is about the JSON itself. Releases of Go differ in its words, and by a byte in
// where it is found.
func (p parser) token(where string) (json.Token, error) {
	token, err := p.Token()
	if err == nil {
		return token, nil
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF || p.InputOffset() >= p.size {
		return nil, invalid("%s: the header's JSON ends too soon; %s", where, remedyDamaged)
	}
	return nil, invalid("%s: not JSON, about byte %s of the header; %s", where, group(p.InputOffset()), remedyDamaged)
}

// object reads an object and calls value to read what stands under each key.
func (p parser) object(where string, value func(key string) error) error {
	token, err := p.token(where)
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return invalid("%s is %s, want an object; %s", where, show(token), remedyForeign)
	}
	for p.More() {
		key, err := p.token(where)
		if err != nil {
			return err
		}
		if err := value(key.(string)); err != nil { // Token gives no other keys
			return err
		}
	}
	_, err = p.token(where)
	return err
}

// text reads the string under key of the object called where.
func (p parser) text(where, key string) (string, error) {
	token, err := p.token(where)
	if err != nil {
		return "", err
	}
	s, ok := token.(string)
	if !ok {
		return "", invalid("%s: %s is %s, want a string; %s", where, clip(key), show(token), remedyForeign)
	}
	return s, nil
}

// numbers reads the array of at most most whole numbers under key of the object called where.
func (p parser) numbers(where, key string, most int, value func(uint64) error) error {
	token, err := p.token(where)
	if err != nil {
		return err
	}
	if token != json.Delim('[') {
		return invalid("%s: %s is %s, want an array; %s", where, key, show(token), remedyForeign)
	}
	for count := 0; p.More(); count++ {
		token, err := p.token(where)
		if err != nil {
			return err
		}
		if count == most {
			return invalid("%s: %s has more than %d numbers; %s", where, key, most, remedyForeign)
		}
		number, _ := token.(json.Number)
		n, err := strconv.ParseUint(number.String(), 10, 63)
		if err != nil {
			return invalid("%s: %s has %s, want a whole number from 0 to 2^63−1; %s",
				where, key, show(token), remedyForeign)
		}
		if err := value(n); err != nil {
			return err
		}
	}
	_, err = p.token(where)
	return err
}

// show is a token for a message.
func show(token json.Token) string {
	switch token := token.(type) {
	case nil:
		return "null"
	case string:
		return "the string " + clip(token)
	case json.Delim:
		return fmt.Sprintf("%q", token.String())
	default:
		return strings.Trim(clip(fmt.Sprint(token)), `"`)
	}
}

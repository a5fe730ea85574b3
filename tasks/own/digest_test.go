package own

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"mhacsp/tasks/assert"
)

// TestDigest: the browser's SHA-256 is that of the standard library, for every remainder of a block and in any pieces.
func TestDigest(t *testing.T) {
	text := bytes.Repeat([]byte("a tenth, ü\x00\xff"), 40)
	for n := range text {
		d := newDigest()
		for rest := text[:n]; len(rest) > 0; {
			piece := rest[:min(1+n%97, len(rest))]
			assert.Must(d.Write(piece))(t)
			rest = rest[len(piece):]
		}
		want := sha256.Sum256(text[:n])
		got := d.Sum(nil)
		assert.Need(t, bytes.Equal(got, want[:]), "%d bytes: %x, want %x", n, got, want)
	}
}

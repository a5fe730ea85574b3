package own

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

// TestDigest: the browser's SHA-256 is that of the standard library, for every remainder of a block and in any pieces.
func TestDigest(t *testing.T) {
	text := bytes.Repeat([]byte("a tenth, ü\x00\xff"), 40)
	for n := range text {
		d := newDigest()
		for rest := text[:n]; len(rest) > 0; {
			piece := rest[:min(1+n%97, len(rest))]
			if _, err := d.Write(piece); err != nil {
				t.Fatal(err)
			}
			rest = rest[len(piece):]
		}
		want := sha256.Sum256(text[:n])
		if got := d.Sum(nil); !bytes.Equal(got, want[:]) {
			t.Fatalf("%d bytes: %x, want %x", n, got, want)
		}
	}
}

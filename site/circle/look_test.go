package circle

import (
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// TestLook writes pictures of a reading for people to look at: MHACSP_LOOK names a folder with reading.json.
func TestLook(t *testing.T) {
	dir := os.Getenv("MHACSP_LOOK")
	if dir == "" {
		t.Skip("MHACSP_LOOK names no folder")
	}
	text, err := os.ReadFile(filepath.Join(dir, "reading.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r Reading
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		w, h  int
		scale float64
		dark  bool
		layer Layer
		at    int
		moved float64
	}{
		{"wide-light", 1280, 720, 1, false, None, 99, 1},
		{"wide-dark-attention", 1280, 720, 1, true, Attention, 99, 1},
		{"wide-light-distance", 1280, 720, 1, false, Distance, 99, 1},
		{"wide-dark-tree", 1280, 720, 1, true, Tree, 99, 1},
		{"wide-light-fusion", 1280, 720, 1, false, Fusion, 99, 1},
		{"wide-light-moving", 1280, 720, 1, false, None, 6, 0.5},
		{"phone-dark", 390, 780, 2, true, None, 99, 1},
		{"phone-light-tree", 390, 780, 2, false, Tree, 99, 1},
		{"small", 280, 280, 2, false, None, 8, 1},
		{"small-attention", 280, 280, 2, false, Attention, 99, 1},
		{"embed", 640, 360, 1, false, None, 99, 1},
		{"embed-layer", 640, 360, 1, true, Distance, 99, 1},
		{"square", 700, 700, 1, false, None, 99, 1},
		{"large", 3840, 2160, 1, true, Attention, 99, 1},
	} {
		v := NewView()
		if err := v.SetReading(&r); err != nil {
			t.Fatal(err)
		}
		v.SetTheme(c.dark)
		v.SetLayer(c.layer, 0)
		v.Seek(c.at)
		if c.moved < 1 {
			v.player.from, v.player.moved = v.player.at-1, c.moved
		}
		m := snapshot(t, v, c.w, c.h, c.scale)
		f, err := os.Create(filepath.Join(dir, c.name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := png.Encode(f, m); err != nil {
			t.Fatal(err)
		}
	}
	m := snapshot(t, NewView(), 640, 480, 1)
	f, err := os.Create(filepath.Join(dir, "empty.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, m); err != nil {
		t.Fatal(err)
	}
}

package main

import (
	"bytes"
	"fmt"
)

// tileGo is the file of the kernel of products in plain Go, four rows of the panel a turn.
func tileGo() []byte {
	var b bytes.Buffer
	b.WriteString(header + `package vec

// tile2x4 adds the products of two rows by a panel to t.
func tile2x4(t *[2][4]float32, a0, a1, b []float32) {
	x00, x01, x02, x03 := t[0][0], t[0][1], t[0][2], t[0][3]
	x10, x11, x12, x13 := t[1][0], t[1][1], t[1][2], t[1][3]
	w0s, w1s, qs := blocks[[4]float32](a0), blocks[[4]float32](a1), blocks[[16]float32](b)
	w1s, qs = w1s[:len(w0s)], qs[:len(w0s)]
`)
	turn := func(head string, steps int, numbers string) {
		b.WriteString(head)
		for d := range steps {
			fmt.Fprintf(&b, "{\nb0, b1, b2, b3 := q[%d], q[%d], q[%d], q[%d]\n", 4*d, 4*d+1, 4*d+2, 4*d+3)
			for row := range 2 {
				fmt.Fprintf(&b, "{\nv := "+numbers+"\n", row, d)
				for column := range 4 {
					fmt.Fprintf(&b, "x%d%d += float32(v*b%[2]d)\n", row, column)
				}
				b.WriteString("}\n")
			}
			b.WriteString("}\n")
		}
		b.WriteString("}\n")
	}
	turn("for i := range w0s {\nw0, w1, q := &w0s[i], &w1s[i], &qs[i]\n", 4, "w%d[%d]")
	turn("for i := len(a0) &^ 3; i < len(a0); i++ {\nq := b[4*i : 4*i+4 : 4*i+4]\n", 1, "a%d[i+%d]")
	b.WriteString("t[0] = [4]float32{x00, x01, x02, x03}\nt[1] = [4]float32{x10, x11, x12, x13}\n}\n")
	return b.Bytes()
}

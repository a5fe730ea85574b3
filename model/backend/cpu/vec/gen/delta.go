package main

import (
	"fmt"
	"strings"
)

// Offsets of type deltaBlock.
const (
	offState, offHop, offVectors, offGroups      = 0, 8, 16, 24
	offV, offLDV, offO, offLDO, offDV, offU      = 32, 40, 48, 56, 64, 72
	offNumbers, offGrad, offSteps, offDeltaMasks = 80, 88, 96, 104
	offAhead, offAheadKept, offAheadDX           = 120, 152, 160
)

// A group is what 16 rows of a state have: their bytes there, two vectors each; then the offsets of the rows' numbers
// in q̂, dk̂ and dq̂, that of k̂ being 0, and the bytes of the four. A number of a step is in deltaNumbers.
const (
	deltaRow, deltaRows              = 128, 16 * 128
	deltaQ, deltaDK, deltaDQ, deltaN = 64, 128, 192, 256
	deltaBeta, deltaDA, deltaDB      = 64, 128, 192
)

// deltaText is the text of a kernel of the gated delta rule.
type deltaText struct{ strings.Builder }

func (w *deltaText) line(format string, args ...any) { fmt.Fprintf(w, "\t"+format+"\n", args...) }

func (w *deltaText) zero(registers ...int) {
	for _, r := range registers {
		w.line("VPXORD Z%d, Z%[1]d, Z%[1]d", r)
	}
}

// begin opens a kernel; the block is in R13, K1 and K2 are the columns that exist.
func (w *deltaText) begin(name string) {
	fmt.Fprintf(w, "// func %s(b *deltaBlock)\nTEXT ·%[1]s(SB), NOSPLIT, $0-8\n", name)
	w.line("MOVQ b+0(FP), R13")
	for k := range 2 {
		w.line("MOVQ %d(R13), AX", offDeltaMasks+8*k)
		w.line("KMOVW AX, K%d", k+1)
	}
}

func (w *deltaText) load(offset int, register string) { w.line("MOVQ %d(R13), %s", offset, register) }

// ask asks for what the block to come reads in such a step, and writes: its query, key, value and output, or that
// one's gradient and those of the first three.
func (w *deltaText) ask(back bool) {
	advance := "ADDQ"
	if back {
		advance = "SUBQ"
		w.load(offAheadDX, "CX")
	}
	for i, lines := range []int{1, 1, 2, 2} {
		at := offAhead + 8*i
		w.load(at, "R12")
		for l := range lines {
			w.line("PREFETCHT0 %d(R12)", 64*l)
			if back && i < 3 {
				w.line("PREFETCHT0 %d(R12)(CX*1)", 64*l)
			}
		}
		w.load([]int{offLDV, offLDO}[i/3], "R9")
		w.line("%s R9, %d(R13)", advance, at)
	}
	if back {
		w.load(offAheadKept, "R12")
		w.line("PREFETCHT0 (R12)")
		w.line("PREFETCHT0 64(R12)")
		w.line("ADDQ $%d, %d(R13)", deltaRow, offAheadKept)
	}
}

// loop closes a loop over the groups of rows, counted in R9.
func (w *deltaText) loop(label string) {
	w.line("DECQ R9")
	w.line("JNE %s", label)
}

// sums adds up the four parts of each of two vectors, in Z0 and Z4.
func (w *deltaText) sums() {
	for _, r := range []int{0, 4} {
		w.line("VADDPS Z%d, Z%d, Z%[2]d", r+1, r)
		w.line("VADDPS Z%d, Z%d, Z%[2]d", r+3, r+2)
		w.line("VADDPS Z%d, Z%d, Z%[2]d", r+2, r)
	}
}

// deltaForward writes the kernel that takes the state along the block; with keep that which writes, in place of the
// outputs, u of every step, and each state behind the last.
func deltaForward(out *strings.Builder, name string, keep bool) {
	w := &deltaText{}
	w.begin(name)
	w.load(offState, "AX")
	w.load(offVectors, "BX")
	w.load(offV, "DX")
	w.load(offNumbers, "DI")
	w.load(offHop, "R10")
	if keep {
		w.load(offU, "SI")
	} else {
		w.load(offO, "SI")
	}
	w.WriteString("step: // u = S k̂\n")
	if !keep {
		w.ask(false)
	}
	w.line("MOVQ AX, CX")
	w.line("MOVQ BX, R12")
	w.load(offGroups, "R9")
	w.zero(0, 1, 2, 3, 4, 5, 6, 7)
	w.WriteString("products:\n")
	for i := range 16 {
		w.line("VBROADCASTSS %d(R12), Z%d", 4*i, 24+i%4)
		for half := range 2 {
			w.line("VFMADD231PS %d(CX), Z%d, Z%d", deltaRow*i+64*half, 24+i%4, 4*half+i%4)
		}
	}
	w.line("ADDQ $%d, CX", deltaRows)
	w.line("ADDQ $%d, R12", deltaN)
	w.loop("products")
	w.sums()
	w.line("VBROADCASTSS (DI), Z16")
	w.line("VBROADCASTSS %d(DI), Z17", deltaBeta)
	for half := range 2 { // w = β(v − α u)
		if keep {
			w.line("VMOVUPS Z%d, %d(SI)", 4*half, 64*half)
		}
		w.line("VMOVUPS.Z %d(DX), K%d, Z%d", 64*half, half+1, 18+half)
		w.line("VFNMADD231PS Z%d, Z16, Z%d", 4*half, 18+half)
		w.line("VMULPS Z17, Z%d, Z%[1]d", 18+half)
	}
	w.line("MOVQ AX, CX")
	w.line("LEAQ (AX)(R10*1), R12")
	w.load(offGroups, "R9")
	if !keep {
		w.zero(0, 1, 2, 3)
	}
	w.WriteString("update: // S = α S + w k̂ᵀ, o = S q̂\n")
	for i := range 16 {
		w.line("VBROADCASTSS %d(BX), Z%d", 4*i, 24+i%2)
		if !keep {
			w.line("VBROADCASTSS %d(BX), Z%d", deltaQ+4*i, 26+i%2)
		}
		for half := range 2 {
			row := 20 + 2*(i%2) + half
			w.line("VMULPS %d(AX), Z16, Z%d", deltaRow*i+64*half, row)
			w.line("VFMADD231PS Z%d, Z%d, Z%d", 24+i%2, 18+half, row)
			w.line("VMOVUPS Z%d, %d(R12)", row, deltaRow*i+64*half)
			if !keep {
				w.line("VFMADD231PS Z%d, Z%d, Z%d", 26+i%2, row, 2*half+i%2)
			}
		}
	}
	w.line("ADDQ $%d, AX", deltaRows)
	w.line("ADDQ $%d, R12", deltaRows)
	w.line("ADDQ $%d, BX", deltaN)
	w.loop("update")
	if keep {
		w.line("ADDQ $%d, SI", deltaRow)
	} else {
		for half := range 2 {
			w.line("VADDPS Z%d, Z%d, Z%[2]d", 2*half+1, 2*half)
			w.line("VMOVUPS Z%d, K%d, %d(SI)", 2*half, half+1, 64*half)
		}
		w.line("ADDQ %d(R13), SI", offLDO)
	}
	w.line("ADDQ %d(R13), DX", offLDV)
	w.line("ADDQ $4, DI")
	w.line("LEAQ (CX)(R10*1), AX")
	w.line("DECQ %d(R13)", offSteps)
	w.line("JNE step")
	w.line("VZEROUPPER")
	w.line("RET")
	out.WriteString(w.String() + "\n")
}

// deltaSum makes of 16 vectors that of their sums: vectors are added two at a time as they come, in halves of ever
// wider parts, so that few are held at a time.
type deltaSum struct {
	w    *deltaText
	free *[]int
	held []int
	n    int
}

func (s *deltaSum) take() (r int) {
	r = (*s.free)[0]
	*s.free = (*s.free)[1:]
	return r
}

// add takes the next vector.
func (s *deltaSum) add(r int) {
	s.n++
	s.held = append(s.held, r)
	for level, n := 0, s.n; n%2 == 0; level, n = level+1, n/2 {
		last := len(s.held) - 1
		a, b, t := s.held[last-1], s.held[last], s.take()
		parts := [][2]string{{"VUNPCKLPS", "VUNPCKHPS"}, {"VUNPCKLPD", "VUNPCKHPD"},
			{"VSHUFF32X4 $0x88,", "VSHUFF32X4 $0xDD,"}, {"VSHUFF32X4 $0x88,", "VSHUFF32X4 $0xDD,"}}[level]
		s.w.line("%s Z%d, Z%d, Z%d", parts[0], b, a, t)
		s.w.line("%s Z%d, Z%d, Z%[3]d", parts[1], b, a)
		s.w.line("VADDPS Z%d, Z%d, Z%[2]d", t, a)
		s.held = s.held[:last]
		*s.free = append(*s.free, b, t)
	}
}

// deltaBackward writes the kernel that takes the gradient of the state back along the block, last step first. It adds
// to dk̂, dq̂, dα and dβ, which other columns add to as well.
func deltaBackward(out *strings.Builder, name string) {
	w := &deltaText{}
	w.begin(name)
	w.load(offState, "AX")
	w.load(offVectors, "BX")
	w.load(offV, "DX")
	w.load(offO, "SI")
	w.load(offDV, "DI")
	w.load(offU, "R8")
	w.load(offNumbers, "R10")
	w.load(offHop, "R11")
	w.WriteString("step: // G += do q̂ᵀ, dw = G k̂\n")
	w.ask(true)
	for half := range 2 {
		w.line("VMOVUPS.Z %d(SI), K%d, Z%d", 64*half, half+1, 16+half)
	}
	w.line("VBROADCASTSS (R10), Z18")
	w.line("VBROADCASTSS %d(R10), Z19", deltaBeta)
	w.line("MOVQ BX, CX")
	w.load(offGrad, "R12")
	w.load(offGroups, "R9")
	w.zero(0, 1, 2, 3, 4, 5, 6, 7)
	w.WriteString("products:\n")
	for i := range 16 {
		w.line("VBROADCASTSS %d(CX), Z%d", deltaQ+4*i, 24+i%2)
		w.line("VBROADCASTSS %d(CX), Z%d", 4*i, 26+i%2)
		for half := range 2 {
			row := 28 + 2*(i%2) + half
			w.line("VMOVUPS %d(R12), Z%d", deltaRow*i+64*half, row)
			w.line("VFMADD231PS Z%d, Z%d, Z%d", 24+i%2, 16+half, row)
			w.line("VMOVUPS Z%d, %d(R12)", row, deltaRow*i+64*half)
			w.line("VFMADD231PS Z%d, Z%d, Z%d", 26+i%2, row, 4*half+i%4)
		}
	}
	w.line("ADDQ $%d, R12", deltaRows)
	w.line("ADDQ $%d, CX", deltaN)
	w.loop("products")
	w.sums()
	w.zero(5, 6, 7) // of dβ; of dα, for each half
	for half := range 2 {
		dw, e, du := 4*half, 20+half, 22+half // Z20, Z21 become w = β e, dw de = dv, Z22, Z23 −du = α de
		w.line("VMOVUPS.Z %d(DX), K%d, Z%d", 64*half, half+1, e)
		w.line("VMOVUPS %d(R8), Z%d", 64*half, du)
		w.line("VFNMADD231PS Z%d, Z18, Z%d", du, e)
		w.line("VFMADD231PS Z%d, Z%d, Z5", dw, e)
		w.line("VMULPS Z19, Z%d, Z%[1]d", e)
		w.line("VMULPS Z19, Z%d, Z%[1]d", dw)
		w.line("VMOVUPS Z%d, K%d, %d(DI)", dw, half+1, 64*half)
		w.line("VFNMADD231PS Z%d, Z%d, Z%d", du, dw, 6+half)
		w.line("VMULPS Z18, Z%d, Z%d", dw, du)
	}
	w.line("MOVQ AX, CX")
	w.load(offGrad, "R12")
	w.load(offGroups, "R9")
	w.WriteString("update: // dα = Σ G⊙S' − de·u, dk̂ = Gᵀw + S'ᵀdu, dq̂ = Sᵀdo, G = α G + du k̂ᵀ\n")
	free := []int{0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15, 19, 30, 31}
	dk, dq := &deltaSum{w: w, free: &free}, &deltaSum{w: w, free: &free}
	for i := range 16 {
		at := deltaRow * i
		x, y := dk.take(), dq.take()
		for half := range 2 {
			w.line("VMOVUPS %d(R12), Z%d", at+64*half, 24+half)
			w.line("VMOVUPS %d(CX), Z%d", at+64*half, 26+half)
		}
		w.line("VBROADCASTSS %d(BX), Z%d", 4*i, 28+i%2)
		w.line("VMULPS Z24, Z20, Z%d", x)
		w.line("VMULPS %d(CX)(R11*1), Z16, Z%d", at, y)
		w.line("VFMADD231PS Z24, Z26, Z6")
		w.line("VFMADD231PS Z25, Z27, Z7")
		w.line("VFMADD231PS Z25, Z21, Z%d", x)
		w.line("VFMADD231PS %d(CX)(R11*1), Z17, Z%d", at+64, y)
		for half := range 2 {
			w.line("VMULPS Z18, Z%d, Z%[1]d", 24+half)
			w.line("VFNMADD231PS Z%d, Z%d, Z%d", 28+i%2, 22+half, 24+half)
			w.line("VMOVUPS Z%d, %d(R12)", 24+half, at+64*half)
		}
		w.line("VFNMADD231PS Z26, Z22, Z%d", x)
		w.line("VFNMADD231PS Z27, Z23, Z%d", x)
		dk.add(x)
		dq.add(y)
	}
	for _, to := range []struct{ offset, register int }{{deltaDK, dk.held[0]}, {deltaDQ, dq.held[0]}} {
		w.line("VADDPS %d(BX), Z%d, Z%[2]d", to.offset, to.register)
		w.line("VMOVUPS Z%d, %d(BX)", to.register, to.offset)
	}
	w.line("ADDQ $%d, CX", deltaRows)
	w.line("ADDQ $%d, R12", deltaRows)
	w.line("ADDQ $%d, BX", deltaN)
	w.loop("update")
	// The sums of dα and dβ, side by side down to one of each.
	w.line("VADDPS Z7, Z6, Z6")
	w.line("VUNPCKLPS Z5, Z6, Z0")
	w.line("VUNPCKHPS Z5, Z6, Z1")
	w.line("VADDPS Z1, Z0, Z0")
	w.line("VEXTRACTF64X4 $1, Z0, Y1")
	w.line("VADDPS Y1, Y0, Y0")
	w.line("VEXTRACTF128 $1, Y0, X1")
	w.line("VADDPS X1, X0, X0")
	w.line("VUNPCKHPD X0, X0, X1")
	w.line("VADDPS X1, X0, X0")
	w.line("VMOVSS %d(R10), X1", deltaDA)
	w.line("VINSERTPS $0x10, %d(R10), X1, X1", deltaDB)
	w.line("VADDPS X1, X0, X0")
	w.line("VMOVSS X0, %d(R10)", deltaDA)
	w.line("VEXTRACTPS $1, X0, %d(R10)", deltaDB)
	w.line("MOVQ R11, R9") // the step before: its vectors are two steps behind BX, 1/8 of a state each
	w.line("SHRQ $2, R9")
	w.line("SUBQ R9, BX")
	w.line("SUBQ R11, AX")
	w.line("SUBQ %d(R13), DX", offLDV)
	w.line("SUBQ %d(R13), DI", offLDV)
	w.line("SUBQ %d(R13), SI", offLDO)
	w.line("SUBQ $%d, R8", deltaRow)
	w.line("SUBQ $4, R10")
	w.line("DECQ %d(R13)", offSteps)
	w.line("JNE step")
	w.line("VZEROUPPER")
	w.line("RET")
	out.WriteString(w.String())
}

// deltaFile is the AVX-512 kernels of the gated delta rule. They are assembly because a step has more numbers at hand
// than the compiler has registers.
func deltaFile() []byte {
	w := new(strings.Builder)
	w.WriteString(assembly + "\n")
	deltaForward(w, "deltaForward", false)
	deltaForward(w, "deltaAgain", true)
	deltaBackward(w, "deltaBackward")
	return []byte(w.String())
}

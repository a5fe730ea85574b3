#include "textflag.h"

// ASK gives the instruction every cache line of the bytes from p on.
#define ASK(instruction) \
	MOVQ p+0(FP), AX; \
	MOVQ bytes+8(FP), BX; \
	ADDQ AX, BX; \
	ANDQ $-64, AX; \
loop: \
	instruction (AX); \
	ADDQ $64, AX; \
	CMPQ AX, BX; \
	JLT loop; \
	RET

// func packPanels(dst, src unsafe.Pointer, w, lds, k, panels int)
// w and lds are bytes; w is a multiple of 32.
TEXT ·packPanels(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ w+16(FP), BX
	MOVQ lds+24(FP), CX
	MOVQ k+32(FP), DX
	MOVQ BX, R12
	IMULQ DX, R12 // bytes from a panel to the next
row:
	TESTQ DX, DX
	JLE done
	MOVQ SI, R8
	MOVQ DI, R9
	MOVQ panels+40(FP), R10
panel:
	XORL R11, R11
vector:
	VMOVUPS (R8)(R11*1), Y0
	VMOVUPS Y0, (R9)(R11*1)
	ADDQ $32, R11
	CMPQ R11, BX
	JLT vector
	ADDQ BX, R8
	ADDQ R12, R9
	DECQ R10
	JNE panel
	ADDQ CX, SI
	ADDQ BX, DI
	DECQ DX
	JMP row
done:
	VZEROUPPER
	RET

// func transpose8(dst, src unsafe.Pointer, ldd, lds, n int)
// ldd and lds are bytes; n is a multiple of four and at least four. Each turn takes a block of eight rows by four.
TEXT ·transpose8(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ ldd+16(FP), BX
	MOVQ lds+24(FP), CX
	MOVQ n+32(FP), DX
	LEAQ (CX)(CX*2), R8
	LEAQ (SI)(CX*4), R9 // row 4
	LEAQ (BX)(BX*2), R10
block:
	VMOVUPS (SI), X0
	VMOVUPS (SI)(CX*1), X1
	VMOVUPS (SI)(CX*2), X2
	VMOVUPS (SI)(R8*1), X3
	VINSERTF128 $1, (R9), Y0, Y0
	VINSERTF128 $1, (R9)(CX*1), Y1, Y1
	VINSERTF128 $1, (R9)(CX*2), Y2, Y2
	VINSERTF128 $1, (R9)(R8*1), Y3, Y3
	VUNPCKLPS Y1, Y0, Y4
	VUNPCKHPS Y1, Y0, Y5
	VUNPCKLPS Y3, Y2, Y6
	VUNPCKHPS Y3, Y2, Y7
	VUNPCKLPD Y6, Y4, Y0
	VUNPCKHPD Y6, Y4, Y1
	VUNPCKLPD Y7, Y5, Y2
	VUNPCKHPD Y7, Y5, Y3
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, (DI)(BX*1)
	VMOVUPS Y2, (DI)(BX*2)
	VMOVUPS Y3, (DI)(R10*1)
	LEAQ (DI)(BX*4), DI
	ADDQ $16, SI
	ADDQ $16, R9
	SUBQ $4, DX
	JNE block
	VZEROUPPER
	RET

// func prefetch(p unsafe.Pointer, bytes int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	ASK(PREFETCHT0)

// func prefetch2(p unsafe.Pointer, bytes int)
TEXT ·prefetch2(SB), NOSPLIT, $0-16
	ASK(PREFETCHT1)

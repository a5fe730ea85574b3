#include "textflag.h"

// func packPanels(dst, src unsafe.Pointer, w, lds, k, panels int)
// w and lds are bytes; w is a multiple of 32.
TEXT ·packPanels(SB), NOSPLIT, $0-48
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD w+16(FP), R2
	MOVD lds+24(FP), R3
	MOVD k+32(FP), R4
	MOVD panels+40(FP), R5
	MUL R2, R4, R6 // bytes from a panel to the next
	SUB R2, R6, R7
row:
	CBZ R4, done
	MOVD R1, R8
	MOVD R0, R9
	MOVD R5, R10
panel:
	MOVD R2, R11
vector:
	VLD1.P 32(R8), [V0.S4, V1.S4]
	VST1.P [V0.S4, V1.S4], 32(R9)
	SUBS $32, R11
	BNE vector
	ADD R7, R9
	SUBS $1, R10
	BNE panel
	ADD R3, R1
	ADD R2, R0
	SUB $1, R4
	B row
done:
	RET

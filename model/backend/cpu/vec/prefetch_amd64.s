#include "textflag.h"

// func prefetch(p unsafe.Pointer, bytes int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ bytes+8(FP), BX
	ADDQ AX, BX
	ANDQ $-64, AX // where its cache line begins
loop:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	CMPQ AX, BX
	JLT loop
	RET

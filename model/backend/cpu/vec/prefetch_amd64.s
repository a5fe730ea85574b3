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

// func prefetch(p unsafe.Pointer, bytes int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	ASK(PREFETCHT0)

// func prefetch2(p unsafe.Pointer, bytes int)
TEXT ·prefetch2(SB), NOSPLIT, $0-16
	ASK(PREFETCHT1)

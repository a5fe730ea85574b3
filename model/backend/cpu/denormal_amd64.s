#include "textflag.h"

// func readMode() uint32
TEXT ·readMode(SB), NOSPLIT, $8-4
	STMXCSR mode-8(SP)
	MOVL mode-8(SP), AX
	MOVL AX, ret+0(FP)
	RET

// func writeMode(mode uint32)
TEXT ·writeMode(SB), NOSPLIT, $0-4
	LDMXCSR mode+0(FP)
	RET

package vec

import "golang.org/x/sys/cpu"

const without = "this processor has no AVX2 with FMA"

// levels are those that the processor has, the best one last.
func levels() []level {
	l, x := []level{levelPortable}, &cpu.X86
	if !x.HasAVX2 || !x.HasFMA || !x.HasBMI2 {
		return l
	}
	l = append(l, levelAVX2)
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL {
		l = append(l, levelAVX512)
	}
	return l
}

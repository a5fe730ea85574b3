//go:build !js

package hardware

import (
	"fmt"
	"math"

	"mhacsp/model/train"
	"mhacsp/native/cli"
)

// BatchFits refuses a run whose batches the machine has no memory for, or the kernels no numbers.
func BatchFits(r train.Run) error {
	free, known := freeMemory()
	needs, err := train.Needs(r)
	if err != nil {
		return err
	}
	for _, n := range needs {
		flag := "--" + cli.FlagOf(n.Key)
		if known && n.Bytes > free {
			return fmt.Errorf("%s is %d: such a batch takes %s of memory, and %s are free; give fewer samples",
				flag, n.Samples, sizeText(n.Bytes), sizeText(free))
		}
		if n.Largest > math.MaxInt32 {
			return fmt.Errorf("%s is %d: such a batch has a tensor of more than %d numbers, which is as far as the "+
				"kernels count; give fewer samples", flag, n.Samples, math.MaxInt32)
		}
	}
	return nil
}

// Package strconv makes the standard library's table of powers of ten, which the page's programs compute at their
// start: it is 11 KB that do not compress. The overlay puts this file in the table's place.
package strconv

import "math/bits"

const (
	pow10Min = -348
	pow10Max = 347
)

// pow10Tab holds the powers' highest 128 bits, the first of which is 1.
var pow10Tab [pow10Max - pow10Min + 1]uint128

// init goes up and down from 1 with 256 bits; what is cut off never reaches the highest 128.
func init() {
	for _, up := range [...]bool{false, true} {
		m := [4]uint64{0, 0, 0, 1 << 63}
		for e := -pow10Min; 0 <= e && e < len(pow10Tab); {
			pow10Tab[e] = uint128{m[3], m[2]}
			var over uint64
			if up { // ·5, over holding what is more than 256 bits
				for i, x := range m {
					high, low := bits.Mul64(x, 5)
					low, carry := bits.Add64(low, over, 0)
					m[i], over = low, high+carry
				}
				n := bits.Len64(over)
				for i := range m {
					next := over
					if i < 3 {
						next = m[i+1]
					}
					m[i] = m[i]>>n | next<<(64-n)
				}
				e++
				continue
			}
			for i := 3; i >= 0; i-- { // /5
				m[i], over = bits.Div64(over, m[i], 5)
			}
			last, _ := bits.Div64(over, 0, 5) // bits that move in
			n := bits.LeadingZeros64(m[3])
			for i := 3; i >= 0; i-- {
				next := last
				if i > 0 {
					next = m[i-1]
				}
				m[i] = m[i]<<n | next>>(64-n)
			}
			e--
		}
	}
}

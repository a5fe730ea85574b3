package vec

import "math"

// The constants of the polynomials, those of Cephes' expf, sinf, cosf and
// tanhf (S. Moshier), used alike by the vector loops and the portable ones.
const (
	expLo, expHi           = -87.3, 88.3
	log2e                  = math.Log2E
	ln2Hi, ln2Lo           = 0.693359375, -2.12194440e-4
	exp0, exp1, exp2       = 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3
	exp3, exp4, exp5       = 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1
	magic                  = 3 << 22 // x + magic has round(x) in its lowest bits, |x| < 2^22
	trigMax                = 8192
	twoOverPi              = 2 / math.Pi
	pio2A                  = 1.5703125 // 8 bits, so n·pio2A is exact
	pio2B                  = 4.837512969970703125e-4
	pio2C                  = 7.549789948768648e-8
	sin0, sin1, sin2       = -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1
	cos0, cos1, cos2       = 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2
	tanhCut                = 0.625
	tanh0, tanh1, tanh2    = -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2
	tanh3, tanh4           = 1.33314422036e-1, -3.33332819422e-1
	atanh0, atanh1, atanh2 = 2. / 13, 2. / 11, 2. / 9 // series of 2 atanh, enough for s ≤ 1/3
	atanh3, atanh4, atanh5 = 2. / 7, 2. / 5, 2. / 3
)

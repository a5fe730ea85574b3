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

// tanh x = x P(x²)/Q(x²) for |x| ≤ gateMax, to a relative 3e-7, and beyond what it is there. These are Eigen's.
const (
	gateMax                = 7.90531110763549805
	gateP0, gateP1, gateP2 = 4.89352455891786e-3, 6.37261928875436e-4, 1.48572235717979e-5
	gateP3, gateP4, gateP5 = 5.12229709037114e-8, -8.60467152213735e-11, 2.00018790482477e-13
	gateP6                 = -2.76076847742355e-16
	gateQ0, gateQ1         = 4.89352518554385e-3, 2.26843463243900e-3
	gateQ2, gateQ3         = 1.18534705686654e-4, 1.19825839466702e-6
)

// The upper tail of the normal distribution, 1 − Φ(x) = exp(−x²/2) · t (tail0 + … + tail8 t⁸) with
// t = 1/(1 + tailScale x), for x ≥ 0: to a relative 7e-8 up to x = 14, where exp(−x²/2) is no normal number any more.
// The coefficients interpolate at Chebyshev's nodes. bell is 1/sqrt(2π).
const (
	tailScale = 0.26
	bell      = 0.3989422804014327
	tail0     = 0.10376820659685132
	tail1     = 0.1028551478909359
	tail2     = 0.10422474061387713
	tail3     = 0.0461988909250256
	tail4     = 0.1726463197385773
	tail5     = -0.1683835373566242
	tail6     = 0.26714374440791094
	tail7     = -0.16059057530269458
	tail8     = 0.032137064684468974
)

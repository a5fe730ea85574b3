package words

import "testing"

func TestThree(t *testing.T) {
	for x, want := range map[float64]string{
		1580.4: "1580", 27.66: "27.7", 0: "0", 0.5: "0.5", 1.234e-5: "0.0000123", 123456: "123000", -2.5e6: "-2500000",
	} {
		if got := Three(x); got != want {
			t.Errorf("%v is written %q, %q is right", x, got, want)
		}
	}
}

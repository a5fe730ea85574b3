package backendtest

import "mhacsp/model/backend"

func crossEntropy() kernel {
	k := kernel{call: backend.CrossEntropy{}, writes: "Loss RowLoss Hit DLogits"}
	for _, x := range []struct {
		label  string
		p, c   int
		logit  float64 // standard deviation
		edge   float32 // every third logit is ±edge, where not 0
		weight func(d draw, p int) float32
	}{
		{"one-row", 1, 21, 1, 0, equal}, {"one-row", 1, 2, 1, 0, equal}, {"rows", 2, 3, 1, 0, equal},
		{"rows", 64, 21, 2, 0, equal},
		{"answers", 129, 21, 2, 0, func(_ draw, p int) float32 { return float32(1 + p%5/4*19) }},
		{"weights", 300, 22, 3, 0, func(d draw, _ int) float32 { return d.Float32() }},
		{"unweighted-rows", 33, 9, 1, 0, func(_ draw, p int) float32 { return float32(p % 2) }},
		{"extreme", 65, 21, 1, 80, equal}, {"extreme-two", 30, 2, 80, 0, equal}, {"many", 2500, 21, 2, 0, equal},
		{"wide", 3, 1000, 3, 0, equal},
	} {
		k.add("%s-%dx%d", []any{x.label, x.p, x.c}, func(d draw) program {
			logits, target := d.normal(x.p*x.c, x.logit), d.index(x.p, x.c)
			if x.edge != 0 {
				for i := 0; i < len(logits); i += 3 {
					logits[i] = x.edge * float32(1-2*d.IntN(2))
				}
			}
			weight := make([]float32, x.p)
			var total float64
			for p := range weight {
				weight[p] = x.weight(d, p)
				total += float64(weight[p])
			}
			return func(b *bench) {
				b.CrossEntropy(backend.CrossEntropy{Loss: b.out("Loss", forward, 1, nil),
					RowLoss: b.out("RowLoss", forward, x.p, nil), Hit: b.out("Hit", 0, x.p, nil),
					DLogits: b.out("DLogits", gradient, x.p*x.c, nil), Logits: b.in("Logits", logits),
					Target: b.ints(target), Weight: b.in("Weight", weight), P: x.p, C: x.c, Scale: float32(1 / total)})
			}
		})
	}
	return k
}

func equal(draw, int) float32 { return 1 }

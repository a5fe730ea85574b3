package backendtest

import "mhacsp/model/backend"

// driveSizes are M, N, widths that are no multiple of four among them, and Turn; from 64 rows on a GPU may cut a
// weight gradient's rows into parts, the processor from 768 on. std is that of u, and half that of the
// pre-activations: at 10 the sine's argument needs wrapping.
var driveSizes = [...]struct {
	m, n, turn int
	std        float64
}{
	{1, 1, 1, 0.5}, {1, 4, 2, 0.5}, {3, 6, 3, 0.5}, {7, 20, 0, 0.5}, {21, 132, 132, 0.5}, {65, 12, 6, 0.5},
	{300, 44, 22, 0.5}, {800, 6, 3, 0.5}, {130, 30, 7, 0.5}, {30, 20, 10, 5}, {30, 18, 0, 5},
}

// driveWeights draws the seven tensors of a drive's weights.
func (d draw) driveWeights(n int) (list [][]float32) {
	for _, size := range [...]int{n * n, n, n * n, n, n * n, n * n, n} {
		list = append(list, d.normal(size, 0.5))
	}
	return list
}

// driveWeights places them, in one buffer, as a model's parameters are, or apart.
func (b *bench) driveWeights(of [][]float32, apart bool,
	as func(name string, data []float32) tensor) backend.DriveWeights {
	var list []tensor
	for i, name := range [...]string{"Theta", "ThetaBias", "Gamma", "GammaBias", "Input", "Delta", "DeltaBias"} {
		list = append(list, as(name, of[i]))
	}
	var w []backend.Vec
	if apart {
		for _, x := range list {
			w = append(w, b.place(x))
		}
	} else {
		w = b.together(list...)
	}
	return backend.DriveWeights{Theta: w[0], ThetaBias: w[1], Gamma: w[2], GammaBias: w[3], Input: w[4],
		Delta: w[5], DeltaBias: w[6]}
}

// drives gives a kernel a case of each size, with the weights in one piece and apart, and with a switch off and on.
func drives(k kernel, label string, build func(d draw, m, n, turn int, std float64, apart, on bool) program) kernel {
	for _, s := range driveSizes {
		for _, apart := range []bool{false, true} {
			for _, on := range []bool{false, true} {
				k.add("%dx%d-turn=%d-std=%g-apart=%v-%s=%v", []any{s.m, s.n, s.turn, s.std, apart, label, on},
					func(d draw) program { return build(d, s.m, s.n, s.turn, s.std, apart, on) })
			}
		}
	}
	return k
}

// driveArgs are the inputs of both directions.
func driveArgs(b *bench, m, n int, u []float32, weights [][]float32, apart bool) backend.Drive {
	w := b.driveWeights(weights, apart, func(name string, data []float32) tensor {
		return tensor{name: name, before: data, role: filled(len(data), kept)}
	})
	return backend.Drive{U: b.in("U", u), Weights: w, M: m, N: n}
}

func driveForward() kernel {
	k := kernel{call: backend.DriveForward{}, writes: "PreTheta PreGamma V R Rot In DeltaU", optional: "Rot"}
	return drives(k, "rot", func(d draw, m, n, turn int, std float64, apart, rot bool) program {
		u, weights := d.normal(m*n, std), d.driveWeights(n)
		turned := each(2*m*n, func(i int) role { // the sine of a unit that holds is 0
			return writtenIf(i%(2*n) < n+turn, zero)
		})
		return func(b *bench) {
			a := backend.DriveForward{Drive: driveArgs(b, m, n, u, weights, apart), Turn: turn}
			a.PreTheta, a.PreGamma = b.out("PreTheta", forward, m*n, nil), b.out("PreGamma", forward, m*n, nil)
			a.V, a.R = b.out("V", forward, 2*m*n, nil), b.out("R", forward, 2*m*n, nil)
			a.In, a.DeltaU = b.out("In", forward, 2*m*n, nil), b.out("DeltaU", forward, m*n, nil)
			if rot {
				a.Rot = b.out("Rot", forward, 2*m*n, turned)
			}
			b.DriveForward(a)
		}
	})
}

func driveBackward() kernel {
	k := kernel{call: backend.DriveBackward{},
		writes: "DU Grads.Theta Grads.ThetaBias Grads.Gamma Grads.GammaBias Grads.Input Grads.Delta Grads.DeltaBias"}
	return drives(k, "state", func(d draw, m, n, _ int, std float64, apart, state bool) program {
		u, weights, grads := d.normal(m*n, std), d.driveWeights(n), d.driveWeights(n)
		preTheta, preGamma := d.normal(m*n, 2*std), d.normal(m*n, 2*std)
		v, r := d.normal(2*m*n, 1), d.normal(2*m*n, 1)
		ddelta, dtheta, din := d.normal(m*n, 1), d.normal(m*n, 1), d.normal(2*m*n, 1)
		return func(b *bench) {
			a := backend.DriveBackward{Drive: driveArgs(b, m, n, u, weights, apart), StateTheta: state}
			a.PreTheta, a.PreGamma, a.V, a.R = b.in("PreTheta", preTheta), b.in("PreGamma", preGamma),
				b.in("V", v), b.in("R", r)
			a.Grads = b.driveWeights(grads, apart, func(name string, data []float32) tensor {
				return tensor{name: "Grads." + name, bound: gradient, before: data}
			})
			a.DU, a.DDelta, a.DTheta, a.DIn = b.out("DU", gradient, m*n, nil), b.in("DDelta", ddelta),
				b.in("DTheta", dtheta), b.in("DIn", din)
			b.DriveBackward(a)
		}
	})
}

package reference

import "mhacsp/model/backend"

// GRUForward runs the time loop of SPEC §13, one sequence after another.
func (*Backend[T]) GRUForward(a backend.GRUForward) {
	a.Check()
	n := a.N
	state, gates, pre, u := Data[T](a.State), Data[T](a.Gates), Data[T](a.Pre), Data[T](a.U)
	hiddens, at := Data[T](a.Hidden), IntData(a.At)
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		first, last := steps(a.Seq, s)
		clear(state[n*first:][:n])
		for r := first; r < last; r++ {
			prev, x, q := state[n*r:][:n], pre[3*n*int(at[r]):][:3*n], gates[3*n*r:][:3*n]
			for i := range n {
				product := func(gate int) T { return dot(prev, u[n*(gate*n+i):][:n]) }
				reset, keep, hidden := Sigmoid(x[i]+product(0)), Sigmoid(x[n+i]+product(1)), product(2)
				c := tanh(x[2*n+i] + reset*hidden)
				q[i], q[n+i], q[2*n+i], hiddens[n*r+i] = reset, keep, c, hidden
				state[n*(r+1)+i] = (1-keep)*c + keep*prev[i]
			}
		}
	}
}

// GRUBackward is the backward pass of GRUForward, last step first.
func (*Backend[T]) GRUBackward(a backend.GRUBackward) {
	a.Check()
	n := a.N
	state, gates, u := Data[T](a.State), Data[T](a.Gates), Data[T](a.U)
	dstate, hiddens := Data[T](a.DState), Data[T](a.Hidden)
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		first, last := steps(a.Seq, s)
		clear(gates[3*n*last:][:3*n])
		clear(hiddens[n*last:][:n])
		for r := last - 1; r >= first; r-- {
			d, v := gates[3*n*r:][:3*n], hiddens[n*r:][:n]
			for i := range n {
				reset, keep, c, hidden := d[i], d[n+i], d[2*n+i], v[i]
				dh := dstate[n*(r+1)+i]
				d[2*n+i] = dh * (1 - keep) * (1 - c*c)
				d[n+i] = dh * (state[n*r+i] - c) * keep * (1 - keep)
				d[i] = d[2*n+i] * hidden * reset * (1 - reset)
				v[i] = d[2*n+i] * reset
				dstate[n*r+i] += dh * keep
			}
			for j, x := range d[:2*n] {
				axpy(dstate[n*r:], x, u[n*j:][:n])
			}
			for j, x := range v {
				axpy(dstate[n*r:], x, u[n*(2*n+j):][:n])
			}
		}
	}
}

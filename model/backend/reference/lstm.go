package reference

import "mhacsp/model/backend"

// LSTMForward runs the time loop of SPEC §13, one sequence after another.
func (*Backend[T]) LSTMForward(a backend.LSTMForward) {
	a.Check()
	n := a.N
	state, memory, gates := Data[T](a.State), Data[T](a.Memory), Data[T](a.Gates)
	pre, w, at := Data[T](a.Pre), Data[T](a.W), IntData(a.At)
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		first, last := steps(a.Seq, s)
		clear(state[n*first:][:n])
		clear(memory[n*first:][:n])
		for r := first; r < last; r++ {
			prev, x, q := state[n*r:][:n], pre[4*n*int(at[r]):][:4*n], gates[4*n*r:][:4*n]
			for i := range n {
				sum := func(gate int) T { return x[gate*n+i] + dot(prev, w[n*(gate*n+i):][:n]) }
				in, forget, cell, out := Sigmoid(sum(0)), Sigmoid(sum(1)), tanh(sum(2)), Sigmoid(sum(3))
				q[i], q[n+i], q[2*n+i], q[3*n+i] = in, forget, cell, out
				c := forget*memory[n*r+i] + in*cell
				memory[n*(r+1)+i], state[n*(r+1)+i] = c, out*tanh(c)
			}
		}
	}
}

// LSTMBackward is the backward pass of LSTMForward, last step first.
func (*Backend[T]) LSTMBackward(a backend.LSTMBackward) {
	a.Check()
	n := a.N
	memory, gates, w, dstate := Data[T](a.Memory), Data[T](a.Gates), Data[T](a.W), Data[T](a.DState)
	dmemory := make([]T, n) // of the memory after the step at hand
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		first, last := steps(a.Seq, s)
		clear(dmemory)
		clear(gates[4*n*last:][:4*n])
		for r := last - 1; r >= first; r-- {
			d := gates[4*n*r:][:4*n]
			for i := range n {
				in, forget, cell, out := d[i], d[n+i], d[2*n+i], d[3*n+i]
				t, dh := tanh(memory[n*(r+1)+i]), dstate[n*(r+1)+i]
				dc := dmemory[i] + dh*out*(1-t*t)
				d[i] = dc * cell * in * (1 - in)
				d[n+i] = dc * memory[n*r+i] * forget * (1 - forget)
				d[2*n+i] = dc * in * (1 - cell*cell)
				d[3*n+i] = dh * t * out * (1 - out)
				dmemory[i] = dc * forget
			}
			for j, x := range d {
				axpy(dstate[n*r:], x, w[n*j:][:n])
			}
		}
	}
}

package vec

// LSTM takes one step of n units (SPEC §13), the gates one after another, i, f, g and o:
//
//	a = s + pre                          s, pre [4n]
//	gates = σ(a_i) ; σ(a_f) ; tanh(a_g) ; σ(a_o)   [4n], out
//	next = f memory + i g                memory, next [n], next out
//	state = o tanh(next)                 [n], out
//
// No output may overlap an input.
func LSTM(n int, gates, next, state, s, pre, memory []float32) {
	needAll(4*n, gates, s, pre)
	needAll(n, next, state, memory)
	// One loop for all would keep more numbers than there are registers.
	sigmoidSum(2*n, gates, s, pre)
	tanhSum(n, gates[2*n:], s[2*n:], pre[2*n:])
	sigmoidSum(n, gates[3*n:], s[3*n:], pre[3*n:])
	lstmState(n, next, state, gates, memory)
}

// GRU takes one step of n units (SPEC §13), the gates one after another, r, z and c, the text's n:
//
//	gates = σ(s_r + pre_r) ; σ(s_z + pre_z) ; tanh(pre_c + r s_c)   s, pre, gates [3n], gates out
//	hidden = s_c                                                    [n], out
//	state = (1 − z) c + z prev                                      prev, state [n], state out
//
// No output may overlap an input.
func GRU(n int, gates, hidden, state, s, pre, prev []float32) {
	needAll(3*n, gates, s, pre)
	needAll(n, hidden, state, prev)
	sigmoidSum(2*n, gates, s, pre)
	gruState(n, gates, hidden, state, s[2*n:], pre[2*n:], prev)
}

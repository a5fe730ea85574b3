package backend

// NormForward brings each row to one scale (SPEC §13). With x = X + Plus,
//
//	Y = Inv (x − Mean) ⊙ Gain + Bias,  Inv = 1/sqrt(mean((x − Mean)²) + Eps):
//
// with Bias it is the layer norm, and Mean is the row's mean; without, the RMS norm, and Mean is 0. Plus is what a
// layer adds to the stream before the next norm. For a norm of parts of rows [P, g·N] give g·P rows of N.
type NormForward struct {
	Y    Vec // [P, N], overwritten
	Sum  Vec // [P, N], overwritten: x; given with Plus
	Mean Vec // [P], overwritten; given with Bias
	Inv  Vec // [P], overwritten
	X    Vec // [P, N]
	Plus Vec // [P, N], optional
	Gain Vec // [N]
	Bias Vec // [N], optional
	P, N int // at least 1
	Eps  float32
}

// NormBackward is the backward pass of NormForward. With e = Inv (x − Mean) and g = DY ⊙ Gain,
//
//	DX = Inv (g − mean(g) − e mean(g ⊙ e)),  DGain = Σ DY ⊙ e,  DBias = Σ DY over the rows;
//
// without Mean, which is the RMS norm, mean(g) falls away. DX is the gradient of X and of Plus alike.
type NormBackward struct {
	DX    Vec // [P, N], overwritten; with Accumulate added to
	DGain Vec // [N], added to
	DBias Vec // [N], added to; given with Mean
	DY    Vec // [P, N]
	X     Vec // [P, N]: x, which is the forward pass's X, or its Sum
	Mean  Vec // [P], as NormForward wrote it; optional: given for the layer norm
	Inv   Vec // [P], as NormForward wrote it
	Gain  Vec // [N]
	P, N  int // at least 1

	Accumulate bool
}

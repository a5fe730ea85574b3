// Package crew spreads the gradient of a training step over several programs that share no memory, as the Web Workers
// of a page are. It knows no browser: whoever uses it carries its messages.
//
// A batch is cut into parts, as many as its size says and never as many as there are programs. The parts' gradients are
// added up in pairs, along a binary tree that the number of parts alone decides. So a step has the same bits with any
// number of helpers, at any speed, and where one of them fails or is late.
package crew

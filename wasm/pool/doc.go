// Package pool spreads the gradient of a training step over several programs that share no memory, as the Web Workers
// of a page are. It knows no browser: whoever uses it carries its messages.
//
// A batch is cut into parts, as many as its size says, however many programs there are. The parts' gradients are added
// up in pairs, along a binary tree that the number of parts alone decides. So a step has the same bits with any number
// of helpers, at any speed, and where one of them fails or is late. They are not the bits of the whole batch computed
// in one go, which rounds differently.
package pool

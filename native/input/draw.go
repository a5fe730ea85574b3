//go:build !js

package input

import "mhacsp/tasks"

// Splits are the draws that eval and data know: the roles, and the test role without held-out expressions.
func Splits() []string { return []string{"train", "validation", "test", "iid"} }

// DrawOf is the draw that a split names.
func DrawOf(split string, seed uint64) (tasks.Draw, error) {
	if split == "iid" {
		return tasks.Draw{Seed: seed, Role: tasks.Test, IID: true}, nil
	}
	role, err := tasks.ParseRole(split)
	return tasks.Draw{Seed: seed, Role: role}, err
}

//go:build !js

package input

import (
	"mhacsp/native/cli"
	"mhacsp/tasks"
)

// Splits are the draws that eval and data know: the roles, and the test role without held-out expressions.
func Splits() []string { return []string{"train", "validation", "test", "iid"} }

// DrawOf is the draw that one of Splits names.
func DrawOf(split string, seed uint64) tasks.Draw {
	if split == "iid" {
		return tasks.Draw{Seed: seed, Role: tasks.Test, IID: true}
	}
	role, err := tasks.ParseRole(split)
	cli.Must(err)
	return tasks.Draw{Seed: seed, Role: role}
}

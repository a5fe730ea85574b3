package sweep

import (
	"cmp"
	"math"
	"slices"
)

// third is how many configurations compete for a place at the next rung.
const third = 3

// Rungs are the steps at which configurations are compared: a ninth of all, a third, all, each rounded up to a
// validation, of which there is one every that many steps. Where validations are too rare there are fewer.
func Rungs(steps, every int) []int {
	list := []int{steps}
	for _, part := range []int{third, third * third} {
		at := (steps + part - 1) / part
		if every > 0 {
			at = (at + every - 1) / every * every
		}
		if every > 0 && at < list[0] {
			list = append([]int{at}, list...)
		}
	}
	return list
}

// Failed is the score of a configuration whose training failed.
var Failed = math.Inf(-1)

// Job is a configuration and the rung that it is to be trained to.
type Job struct{ Configuration, Rung int }

// Next are the configurations that can be trained now, the most promising first, by the scores of each at the rungs
// that it has reached (asynchronous successive halving: L. Li et al., "A System for Massively Parallel Hyperparameter
// Tuning", 2020). One goes on when it is in the best third of those that have reached its rung, however many are
// still to come: nobody waits, and each process may ask by itself. Where none can go on, and nobody trains (quiet),
// the best of the highest rung does, so that there is a winner. With one rung it is all that is left.
func Next(scores [][]float64, rungs int, quiet bool) (jobs []Job) {
	for rung := rungs - 2; rung >= 0; rung-- {
		there := reached(scores, rung)
		for _, c := range there[:len(there)/third] {
			if len(scores[c]) == rung+1 && scores[c][rung] != Failed {
				jobs = append(jobs, Job{c, rung + 1})
			}
		}
	}
	for c, s := range scores {
		if len(s) == 0 {
			jobs = append(jobs, Job{c, 0})
		}
	}
	for rung := rungs - 2; rung >= 0 && quiet && len(jobs) == 0; rung-- {
		if above := reached(scores, rung+1); len(above) > 0 && scores[above[0]][rung+1] != Failed {
			break
		}
		for _, c := range reached(scores, rung) {
			if len(jobs) == 0 && len(scores[c]) == rung+1 && scores[c][rung] != Failed {
				jobs = append(jobs, Job{c, rung + 1})
			}
		}
	}
	return jobs
}

// reached are the configurations that have a score at a rung, best first.
func reached(scores [][]float64, rung int) (list []int) {
	for c, s := range scores {
		if len(s) > rung {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(scores[b][rung], scores[a][rung]) })
	return list
}

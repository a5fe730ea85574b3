package probe

import (
	"math/rand/v2"
	"slices"

	"mhacsp/model/sequence"
	"mhacsp/tasks"
	"mhacsp/tasks/strict"
)

// deals is how often the values are dealt out again among the samples to find the level of chance.
const deals = 10

// tries bounds the draws for one sample that a set asks for.
const tries = 400

// reading is one sample with its value after every token.
type reading struct {
	tasks.Sample
	at []Moment
}

// Set is a fixed set of samples that training never drew, on which networks of one task are measured. It is not safe
// for concurrent use.
type Set struct {
	Task    tasks.Task
	Modulus int

	plain []reading // flat sums of two operands or more; of strings all
	all   []reading // any sums of two operands or more; of strings the same as plain
}

// Draw makes a set of n flat sums (no bracket, two operands or more), none of them twice, and of n sums of any form
// with two operands or more as the task draws them; or of n strings. The draw's role is set to tests. Where a task has
// fewer than n, the set is smaller; none at all is an error, as is a task that Modulus refuses.
func Draw(t tasks.Task, d tasks.Draw, n int) (*Set, error) {
	modulus, err := Modulus(t)
	if err != nil {
		return nil, err
	}
	s := &Set{Task: t, Modulus: modulus}
	d.Role = tasks.Test
	if s.all, err = draw(t, d, n, func(r *reading) bool { return !r.Trivial }); err != nil {
		return nil, err
	}
	s.plain = s.all
	if t.Classes() == 0 {
		seen := map[string]bool{}
		s.plain, err = draw(t, d, n, func(r *reading) bool {
			text := t.Vocabulary().Detokenise(r.Prompt[1:])
			fits := !r.Trivial && r.Depth == 0 && !seen[text]
			seen[text] = true
			return fits
		})
	}
	return s, err
}

// Size is how many flat sums, or strings, a set has: the texts on which R is measured.
func (s *Set) Size() int { return len(s.plain) }

func draw(t tasks.Task, d tasks.Draw, n int, fits func(*reading) bool) ([]reading, error) {
	var list []reading
	for i := 0; len(list) < n && i < n*tries; i++ {
		var r reading
		t.Sample(&r.Sample, d, uint64(i))
		if fits(&r) {
			var err error
			if r.at, err = Follow(t, r.Prompt); err != nil {
				return nil, err
			}
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return nil, strict.Unfit("samples", n, ", and none of the draws of task %s fits; ask for more", t.Name())
	}
	return list, nil
}

// batch is the samples as a network reads them: with the target up to the answer, or without anything to check.
func batch(list []reading) *sequence.Batch {
	b := &sequence.Batch{}
	for _, r := range list {
		b.Prompts = append(b.Prompts, r.Prompt)
		if r.AnswerAt >= 0 {
			b.Targets = append(b.Targets, r.Target[:r.AnswerAt+1])
		}
	}
	return b
}

// answer is the token or label that is right.
func (r *reading) answer() int32 {
	if r.AnswerAt < 0 {
		return r.Label
	}
	return r.Target[r.AnswerAt]
}

// places sorts the tokens of a list of samples: of names the key of each token that counts, ok whether it does.
func places[K comparable](list []reading, of func(r *reading, i int) (K, bool)) (keys []K, found []*place) {
	for s := range list {
		for i := range list[s].at {
			k, ok := of(&list[s], i)
			if !ok {
				continue
			}
			j := slices.Index(keys, k)
			if j < 0 {
				j, keys, found = len(keys), append(keys, k), append(found, &place{})
			}
			p := found[j]
			p.sample, p.token = append(p.sample, s), append(p.token, i)
			p.values[0] = append(p.values[0], list[s].at[i].Value)
		}
	}
	for _, p := range found {
		random := rand.New(rand.NewPCG(1, uint64(len(p.sample))))
		for deal := range deals {
			for _, from := range random.Perm(len(p.sample)) {
				p.values[1+deal] = append(p.values[1+deal], p.values[0][from])
			}
		}
	}
	return keys, found
}

// place is the tokens at which a phase is compared with the value, and the values: as they are, then dealt out again.
type place struct {
	sample, token []int
	values        [1 + deals][]int
}

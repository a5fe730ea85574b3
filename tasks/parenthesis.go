package tasks

const (
	parenthesisDepth = 8
	// Near misses by swapping keep equal counts; the others flip one bracket.
	// Three quarters swap, as counting alone finds the flips.
	swapShare, swapWhole = 3, 4
	// swapTries bounds the search for two brackets whose exchange unbalances.
	swapTries = 64
)

// parenthesis labels a string of brackets 1 if it is balanced (SPEC §9). Half of the strings are near misses of
// balanced ones. No length, no depth and no first sight tells them apart: all lengths are even, and neither kind ever
// has more than 8 brackets open.
type parenthesis struct{ classifier }

func newParenthesis(o Options) (Task, error) {
	l, err := newLengths(o, lengths{low: 2, high: 128, step: 2, shortest: 2})
	if err != nil {
		return nil, err
	}
	return &parenthesis{classifier{
		name: "parenthesis", example: "(()())()", characters: "()", vocabulary: BaseVocabulary(),
		classes: []string{"unbalanced", "balanced"}, lengths: l, stream: hashed("parenthesis"),
	}}, nil
}

func (t *parenthesis) Sample(s *Sample, d Draw, index uint64) {
	r := t.begin(s, d, index)
	s.Label = int32(r.intn(2))
	s.Prompt = appendBalanced(s.Prompt, &r, s.Length)
	if s.Label == 0 {
		unbalance(s.Prompt[1:], &r)
	}
	_, s.Depth, _ = heights(s.Prompt[1:])
}

// appendBalanced appends a balanced string of an even length. Its depth is uniform from 1 to the greatest possible;
// then a fair walk goes between 0 and that depth, forced only where it would otherwise miss the depth or the end.
func appendBalanced(ids []int32, r *stream, length int) []int32 {
	depth := r.between(1, min(parenthesisDepth, length/2))
	height, reached := 0, false
	for left := length; left > 0; left-- {
		var up bool
		switch {
		case height == 0, !reached && left == 2*depth-height:
			up = true
		case height == depth, left == height:
			up = false
		default:
			up = r.chance(1, 2)
		}
		if up {
			ids = append(ids, openToken)
			height++
			reached = reached || height == depth
		} else {
			ids = append(ids, closeToken)
			height--
		}
	}
	return ids
}

// unbalance turns a balanced string into a near miss that is no deeper than the task allows.
func unbalance(ids []int32, r *stream) {
	if r.chance(swapShare, swapWhole) {
		swapTwo(ids, r)
		return
	}
	for {
		i := r.intn(len(ids))
		flip(ids, i)
		if _, depth, _ := heights(ids); depth <= parenthesisDepth {
			return
		}
		flip(ids, i)
	}
}

// flip turns a bracket round.
func flip(ids []int32, i int) { ids[i] = openToken + closeToken - ids[i] }

// swapTwo exchanges an opening bracket with a closing one behind it, chosen at
// random among those whose exchange closes a bracket that was never opened.
func swapTwo(ids []int32, r *stream) {
	for range swapTries {
		i, j := r.intn(len(ids)), r.intn(len(ids))
		if i >= j || ids[i] != openToken || ids[j] != closeToken {
			continue
		}
		flip(ids, i)
		flip(ids, j)
		if lowest, _, _ := heights(ids); lowest < 0 {
			return
		}
		flip(ids, i)
		flip(ids, j)
	}
	// The first and the last always do.
	flip(ids, 0)
	flip(ids, len(ids)-1)
}

// heights returns the least and the greatest number of open brackets, 0 before the string included, and the last.
func heights(ids []int32) (lowest, highest, height int) {
	for _, id := range ids {
		if id == openToken {
			height++
		} else {
			height--
		}
		lowest, highest = min(lowest, height), max(highest, height)
	}
	return lowest, highest, height
}

package probe

import (
	"slices"
	"strings"
	"testing"

	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

func task(t *testing.T, name string, o tasks.Options) tasks.Task {
	t.Helper()
	return assert.Must(tasks.New(name, o))(t)
}

func follow(t *testing.T, k tasks.Task, text string) []Moment {
	t.Helper()
	ids := assert.Must(k.Vocabulary().Tokenise(text))(t)
	return assert.Must(Follow(k, append([]int32{tasks.SOS}, ids...)))(t)
}

// TestFollow: the value so far and the pending sign after every token, on texts worked out by hand, a
// character each; <SOS> is left out.
func TestFollow(t *testing.T) {
	for _, x := range []struct{ task, text, values, signs, depths string }{
		{"arithmetic", "4 - (3 + 5)", "44444111155", "++--------+", "00001111110"},
		{"arithmetic", "-5 + -2", "0444442", "-++++-+", "0000000"},
		{"arithmetic", "1 - -2", "111113", "++--++", "000000"},
		{"arithmetic", "2 - (1 - (0 - 3))", "22222111111111777", "++-----+++++--+-+", "00001111122222210"},
		{"arithmetic", "3 + 5 mod 9 = ", "333388888888", "++++++++++++", "000000000000"},
		{"mod3", "271", "201", "+++", "000"}, {"parity", "1011", "1101", "++++", "0000"},
		{"parenthesis", "(()", "121", "+++", "121"}, {"parenthesis", "())", "108", "+++", "108"},
	} {
		var values, signs, depths strings.Builder
		for _, m := range follow(t, task(t, x.task, tasks.Options{}), x.text)[1:] {
			values.WriteByte(byte('0' + m.Value))
			depths.WriteByte(byte('0' + m.Depth))
			signs.WriteByte(map[int]byte{1: '+', -1: '-'}[m.Sign])
		}
		got := [3]string{values.String(), signs.String(), depths.String()}
		assert.Is(t, got, [3]string{x.values, x.signs, x.depths}, "%q: values, signs, brackets", x.text)
	}
}

// TestFollowEnds: the value at the prompt's end is the answer of the task's own samples, whatever their form, the
// changes add up to it, and every bracket is closed.
func TestFollowEnds(t *testing.T) {
	for _, x := range []struct {
		name    string
		options tasks.Options
	}{
		{"arithmetic", tasks.Options{}}, {"arithmetic", tasks.Options{Preset: "paper", Format: "direct"}},
		{"mod3", tasks.Options{}}, {"parity", tasks.Options{}}, {"parenthesis", tasks.Options{}},
	} {
		k := task(t, x.name, x.options)
		var s tasks.Sample
		negative := 0
		for i := range uint64(2000) {
			k.Sample(&s, tasks.Draw{Seed: 5, Role: tasks.Test}, i)
			m := assert.Must(Follow(k, s.Prompt))(t)
			sum := 0
			modulus := assert.Must(Modulus(k))(t)
			for _, y := range m {
				sum += y.Change
				if y.Depth > 0 && y.Sign < 0 && y.Kind.After == "(" {
					negative++
				}
			}
			last := m[len(m)-1]
			want := ((sum % modulus) + modulus) % modulus
			assert.Need(t, last.Value == want,
				"%s %v: the changes add up to %d, the value is %d", x.name, s.Prompt, want, last.Value)
			r := reading{Sample: s}
			right := int(r.answer()) == last.Value && last.Depth == 0 && last.Sign == 1
			if x.name == "parenthesis" {
				right = s.Label != 1 || last.Value == 0
			}
			assert.Need(t, right, "%s %v: ends at %+v, the answer is %d", x.name, s.Prompt, last, r.answer())
		}
		assert.True(t, x.name != "arithmetic" || negative >= 100,
			"only %d brackets behind a minus were followed", negative)
	}
}

// TestFollowKinds: the kinds of tokens on which offsets depend.
func TestFollowKinds(t *testing.T) {
	var got []string
	operands := ""
	for _, m := range follow(t, task(t, "arithmetic", tasks.Options{}), "-3 - (-1) mod 9 = ") {
		got = append(got, m.Kind.After+map[int]string{1: "+", -1: "-"}[m.Kind.Sign])
		operands += map[bool]string{true: "x", false: "."}[m.Operand]
	}
	want := []string{
		"<SOS>+", "sign-", "digit-", "space after digit+", "--", "space after --", "(-", "sign+", "digit+", ")+",
		"space after )+", "mod+", "space after mod+", "modulus+", "space after modulus+", "=+", "space after =+",
	}
	assert.True(t, slices.Equal(got, want) && operands == "...x.....x.......", "kinds %q, operands %s", got, operands)
}

// TestModulus: a task whose value so far is no sum is refused in one line.
func TestModulus(t *testing.T) {
	_, err := Draw(task(t, "modarith", tasks.Options{}), tasks.Draw{}, 10)
	sequencetest.Unfit(t, "modarith", err, "task", "modarith")
	_, err = Follow(task(t, "parity", tasks.Options{}), []int32{tasks.SOS, 99})
	assert.True(t, err != nil, "token 99 was followed")
}

//go:build cgo || js

package webgpu

import (
	"fmt"
	"strings"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/tasks/assert"
)

// said is what f panics with.
func said(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

// TestNames: a dispatch that does not name what its shader names, in its order and types, panics at every call and
// says which kernel and field; one that does goes on.
func TestNames(t *testing.T) {
	b := opened(t)
	v, none := backend.All(b.Floats(64)), backend.Vec{}
	good, x := args{{"n", 4}, {"scale", float32(1)}}, on{{"out", v}, {"x", none}, {"weight", none}}
	const sum = "weighted_sum"
	for range 2 { // before and after the kernel is compiled
		for _, c := range []struct {
			kernel string
			args   args
			on     on
			want   string
		}{
			{sum, good, x, ""}, {sum, good[:1], x, "parameter scale is not given"},
			{sum, append(good[:2:2], arg{"eps", 1}), x, "the shader has no parameter eps"},
			{sum, args{good[1], good[0]}, x, "parameter 0 is n in the shader, scale in the dispatch"},
			{sum, args{{"n", 4}, {"scale", 1}}, x, "parameter scale is f32 in the shader, u32 in the dispatch"},
			{sum, args{{"n", float32(4)}, good[1]}, x, "parameter n is u32 in the shader, f32 in the dispatch"},
			{sum, args{{"n", []int{4}}, good[1]}, x, "parameter n is u32 in the shader, an array in the dispatch"},
			{sum, args{{"n", "4"}, good[1]}, x, "parameter n is u32 in the shader, neither"},
			{sum, good, x[:2], "binding weight is not given"},
			{sum, good, append(x[:3:3], bound{"y", none}), "the shader has no binding y"},
			{sum, good, on{x[0], {"y", none}, x[2]}, "binding 1 is x in the shader, y in the dispatch"},
			{"partial_sum", args{{"jobs", 1}, {"total", 0}, {"add", false}}, on{{"out", v}, {"part", none}},
				"parameter jobs is an array of u32 in the shader, u32 in the dispatch"},
			{"partial_sum", args{{"jobs", make([]int, 49)}, {"total", 0}, {"add", false}}, on{{"out", v}, {"part", none}},
				"parameter jobs holds 48 numbers, 49 are given"},
		} {
			got := said(func() { b.each(c.kernel, 1, c.args, c.on) })
			named := strings.HasPrefix(got, "webgpu: kernel "+c.kernel+": ")
			assert.True(t, strings.Contains(got, c.want) && (got == "") == (c.want == "") && (got == "" || named),
				"%s %v: said %q, want %q", c.kernel, c.args, got, c.want)
		}
	}
	assert.NoError(t, b.Sync())
}

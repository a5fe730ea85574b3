package backendtest

import (
	"fmt"

	"mhacsp/model/backend"
)

func scatter() (list []contract) {
	for _, x := range []struct {
		name               string
		rows, width, table int
		at                 func(d draw, r int) int32
	}{
		{"tokens", 70, 132, 21, func(d draw, _ int) int32 { return int32(d.IntN(21)) }},
		{"holes", 333, 264, 21, func(d draw, r int) int32 { return int32(d.IntN(22)) - 1 }},
		{"unused", 40, 6, 50, func(d draw, _ int) int32 { return 7 + int32(d.IntN(5)) }},
		{"one-row", 1, 20, 3, func(draw, int) int32 { return 1 }},
		{"one-token", 1000, 20, 2, func(draw, int) int32 { return 1 }},
		{"one-column", 129, 1, 5, func(d draw, _ int) int32 { return int32(d.IntN(6)) - 1 }},
		{"nothing", 30, 20, 4, func(draw, int) int32 { return -1 }},
		{"identity", 65, 33, 65, func(_ draw, r int) int32 { return int32(r) }},
	} {
		list = append(list, against(fmt.Sprintf("%s-%dx%d-%d", x.name, x.rows, x.width, x.table), func(d draw) program {
			at, used := make([]int32, x.rows), make([]bool, x.table)
			for r := range at {
				if at[r] = x.at(d, r); at[r] >= 0 {
					used[at[r]] = true
				}
			}
			src := d.normal(x.rows*x.width, 1)
			for i := range src {
				if at[i/x.width] < 0 {
					src[i] = junk
				}
			}
			dst := roles(x.table*x.width, func(i int) role {
				if used[i/x.width] {
					return written
				}
				return zero
			})
			return func(b *bench) {
				b.Scatter(backend.Scatter{
					Dst: b.out("Dst", gradient, len(dst), dst), Src: b.in("Src", src), At: b.ints(at),
					Rows: x.rows, Width: x.width, Table: x.table,
				})
			}
		}))
	}
	return list
}

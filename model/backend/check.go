package backend

import "fmt"

// need panics unless v holds at least n elements. kernel and field name the culprit.
func need(kernel, field string, v Vec, n int) {
	if !v.Given() {
		panic(fmt.Sprintf("backend: %s.%s is missing (%d elements needed)", kernel, field, n))
	}
	if v.Len < n {
		panic(fmt.Sprintf("backend: %s.%s has %d elements, %d needed", kernel, field, v.Len, n))
	}
}

// maybe is need for an optional field.
func maybe(kernel, field string, v Vec, n int) {
	if v.Given() {
		need(kernel, field, v, n)
	}
}

func needInts(kernel, field string, x Index, n int) {
	v := Vec{Buf: x}
	if v.Given() {
		v.Len = x.Len()
	}
	need(kernel, field, v, n)
}

func positive(kernel, field string, n int) {
	if n < 1 {
		panic(fmt.Sprintf("backend: %s.%s is %d, at least 1 needed", kernel, field, n))
	}
}

func checkHeads(k string, n, heads int) {
	positive(k, "heads", heads)
	if n%heads != 0 {
		panic("backend: " + k + ": width is no multiple of the number of heads")
	}
}

func checkInit(k string, init Vec, goOn bool) {
	if goOn && init.Given() {
		panic("backend: " + k + ": Init and Continue exclude each other")
	}
}

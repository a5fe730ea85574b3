package backend_test

import (
	"reflect"
	"testing"

	"mhacsp/model/backend"
)

// TestCalls: the list of calls is that of the interface's kernels, and a call runs the kernel of its name.
func TestCalls(t *testing.T) {
	var ran backend.Call
	around := backend.Around{Do: func(c backend.Call) { ran = c }}
	calls := map[string]bool{}
	for _, c := range backend.Calls() {
		calls[backend.Name(c)] = true
		if c.On(around); !reflect.DeepEqual(ran, c) {
			t.Errorf("%s runs %T", backend.Name(c), ran)
		}
	}
	memory, all := reflect.TypeFor[backend.Memory](), reflect.TypeFor[backend.Backend]()
	for i := range all.NumMethod() {
		name := all.Method(i).Name
		if _, ok := memory.MethodByName(name); !ok && !calls[name] {
			t.Errorf("kernel %s is missing in Calls", name)
		}
	}
}

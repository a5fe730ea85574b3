// Package assert compares, for tests. NoError, Must and Need end a test that fails; after the others it goes on.
package assert

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// NoError ends the test where err is one.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Must is the value of a call, or ends the test where its error is one: text := assert.Must(os.ReadFile(name))(t)
func Must[T any](x T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		NoError(t, err)
		return x
	}
}

// True reports, with a format that says what is wrong, a condition that does not hold. The test goes on.
func True(t testing.TB, holds bool, format string, args ...any) {
	if !holds {
		t.Helper()
		t.Errorf(format, args...)
	}
}

// Need is True where a test cannot go on without what must hold: it ends it.
func Need(t testing.TB, holds bool, format string, args ...any) {
	if !holds {
		t.Helper()
		t.Fatalf(format, args...)
	}
}

// Is reports, with a format that says of what it is, a value that is not the wanted one, deeply. The test goes on.
func Is[T any](t testing.TB, got, want T, format string, args ...any) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %s, want %s", fmt.Sprintf(format, args...), shown(got), shown(want))
	}
}

// shown is the beginning of a value as a Go literal; an error and a text of several lines stand as they are.
func shown(x any) string {
	format := "%#v"
	switch x := x.(type) {
	case error:
		format = "%v"
	case []byte:
		format = "%q"
	case string:
		if strings.Contains(x, "\n") {
			format = "\n%v\n"
		}
	}
	return fmt.Sprintf("%.4000s", fmt.Sprintf(format, x))
}

// Says reports each of these that is not in a text. The test goes on.
func Says(t testing.TB, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// OneLine holds an error, of what, to a message of one line that holds all words.
func OneLine(t testing.TB, what string, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: the error %q does not say %q", what, err, w)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: the error has more than one line: %q", what, err)
	}
}

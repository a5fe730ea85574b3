//go:build !js

package tables

import (
	"os"
	"testing"

	"mhacsp/native/nativetest"
)

func TestMain(m *testing.M) { os.Exit(nativetest.Main(m)) }

// place is a folder that commands run in.
type place struct{ nativetest.Place }

func newPlace(t *testing.T) place { return place{nativetest.New(t)} }

func parallelPlace(t *testing.T) place { return place{nativetest.Parallel(t)} }

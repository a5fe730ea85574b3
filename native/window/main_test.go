package window

import (
	"os"
	"testing"

	"mhacsp/site/displaytest"
)

func TestMain(m *testing.M) { os.Exit(displaytest.Main(m)) }

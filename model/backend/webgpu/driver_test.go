//go:build cgo && unix && !js

package webgpu

import (
	"strings"
	"testing"
)

// TestDriver: the adapter that Mesa's software driver offers says so, and one that is not there says nothing.
func TestDriver(t *testing.T) {
	b := open(t)
	name := b.Info().Adapter
	b.Close()
	driver := Driver(name)
	t.Logf("%s: %q", name, driver)
	if strings.HasPrefix(name, "llvmpipe") && !strings.Contains(driver, "Mesa ") {
		t.Errorf("the driver of %s is %q", name, driver)
	}
	if other := Driver("no such adapter"); other != "" {
		t.Errorf("an adapter that is not there has the driver %q", other)
	}
}

//go:build !windows && (!unix || solaris || aix)

package train

import "os"

// tryLock finds no locks here: what the lock file says decides alone.
func tryLock(*os.File) error { return errNoLocks }

func discard(f *os.File) { os.Remove(f.Name()) }

func mountOf(*os.File) string { return "" }

// Owner is not told here.
func Owner(string) string { return "" }

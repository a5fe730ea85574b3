//go:build !js

package own

import (
	"crypto/sha256"
	"hash"
)

// newSum is a SHA-256.
func newSum() hash.Hash { return sha256.New() }

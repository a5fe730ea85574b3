//go:build js && !families

package backend

// Backend is a device as the page's first program asks for it, which trains MHA-CSP alone. A second one, built with
// the tag families, is fetched where another family is chosen: the first stays small.
type Backend interface {
	Base
	CSP
}

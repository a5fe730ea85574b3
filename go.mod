module mhacsp

go 1.26

require (
	github.com/spf13/cobra v1.10.1
	gonum.org/v1/gonum v0.17.0
)

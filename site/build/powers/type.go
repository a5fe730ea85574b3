package strconv

// uint128 is the standard library's.
type uint128 struct{ Hi, Lo uint64 }

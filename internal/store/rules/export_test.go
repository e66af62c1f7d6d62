package rules

// Names for tests.
var (
	Admit = admit
	Live  = live
)

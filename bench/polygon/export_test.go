package polygon

// For the tests, which take small polygons.
var (
	Measure = measure
	Check   = check
)

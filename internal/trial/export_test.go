package trial

// Of returns a world with a number of backups of 1,000 bytes each, of which some were read and added stones of that
// many bytes.
func Of(name string, backups int, stones ...int64) *Timeline {
	n := int64(len(stones))
	return &Timeline{Name: name, Figures: Figures{Backups: backups, Bytes: 1000 * int64(backups), ReadBytes: 1000 * n}, stones: stones}
}

package backup

// ParseAny parses bytes as each kind of thing that lies in a Bucket, and returns how
// many of them they are.
func ParseAny(b []byte) (n int) {
	from := newObjects()
	from.add(object{hash: hash{1}, size: 9, plain: 9})
	_, err := parseManifest(name{}, b)
	_, _, _, err2 := parseArchive("k", b, from, 0)
	_, err3 := parseLeaf("k", b, from, 0)
	_, err4 := parseTop("k", b, from, 0)
	_, _, err5 := parseClaim(b)
	for _, err := range []error{err, err2, err3, err4, err5} {
		if err == nil {
			n++
		}
	}
	parseName(string(b))
	return n
}

package tags

// Parts inside, for tests of their own.
const (
	MaxDepth  = maxDepth
	MaxPlaces = maxPlaces
	MaxNew    = maxNew
	MaxGrowth = maxGrowth
)

// WordsFile is words.txt.
func WordsFile() string { return wordsFile }

// States is how many block states have numbers.
func States() int { return known().count }

// Words returns every word.
func Words() (bare []string) {
	for _, word := range known().list {
		bare = append(bare, word[len(prefix):])
	}
	return bare
}

// Sound reports whether doc is the payload of a compound.
func Sound(doc []byte) bool { return skip(doc, tCompound, 0, maxDepth) == len(doc) }

// AppendNumbers and DecodeNumbers write and read the numbers of a place.
func AppendNumbers(t byte, b []byte) []byte { return appendNumbers(nil, t, b) }

// DecodeNumbers undoes AppendNumbers.
func DecodeNumbers(t byte, b []byte) []byte { return new(Decoder).decodeNumbers(t, b) }

package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// Prefixes of keys.
const (
	dataPrefix     = "data/"
	metaPrefix     = "meta/"
	manifestPrefix = "manifests/"
	sealPrefix     = "seals/"
	claimPrefix    = "claims/"
)

// hash is the SHA-256 of an object as it lies in the Bucket, or of an item.
type hash [sha256.Size]byte

func (h hash) String() string { return hex.EncodeToString(h[:]) }

func parseHash(s string) (h hash, ok bool) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) || hex.EncodeToString(b) != s {
		return h, false
	}
	return hash(b), true
}

const timeLayout = "20060102T150405.000Z"

// name names a backup: its time and the hash of its manifest.
type name struct {
	time time.Time
	hash hash
}

func (n name) String() string { return n.time.UTC().Format(timeLayout) + "-" + n.hash.String() }

func parseName(s string) (n name, ok bool) {
	at, sum, _ := strings.Cut(s, "-")
	t, err := time.Parse(timeLayout, at)
	if err != nil {
		return n, false
	}
	n.time = t
	n.hash, ok = parseHash(sum)
	return n, ok && n.String() == s
}

func (n name) manifest() string { return manifestPrefix + n.String() }
func (n name) seal() string     { return sealPrefix + n.String() }

// sealBytes is the content of a seal, which is the same as its key says, so that a
// changed seal is found.
func (n name) sealBytes() []byte { return []byte("cairn backup 1\n" + n.String() + "\n") }

// A CorruptError says that an object of a Bucket is damaged or missing.
type CorruptError struct {
	Object string // its key
	Offset int64  // -1 if unknown
	Part   string
	Err    error
}

// Error is for error.
func (e *CorruptError) Error() string {
	at := ""
	if e.Offset >= 0 {
		at = fmt.Sprintf(" at %d", e.Offset)
	}
	return fmt.Sprintf("backup: %s: %s%s: %v", e.Object, e.Part, at, e.Err)
}

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

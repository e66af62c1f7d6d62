// Package token has what callers of a server show to be admitted: tokens with roles,
// the file that holds their hashes, and the sessions of people who log in with one.
//
// A Token says who may do what, a Set is the tokens of a file while a server runs, and
// Sessions are its logins.
package token

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// Role is what a token permits. A higher role includes the lower ones.
type Role uint8

// The roles. A caller without a token is Nobody.
const (
	Nobody Role = iota
	Read
	Write
	Admin
)

var roleNames = [...]string{"nobody", "read", "write", "admin"}

func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return fmt.Sprintf("role %d", uint8(r))
}

// ParseRole is the inverse of String for the roles of tokens: read, write, admin.
func ParseRole(s string) (Role, error) {
	if i := slices.Index(roleNames[:], s); i > 0 {
		return Role(i), nil
	}
	return Nobody, fmt.Errorf("token: role %q: want read, write or admin", s)
}

// MarshalText is String.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText is ParseRole.
func (r *Role) UnmarshalText(b []byte) (err error) {
	*r, err = ParseRole(string(b))
	return err
}

// Hash is the SHA-256 of a token's secret, as hex in text.
type Hash [sha256.Size]byte

func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText is String.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText undoes String.
func (h *Hash) UnmarshalText(b []byte) error {
	if n, err := hex.Decode(h[:], b[:min(len(b), 2*len(h))]); err != nil || n != len(h) || len(b) != 2*len(h) {
		return fmt.Errorf("token: hash %q: want %d hex digits", b, 2*len(h))
	}
	return nil
}

// Token is a token without its secret.
type Token struct {
	Hash Hash `json:"hash"`
	Role Role `json:"role"`
	// Prefixes are the names that the token is for, with all names below them:
	// "a/b" stands for a/b and a/b/c. No prefixes means all names.
	Prefixes []string `json:"prefixes,omitempty"`
	Note     string   `json:"note,omitempty"`
	// Dimension and Box bind the token to a part of the world that its one prefix
	// names. Such a token may only look at that part. Both or neither are there.
	Dimension string   `json:"dimension,omitempty"`
	Box       BlockBox `json:"box,omitzero"`
	// Limits are for tokens of the role Write with prefixes.
	Limits Quota `json:"limits,omitzero"`
}

// BlockBox is a box of blocks. Its text is "x0,y0,z0..x1,y1,z1", with both corners included,
// as in the text of a region.
type BlockBox geom.Box

func (b BlockBox) String() string {
	text, err := region.Text(geom.Box(b))
	if err != nil {
		return geom.Box(b).String() // an invalid box
	}
	return strings.TrimPrefix(text, boxText)
}

// boxText begins a box in the text of a region.
const boxText = "box:"

// ParseBlockBox is the inverse of String. The corners may stand in any order.
func ParseBlockBox(s string) (BlockBox, error) {
	r, err := region.Parse(boxText + s)
	if b, ok := r.(geom.Box); ok && err == nil {
		return BlockBox(b), nil
	}
	return BlockBox{}, fmt.Errorf("token: box %.100q: want x0,y0,z0..x1,y1,z1", s)
}

// MarshalText is String.
func (b BlockBox) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText is ParseBox.
func (b *BlockBox) UnmarshalText(text []byte) (err error) {
	*b, err = ParseBlockBox(string(text))
	return err
}

// New returns t with the hash of a new secret, and the secret. Nobody can compute the
// secret from the token. Slashes at the ends of prefixes are ignored.
func New(t Token) (secret string, _ Token, err error) {
	const letters = 32
	secret = "cairn_" + (rand.Text() + rand.Text())[:letters]
	t.Hash = sha256.Sum256([]byte(secret))
	t.Prefixes = slices.Clone(t.Prefixes)
	for i, p := range t.Prefixes {
		t.Prefixes[i] = strings.Trim(p, "/")
	}
	return secret, t, t.Check()
}

// Check returns an error if the token is invalid.
func (t Token) Check() error {
	if t.Role < Read || t.Role > Admin {
		return fmt.Errorf("token: role %v: want read, write or admin", t.Role)
	}
	for _, p := range t.Prefixes {
		if err := history.CheckName(p); err != nil {
			return fmt.Errorf("token: prefix: %w", err)
		}
	}
	switch l := t.Limits; {
	case l.Worlds < 0 || l.Worlds > MaxWorlds:
		return fmt.Errorf("token: at most %d worlds: want 1 to %d, 0 for no limit", l.Worlds, MaxWorlds)
	case l.Bytes < 0:
		return fmt.Errorf("token: at most %d bytes: want 1 or more, 0 for no limit", l.Bytes)
	case l != (Quota{}) && (t.Role != Write || len(t.Prefixes) == 0):
		return errors.New("token: limits of worlds and bytes are for tokens of the role write with a prefix")
	}
	switch {
	case t.Box == (BlockBox{}) && t.Dimension == "":
		return nil
	case t.Box == (BlockBox{}) || t.Dimension == "":
		return errors.New("token: dimension and box go together")
	case len(t.Prefixes) != 1:
		return errors.New("token: a token with a box needs the name of one world as its only prefix")
	case t.Role != Read:
		return fmt.Errorf("token: role %v: a token with a box can only read", t.Role)
	case geom.Box(t.Box).Empty():
		return errors.New("token: the box is empty")
	}
	return nil
}

// Bound reports whether the token is bound to a part of a world.
func (t *Token) Bound() bool { return t.Dimension != "" }

// Reaches reports whether the token is for the world name. It ignores the role. A bound
// token is for the one world, not for what is below it.
func (t *Token) Reaches(name string) bool {
	if t.Bound() {
		return name == t.Prefixes[0]
	}
	return len(t.Prefixes) == 0 || slices.ContainsFunc(t.Prefixes, func(p string) bool {
		return strings.HasPrefix(name, p) && (len(name) == len(p) || name[len(p)] == '/')
	})
}

// Covers reports whether the token is for every name that begins with prefix.
func (t *Token) Covers(prefix string) bool {
	return len(t.Prefixes) == 0 || !t.Bound() && slices.ContainsFunc(t.Prefixes, func(p string) bool {
		return strings.HasPrefix(prefix, p+"/")
	})
}

// Sees reports whether the token is for all cells of a box in a dimension of its worlds.
func (t *Token) Sees(dimension string, b geom.Box) bool {
	return !t.Bound() || dimension == t.Dimension && b.Intersect(geom.Box(t.Box)) == b
}

package server

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/history"
)

// Role is what a token may. Each may what those below it may.
type Role uint8

// The roles. Nobody is who has no token.
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

// ParseRole undoes String for the roles of tokens: read, write, admin.
func ParseRole(s string) (Role, error) {
	if i := slices.Index(roleNames[:], s); i > 0 {
		return Role(i), nil
	}
	return Nobody, fmt.Errorf("server: role %q: want read, write or admin", s)
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
		return fmt.Errorf("server: hash %q: want %d hex digits", b, 2*len(h))
	}
	return nil
}

// Token is what is known of one: all but its secret.
type Token struct {
	Hash Hash `json:"hash"`
	Role Role `json:"role"`
	// Prefixes are the names it is for, and what lies below them: "a/b" stands for
	// a/b and a/b/c. None stands for all names.
	Prefixes []string `json:"prefixes,omitempty"`
	Note     string   `json:"note,omitempty"`
}

// NewToken returns a token and its secret, which nobody can get back from it.
// Slashes at the ends of prefixes do not count.
func NewToken(role Role, note string, prefixes ...string) (secret string, t Token, err error) {
	const letters = 32
	secret = "cairn_" + (rand.Text() + rand.Text())[:letters]
	t = Token{Hash: sha256.Sum256([]byte(secret)), Role: role, Note: note}
	for _, p := range prefixes {
		t.Prefixes = append(t.Prefixes, strings.Trim(p, "/"))
	}
	return secret, t, t.Check()
}

// Check returns an error if no file may hold the token.
func (t Token) Check() error {
	if t.Role < Read || t.Role > Admin {
		return fmt.Errorf("server: token: role %v: want read, write or admin", t.Role)
	}
	for _, p := range t.Prefixes {
		if err := history.CheckName(p); err != nil {
			return fmt.Errorf("server: token: prefix: %w", err)
		}
	}
	return nil
}

// Reaches reports whether the token is for the world name, whatever its role.
func (t *Token) Reaches(name string) bool {
	return len(t.Prefixes) == 0 || slices.ContainsFunc(t.Prefixes, func(p string) bool {
		return strings.HasPrefix(name, p) && (len(name) == len(p) || name[len(p)] == '/')
	})
}

// covers reports whether it reaches every name that begins with prefix.
func (t *Token) covers(prefix string) bool {
	return len(t.Prefixes) == 0 || slices.ContainsFunc(t.Prefixes, func(p string) bool {
		return strings.HasPrefix(prefix, p+"/")
	})
}

// Tokens are those of a file, which may change under a running server: all
// methods are safe for any number of goroutines.
type Tokens struct {
	path string
	all  atomic.Pointer[map[Hash]*grant]
}

// grant is a token in use.
type grant struct {
	Token
	calls atomic.Int64 // under way
}

// tokensFile is the file: JSON with one object, so that it can grow.
type tokensFile struct {
	Tokens []Token `json:"tokens"`
}

// ReadTokens reads a file that WriteTokens wrote.
func ReadTokens(path string) (*Tokens, error) {
	t := &Tokens{path: path}
	return t, t.Reload()
}

// Reload reads the file again. After an error the tokens are as they were.
func (t *Tokens) Reload() error {
	b, err := os.ReadFile(t.path)
	if err != nil {
		return fmt.Errorf("server: tokens: %w", err)
	}
	var f tokensFile
	if err := strict(b, &f); err != nil { // of a slip in "prefixes" all names would come
		return fmt.Errorf("server: tokens: %s: %s", t.path, jsonFault(err))
	}
	all := make(map[Hash]*grant, len(f.Tokens))
	for i, tok := range f.Tokens {
		if err := tok.Check(); err != nil {
			return fmt.Errorf("server: tokens: %s: token %d: %w", t.path, i+1, err)
		}
		if all[tok.Hash] != nil {
			return fmt.Errorf("server: tokens: %s: token %d: is there twice", t.path, i+1)
		}
		all[tok.Hash] = &grant{Token: tok}
	}
	t.all.Store(&all)
	return nil
}

// All returns the tokens in the order of their hashes.
func (t *Tokens) All() []Token {
	var out []Token
	for _, tok := range *t.all.Load() {
		out = append(out, tok.Token)
	}
	slices.SortFunc(out, func(a, b Token) int { return slices.Compare(a.Hash[:], b.Hash[:]) })
	return out
}

// find returns the token of a secret, or nil. Secrets are compared by their
// hashes alone, so that how long it takes says nothing about them.
func (t *Tokens) find(secret string) *grant {
	const longest = 256
	if len(secret) > longest {
		return nil
	}
	return (*t.all.Load())[sha256.Sum256([]byte(secret))]
}

// WriteTokens puts tokens in place of what the file holds, in one step. Only its
// owner may read it.
func WriteTokens(path string, tokens []Token) error {
	for _, t := range tokens {
		if err := t.Check(); err != nil {
			return err
		}
	}
	b, err := json.MarshalIndent(tokensFile{tokens}, "", "  ")
	if err != nil {
		return fmt.Errorf("server: tokens: %w", err)
	}
	if err := replace(path, append(b, '\n')); err != nil {
		return fmt.Errorf("server: tokens: %w", err)
	}
	return nil
}

func replace(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".tokens-*") // of mode 0600
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = &fs.PathError{Op: "make", Path: path, Err: p.Err} // nobody asked for the other
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

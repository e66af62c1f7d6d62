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

// Token is a token without its secret.
type Token struct {
	Hash Hash `json:"hash"`
	Role Role `json:"role"`
	// Prefixes are the names that the token is for, with all names below them:
	// "a/b" stands for a/b and a/b/c. No prefixes means all names.
	Prefixes []string `json:"prefixes,omitempty"`
	Note     string   `json:"note,omitempty"`
}

// NewToken returns a token and its secret. Nobody can compute the secret from the
// token. Slashes at the ends of prefixes are ignored.
func NewToken(role Role, note string, prefixes ...string) (secret string, t Token, err error) {
	const letters = 32
	secret = "cairn_" + (rand.Text() + rand.Text())[:letters]
	t = Token{Hash: sha256.Sum256([]byte(secret)), Role: role, Note: note}
	for _, p := range prefixes {
		t.Prefixes = append(t.Prefixes, strings.Trim(p, "/"))
	}
	return secret, t, t.Check()
}

// Check returns an error if the token is invalid.
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

// Reaches reports whether the token is for the world name. It ignores the role.
func (t *Token) Reaches(name string) bool {
	return len(t.Prefixes) == 0 || slices.ContainsFunc(t.Prefixes, func(p string) bool {
		return strings.HasPrefix(name, p) && (len(name) == len(p) || name[len(p)] == '/')
	})
}

// covers reports whether the token is for every name that begins with prefix.
func (t *Token) covers(prefix string) bool {
	return len(t.Prefixes) == 0 || slices.ContainsFunc(t.Prefixes, func(p string) bool {
		return strings.HasPrefix(prefix, p+"/")
	})
}

// Tokens are the tokens of a file, which may change while a server runs. All
// methods are safe for any number of goroutines.
type Tokens struct {
	path string
	all  atomic.Pointer[map[Hash]*grant]
}

// grant is a token in use.
type grant struct {
	Token
	calls atomic.Int64 // in progress
}

// tokensFile is the content of the file: a JSON object, so that fields can be
// added.
type tokensFile struct {
	Tokens []Token `json:"tokens"`
}

// ReadTokens reads a file that WriteTokens wrote.
func ReadTokens(path string) (*Tokens, error) {
	t := &Tokens{path: path}
	return t, t.Reload()
}

// Reload reads the file again. After an error the tokens are unchanged.
func (t *Tokens) Reload() error {
	b, err := os.ReadFile(t.path)
	if err != nil {
		return fmt.Errorf("server: tokens: %w", err)
	}
	var f tokensFile
	if err := strict(b, &f); err != nil { // a misspelt "prefixes" would give the token all names
		return fmt.Errorf("server: tokens: %s: %s", t.path, jsonFault(err))
	}
	all := make(map[Hash]*grant, len(f.Tokens))
	for i, tok := range f.Tokens {
		if err := tok.Check(); err != nil {
			return fmt.Errorf("server: tokens: %s: token %d: %w", t.path, i+1, err)
		}
		if all[tok.Hash] != nil {
			return fmt.Errorf("server: tokens: %s: token %d: is listed twice", t.path, i+1)
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

// find returns the token with a secret, or nil. It compares hashes only, so the
// time that it takes reveals nothing about secrets.
func (t *Tokens) find(secret string) *grant {
	const longest = 256
	if len(secret) > longest {
		return nil
	}
	return (*t.all.Load())[sha256.Sum256([]byte(secret))]
}

// WriteTokens replaces the content of the file with tokens, in one step. Only the
// file's owner may read it.
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
		err = &fs.PathError{Op: "make", Path: path, Err: p.Err} // the caller does not know the temporary file
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

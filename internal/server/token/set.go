package token

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/internal/atomicfile"
	"github.com/cairnvoxel/cairn/internal/strictjson"
)

// Set is the tokens of a file, which may change while a server runs. All methods are
// safe for any number of goroutines.
type Set struct {
	path string
	all  atomic.Pointer[grants]
}

// grants are the tokens of a Set by their hashes and by what names them in sessions.
type grants struct {
	byHash    map[Hash]*Grant
	bySession map[sessionID]*Grant
}

// Grant is a token in use. A token that Reload changed has a new Grant.
type Grant struct {
	Token
	Calls   atomic.Int64 // in progress
	Streams atomic.Int64 // open
	Proven  atomic.Int64 // its stones in a row that were read whole and were right
	account account
}

// content of the file: a JSON object, so that fields can be added.
type content struct {
	Tokens []Token `json:"tokens"`
}

// ReadFile reads a file that WriteFile wrote.
func ReadFile(path string) (*Set, error) {
	t := &Set{path: path}
	t.all.Store(&grants{})
	return t, t.Reload()
}

// Reload reads the file again. After an error the tokens are unchanged.
func (t *Set) Reload() error {
	b, err := os.ReadFile(t.path)
	if err != nil {
		return fmt.Errorf("token: %w", err)
	}
	var f content
	if err := strictjson.Decode(b, &f); err != nil { // a misspelt "prefixes" would give the token all names
		return fmt.Errorf("token: %s: %w", t.path, err)
	}
	all := make(map[Hash]*Grant, len(f.Tokens))
	for i, tok := range f.Tokens {
		if err := tok.Check(); err != nil {
			return fmt.Errorf("token: %s: token %d: %w", t.path, i+1, err)
		}
		if all[tok.Hash] != nil {
			return fmt.Errorf("token: %s: token %d: is listed twice", t.path, i+1)
		}
		all[tok.Hash] = &Grant{Token: tok, account: account{turn: make(chan struct{}, 1)}}
		if old := t.byHash(tok.Hash); old != nil && reflect.DeepEqual(old.Token, tok) {
			all[tok.Hash] = old
		}
	}
	g := grants{byHash: all, bySession: make(map[sessionID]*Grant, len(all))}
	for h, one := range all {
		g.bySession[sessionIDOf(h)] = one
	}
	t.all.Store(&g)
	return nil
}

// Path returns the name of the file.
func (t *Set) Path() string { return t.path }

// All returns the tokens in the order of their hashes.
func (t *Set) All() []Token {
	var out []Token
	for _, tok := range t.all.Load().byHash {
		out = append(out, tok.Token)
	}
	slices.SortFunc(out, func(a, b Token) int { return slices.Compare(a.Hash[:], b.Hash[:]) })
	return out
}

// longestSecret is how many bytes of a secret are hashed. Longer ones are unknown.
const longestSecret = 256

// Find returns the token with a secret, or nil. It compares hashes only, so the
// time that it takes reveals nothing about secrets.
func (t *Set) Find(secret string) *Grant {
	if len(secret) > longestSecret {
		return nil
	}
	return t.all.Load().byHash[sha256.Sum256([]byte(secret))]
}

// Has reports whether the Set still has a token that Find returned, unchanged.
func (t *Set) Has(g *Grant) bool { return t.byHash(g.Hash) == g }

// byHash returns the token with a hash, or nil.
func (t *Set) byHash(h Hash) *Grant { return t.all.Load().byHash[h] }

// bySession returns the token that a session names, or nil.
func (t *Set) bySession(w sessionID) *Grant { return t.all.Load().bySession[w] }

// WriteFile replaces the content of the file with tokens, in one step. Only the
// file's owner may read it.
func WriteFile(path string, tokens []Token) error {
	for _, t := range tokens {
		if err := t.Check(); err != nil {
			return err
		}
	}
	b, err := json.MarshalIndent(content{append([]Token{}, tokens...)}, "", "  ")
	if err != nil {
		return fmt.Errorf("token: %w", err)
	}
	f, err := atomicfile.NewFile(path, 0o600)
	if err == nil {
		defer f.Abort()
		_, err = f.File.Write(append(b, '\n'))
	}
	if err == nil {
		err = f.Commit()
	}
	if err != nil {
		err = fmt.Errorf("token: %s: %w", path, err)
	}
	return err
}

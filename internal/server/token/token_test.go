package token_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// mustSet writes tokens to a file and reads it; secrets are returned in the order of
// want.
func mustSet(t *testing.T, want ...token.Token) (set *token.Set, path string, all []token.Token, secrets []string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tokens")
	for _, w := range want {
		secret, tok, err := token.New(w)
		if err != nil {
			t.Fatal(err)
		}
		if sha256.Sum256([]byte(secret)) != tok.Hash {
			t.Fatal("the hash is not the secret's")
		}
		secrets, all = append(secrets, secret), append(all, tok)
	}
	mustWrite(t, path, all...)
	set, err := token.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return set, path, all, secrets
}

func mustWrite(t *testing.T, path string, all ...token.Token) {
	t.Helper()
	if err := token.WriteFile(path, all); err != nil {
		t.Fatal(err)
	}
}

func TestTokens(t *testing.T) {
	tokens, _, _, secrets := mustSet(t, token.Token{Role: token.Read, Prefixes: []string{"/players/"}, Note: "a game"}, token.Token{Role: token.Admin})
	if len(secrets[0]) != len("cairn_")+32 || secrets[0] == secrets[1] {
		t.Errorf("got secrets %q", secrets)
	}
	all := tokens.All()
	i := slices.IndexFunc(all, func(t token.Token) bool { return t.Note == "a game" })
	if len(all) != 2 || i < 0 || all[i].Role != token.Read || !slices.Equal(all[i].Prefixes, []string{"players"}) {
		t.Errorf("got %+v", all)
	}
	for name, want := range map[string]bool{"players": true, "players/a": true, "players/a/b": true, "playersx": false, "player": false, "": false, "a/players": false} {
		if got := all[i].Reaches(name); got != want {
			t.Errorf("%q: got %v", name, got)
		}
	}
}

func TestTokensFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	_, tok, err := token.New(token.Token{Role: token.Write})
	if err != nil {
		t.Fatal(err)
	}
	if err := token.WriteFile(path, []token.Token{tok}); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", fi.Mode(), err)
	}
	tokens, err := token.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, file, want string }{
		{"no JSON", "{", "too early"},
		{"empty", "", "it is empty"},
		{"a certificate", "-----BEGIN CERTIFICATE-----", "at byte"},
		{"two values", string(good) + "{}", "more than one"},
		{"a slip", strings.Replace(string(good), `"role"`, `"prefix":["a"],"role"`, 1), "prefix"},
		{"role", strings.Replace(string(good), `"write"`, `"root"`, 1), "role"},
		{"nobody", strings.Replace(string(good), `"write"`, `"nobody"`, 1), "role"},
		{"no role", strings.Replace(string(good), `"write"`, `""`, 1), "role"},
		{"hash", strings.Replace(string(good), `"hash": "`, `"hash": "0`, 1), "hex digits"},
		{"hash of no digits", strings.Replace(string(good), tok.Hash.String()[:2], "xy", 1), "hex digits"},
		{"prefix", strings.Replace(string(good), `"role"`, `"prefixes":["A"],"role"`, 1), "prefix"},
		{"twice", strings.Replace(strings.Replace(string(good), "[", "["+tokenJSON(t, tok)+",", 1), "\n", "", -1), "twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := tokens.Reload(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if all := tokens.All(); len(all) != 1 {
				t.Errorf("got %d tokens after an error", len(all))
			}
		})
	}
	if _, err := token.ReadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := token.WriteFile(path, []token.Token{{}}); err == nil {
		t.Error("a token without a role was written")
	}
	nowhere := filepath.Join(t.TempDir(), "none", "tokens")
	if err := token.WriteFile(nowhere, nil); err == nil || !strings.Contains(err.Error(), nowhere+": ") {
		t.Errorf("without a folder: got %v", err)
	}
}

func tokenJSON(t *testing.T, tok token.Token) string {
	t.Helper()
	b, err := json.Marshal(tok)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var boxed = token.Token{Role: token.Read, Prefixes: []string{"a/b"}, Dimension: "overworld",
	Box: token.BlockBox{Min: geom.Point{X: -16, Y: 0, Z: 0}, Max: geom.Point{X: 16, Y: 32, Z: 8}}}

// TestBound holds a token that is bound to a box to its world, dimension and box.
func TestBound(t *testing.T) {
	set, path, _, secrets := mustSet(t, boxed)
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), `"box": "-16,0,0..15,31,7"`) {
		t.Errorf("got %s, %v", text, err)
	}
	tok := set.Find(secrets[0]).Token
	if !tok.Bound() || tok.Box != boxed.Box {
		t.Errorf("got %+v", tok)
	}
	for name, want := range map[string]bool{"a/b": true, "a/b/c": false, "a/b/.snapshots/x": false, "a": false, "a/bc": false} {
		if tok.Reaches(name) != want {
			t.Errorf("%s: want %v", name, want)
		}
	}
	if tok.Covers("a/b/") || tok.Covers("a/b/c") {
		t.Error("a bound token covers names below its world")
	}
	for _, tt := range []struct {
		name, dimension string
		box             geom.Box
		want            bool
	}{
		{"all of it", "overworld", geom.Box(tok.Box), true},
		{"a cell", "overworld", geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, true},
		{"a cell of another dimension", "the_nether", geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, false},
		{"one cell too far", "overworld", geom.Box{Min: geom.Point{X: -17}, Max: geom.Point{X: 1, Y: 1, Z: 1}}, false},
		{"elsewhere", "overworld", geom.Box{Min: geom.Point{Y: 32}, Max: geom.Point{X: 1, Y: 33, Z: 1}}, false},
	} {
		if tok.Sees(tt.dimension, tt.box) != tt.want {
			t.Errorf("%s: want %v", tt.name, tt.want)
		}
	}
	free := token.Token{Role: token.Read}
	if free.Bound() || !free.Sees("any", geom.Box{Max: geom.Point{X: 1 << 20, Y: 1, Z: 1}}) {
		t.Error("a token without a box is bound")
	}
}

func TestBoundFaults(t *testing.T) {
	for name, change := range map[string]func(*token.Token){
		"no world":      func(tok *token.Token) { tok.Prefixes = nil },
		"two worlds":    func(tok *token.Token) { tok.Prefixes = []string{"a", "b"} },
		"no dimension":  func(tok *token.Token) { tok.Dimension = "" },
		"no box":        func(tok *token.Token) { tok.Box = token.BlockBox{} },
		"an empty box":  func(tok *token.Token) { tok.Box.Max = tok.Box.Min },
		"may write":     func(tok *token.Token) { tok.Role = token.Write },
		"may do it all": func(tok *token.Token) { tok.Role = token.Admin },
	} {
		tok := boxed
		change(&tok)
		if tok.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, text := range []string{"", "1", "0,0,0", "0,0,0..1,1", "0,0,0..1,1,1 ", "box:0,0,0..1,1,1", "0,0,0..1,1,1+box:0,0,0..9,9,9", "0,0,0..1,1,99999999999"} {
		if b, err := token.ParseBlockBox(text); err == nil && b.String() != strings.TrimSpace(text) {
			t.Errorf("%q: got %v", text, b)
		}
	}
	if b, err := token.ParseBlockBox("3,2,1..-3,0,1"); err != nil || b.String() != "-3,0,1..3,2,1" {
		t.Errorf("got %v, %v", b, err)
	}
}

// TestSessions logs in and out, and takes the token away.
func TestSessions(t *testing.T) {
	set, path, all, secrets := mustSet(t, token.Token{Role: token.Read, Note: "one"}, token.Token{Role: token.Admin, Note: "two"})
	now := time.Unix(1e9, 0)
	s := token.NewSessions(set, []byte("secret"))
	one, two := set.Find(secrets[0]), set.Find(secrets[1])
	a, b := s.Begin(one, now), s.Begin(two, now)
	if a == b || len(a) < 26 || s.Find(a, now) != one || s.Find(b, now) != two {
		t.Error("the sessions are not those that began")
	}
	for _, id := range []string{"", a + "x", a[1:], secrets[0], strings.Repeat("x", 1<<20), one.Hash.String()} {
		if s.Find(id, now) != nil {
			t.Errorf("%.80q has a session", id)
		}
	}
	if s.Find(a, now.Add(token.SessionTime-1)) != one || s.Find(a, now.Add(token.SessionTime)) != nil {
		t.Error("a session does not end at its time")
	}
	a = s.Begin(one, now)
	s.End(a)
	if s.Find(a, now) != nil {
		t.Error("a session does not end")
	}
	s.End(a)
	s.End("")

	a = s.Begin(one, now)
	changed := all[1]
	changed.Role = token.Write
	mustWrite(t, path, changed)
	if err := set.Reload(); err != nil {
		t.Fatal(err)
	}
	if s.Find(a, now) != nil || set.Has(one) {
		t.Error("the session of a removed token goes on")
	}
	if g := s.Find(b, now); g == nil || g.Role != token.Write || set.Has(two) || !set.Has(g) {
		t.Errorf("a changed token: got %+v", g)
	}
	if err := set.Reload(); err != nil || !set.Has(s.Find(b, now)) {
		t.Errorf("a token that did not change has another Grant: %v", err)
	}
}

// TestSessionsEverywhere shows a session to another server with the same tokens, and
// forges some.
func TestSessionsEverywhere(t *testing.T) {
	set, path, _, secrets := mustSet(t, token.Token{Role: token.Read}, token.Token{Role: token.Admin})
	again, err := token.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1e9, 0)
	s, other := token.NewSessions(set, []byte("secret")), token.NewSessions(again, []byte("secret"))
	id := s.Begin(set.Find(secrets[0]), now)
	if g := other.Find(id, now); g == nil || g != again.Find(secrets[0]) {
		t.Errorf("another server: got %+v", g)
	}
	for i := range id {
		b := []byte(id)
		b[i] ^= 1
		if s.Find(string(b), now) != nil {
			t.Errorf("byte %d is another, and the session is good", i)
		}
	}
	for n := range id {
		if s.Find(id[:n], now) != nil {
			t.Errorf("%d bytes are good", n)
		}
	}
	for name, stranger := range map[string]*token.Sessions{"another secret": token.NewSessions(set, []byte("other")), "no secret": token.NewSessions(set, nil)} {
		if s.Find(stranger.Begin(set.Find(secrets[0]), now), now) != nil || stranger.Find(id, now) != nil {
			t.Errorf("%s: the session is good", name)
		}
	}
	for ahead, good := range map[time.Duration]bool{30 * time.Second: true, time.Hour: false, 24 * 365 * time.Hour: false} {
		if got := s.Find(s.Begin(set.Find(secrets[0]), now.Add(ahead)), now); (got != nil) != good {
			t.Errorf("begun in %v: got %v", ahead, got)
		}
	}
	s.End(id)
	if s.Find(id, now) != nil || other.Find(id, now) == nil {
		t.Error("a session ends where it was ended, and other servers are not told")
	}
}

// TestSessionsBound ends many sessions of a token: all of them are over, and so are
// those that are older than the ones that are remembered.
func TestSessionsBound(t *testing.T) {
	set, _, _, secrets := mustSet(t, token.Token{Role: token.Read}, token.Token{Role: token.Read})
	s := token.NewSessions(set, []byte("secret"))
	now := time.Unix(1e9, 0)
	other := s.Begin(set.Find(secrets[1]), now)
	old := s.Begin(set.Find(secrets[0]), now)
	var ids []string
	for i := range 1000 {
		ids = append(ids, s.Begin(set.Find(secrets[0]), now.Add(time.Duration(i))))
	}
	young := s.Begin(set.Find(secrets[0]), now.Add(time.Second))
	for _, id := range ids {
		s.End(id)
	}
	for i, id := range ids {
		if s.Find(id, now) != nil {
			t.Errorf("session %d lasts", i)
		}
	}
	if s.Find(old, now) != nil || s.Find(young, now) == nil || s.Find(other, now) == nil {
		t.Error("the wrong sessions ended")
	}
}

package server_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// site is a Server that listens, and what it serves.
type site struct {
	t   testing.TB
	st  history.Store
	srv *server.Server
	url string
}

func newSite(t testing.TB, o server.Options) *site {
	return newSiteOf(t, memory.New(memory.Options{}), o)
}

func newSiteOf(t testing.TB, st history.Store, o server.Options) *site {
	t.Helper()
	srv, err := server.New(st, o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(nil)
	h.Config = srv.HTTP()
	h.Start()
	t.Cleanup(h.Close)
	return &site{t, st, srv, h.URL}
}

// request is a call to be made.
type request struct {
	method, path string
	body         []byte
	header       []string // name, value, ...
}

// reply is what a call was answered with.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (s *site) do(r request) reply {
	s.t.Helper()
	req, err := http.NewRequest(r.method, s.url+r.path, bytes.NewReader(r.body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(r.header); i += 2 {
		req.Header.Add(r.header[i], r.header[i+1])
		if r.header[i] == "Host" {
			req.Host = r.header[i+1]
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // follows nothing
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, b}
}

func (s *site) get(path string, header ...string) reply {
	s.t.Helper()
	return s.do(request{"GET", path, nil, header})
}

// want makes a call that must have a status, and reads the answer's JSON into to
// if that is not nil.
func (s *site) want(status int, r request, to any) reply {
	s.t.Helper()
	got := s.do(r)
	if got.status != status {
		s.t.Fatalf("%s %s: %d %s, want %d", r.method, r.path, got.status, got.body, status)
	}
	if to != nil {
		if err := json.Unmarshal(got.body, to); err != nil {
			s.t.Fatalf("%s %s: %s: %v", r.method, r.path, got.body, err)
		}
	}
	return got
}

// wantCode checks that an answer is a refusal with a code.
func (r reply) wantCode(t testing.TB, want wire.Code) {
	t.Helper()
	var got wire.Refusal
	if err := json.Unmarshal(r.body, &got); err != nil || got.Error.Code != want || r.status != want.Status() {
		t.Errorf("got %d %s, want %s", r.status, r.body, want)
	}
}

// mustStone returns a stone whose bytes depend on n.
func mustStone(t testing.TB, n int) history.Stone {
	t.Helper()
	var cells [voxel.ChunkCells]voxel.Cell
	cells[n%len(cells)] = 1
	var b bytes.Buffer
	id, err := stonetest.Spec{
		Properties: []stone.Property{{Key: "n", Value: fmt.Sprint(n)}},
		Dimensions: []stonetest.DimensionSpec{{Name: "a", Volumes: []stonetest.VolumeSpec{{
			Volume: voxel.Volume{Name: "block", Schema: voxel.Palette, Scale: 1},
			Names:  []string{"air", "stone"},
			Levels: []stonetest.LevelSpec{{Chunks: []stone.Placed{{Pos: geom.ChunkPos{X: int32(n % 100)}, Chunk: voxel.FromFlat(&cells)}}}},
		}}}},
	}.Write(&b, stone.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return history.Stone{ID: id, Data: b.Bytes()}
}

func commitOf(parent history.ID, message string, stones ...history.Stone) history.Commit {
	c := history.Commit{Parent: parent, Base: parent, Message: message}
	for _, s := range stones {
		c.Stones = append(c.Stones, history.StoneRef{ID: s.ID, Size: int64(len(s.Data))})
	}
	return c
}

func commitRequest(name string, c history.Commit, stones ...history.Stone) request {
	var b bytes.Buffer
	if _, err := wire.CommitBody(c, stones...).WriteTo(&b); err != nil {
		panic("a buffer takes everything: " + err.Error())
	}
	return request{"POST", "/v1/commits/" + name, b.Bytes(), []string{"If-Match", tag(c.Parent)}}
}

func tag(id history.ID) string {
	if id == (history.ID{}) {
		return `"0"`
	}
	return `"` + id.String() + `"`
}

// mustCommit makes n commits to a new world and returns the last one's id.
func (s *site) mustCommit(name string, n int) (last history.ID) {
	s.t.Helper()
	ctx := context.Background()
	if err := s.st.Create(ctx, name); err != nil {
		s.t.Fatal(err)
	}
	for i := range n {
		st := mustStone(s.t, i)
		c, err := s.st.Commit(ctx, name, history.Head{Commit: last}, commitOf(last, fmt.Sprint("version ", i+1), st), st)
		if err != nil {
			s.t.Fatal(err)
		}
		last = c.ID()
	}
	return last
}

// mustTokens writes tokens to a file and reads it; secrets are returned in the
// order of want.
func mustTokens(t testing.TB, want ...token.Token) (*token.Set, []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens")
	var secrets []string
	var all []token.Token
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
	if err := token.WriteFile(path, all); err != nil {
		t.Fatal(err)
	}
	tokens, err := token.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return tokens, secrets
}

func hashOf(data []byte) stone.ID { return sha256.Sum256(data) }

package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// TestInline holds which stones come with a stack, and their bytes.
func TestInline(t *testing.T) {
	s := newSite(t, server.Options{Limits: server.Limits{InlineBytes: 1 << 20}})
	ctx := context.Background()
	var head history.ID
	if err := s.st.Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	byID := make(map[stone.ID][]byte)
	var sizes []int
	for _, size := range []int{900 << 10, 200 << 10, 1000, 70 << 10, 500} { // bottom first
		st := noise(t, size)
		c, err := s.st.Commit(ctx, "a", history.Head{Commit: head}, commitOf(head, "", st), st)
		if err != nil {
			t.Fatal(err)
		}
		head, byID[st.ID] = c.ID(), st.Data
		sizes = append(sizes, len(st.Data))
	}
	top := func(n int) (sum int) { // bytes of the upper n
		for _, size := range sizes[len(sizes)-n:] {
			sum += size
		}
		return sum
	}
	for _, tt := range []struct{ inline, want int }{
		{0, 0}, {sizes[4] - 1, 0}, {sizes[4], 1}, {top(2) - 1, 1}, {top(2), 2}, {top(3) - 1, 2}, {top(3), 3}, {top(4), 4}, {top(5), 4}, {1 << 40, 4},
	} {
		for _, at := range []string{"", "&at=" + head.String()} {
			stack, stones := s.mustStack("a", fmt.Sprintf("?inline=%d%s", tt.inline, at))
			if stones != tt.want || len(stack.Layers) != 5 || stack.Head.Commit != head {
				t.Errorf("inline=%d%s: got %d stones of %d layers, want %d", tt.inline, at, stones, len(stack.Layers), tt.want)
			}
			for i := 5 - tt.want; i < 5; i++ {
				if st := stack.Layers[i].Stone.ID; !bytes.Equal(stack.Data[i], byID[st]) {
					t.Errorf("inline=%d: stone %v has other bytes", tt.inline, st)
				}
			}
		}
	}
	got := s.get("/v1/stack/a")
	if got.header.Get("ETag") != tag(head) || got.header.Get("Content-Length") != fmt.Sprint(len(got.body)) {
		t.Errorf("got header %v of %d bytes", got.header, len(got.body))
	}
}

// TestStackOfNothing asks for the stack of a world without commits, and for one
// with a stone twice.
func TestStackOfNothing(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustCommit("a", 0)
	if stack, stones := s.mustStack("a", ""); stack.Head.Commit != (history.ID{}) || len(stack.Layers)+stones != 0 {
		t.Errorf("got %+v", stack)
	}
	if got := s.get("/v1/stack/a"); got.header.Get("ETag") != `"0"` {
		t.Errorf("got %v", got.header)
	}
	head, st := s.mustCommit("b", 1), mustStone(t, 0)
	s.mustSave(commitRequest("b", commitOf(head, "the same again", st)))
	if stack, stones := s.mustStack("b", ""); len(stack.Layers) != 2 || stones != 2 {
		t.Errorf("got %+v with %d stones", stack, stones)
	}
}

// vanishing is a Store whose stones are gone the first times that they are opened.
type vanishing struct {
	history.Store
	times int
}

func (v *vanishing) Open(ctx context.Context, name string, id stone.ID) (*history.Opened, error) {
	if v.times--; v.times >= 0 {
		return nil, fmt.Errorf("%v: %w", id, history.ErrGone)
	}
	return v.Store.Open(ctx, name, id)
}

// TestStonesGoWhileLoading packs, so to say, between the stack and its stones.
func TestStonesGoWhileLoading(t *testing.T) {
	v := &vanishing{Store: memory.New(memory.Options{})}
	s := newSiteOf(t, v, server.Options{})
	s.mustCommit("a", 2)
	v.times = 2
	if _, stones := s.mustStack("a", ""); stones != 2 {
		t.Errorf("got %d stones", stones)
	}
	v.times = 3
	s.get("/v1/stack/a").wantCode(t, wire.Gone)
}

func TestRanges(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustCommit("a", 1)
	large := noise(t, 200<<10) // too large for a Reader to keep in memory
	head, err := s.st.Head(context.Background(), "a")
	if err != nil {
		t.Fatal(err)
	}
	s.mustSave(commitRequest("a", commitOf(head.Commit, "", large), large))
	for _, st := range []history.Stone{mustStone(t, 0), large} {
		path, n := "/v1/stones/"+st.ID.String()+"/a", len(st.Data)
		for _, tt := range []struct {
			name   string
			header []string
			status int
			want   []byte
		}{
			{"whole", nil, 200, st.Data},
			{"first", []string{"Range", "bytes=0-0"}, 206, st.Data[:1]},
			{"middle", []string{"Range", "bytes=5-20"}, 206, st.Data[5:21]},
			{"end", []string{"Range", fmt.Sprintf("bytes=%d-", n-3)}, 206, st.Data[n-3:]},
			{"last", []string{"Range", "bytes=-7"}, 206, st.Data[n-7:]},
			{"beyond", []string{"Range", fmt.Sprintf("bytes=3-%d", n+100)}, 206, st.Data[3:]},
			{"none", []string{"Range", fmt.Sprintf("bytes=%d-", n)}, 416, nil},
			{"not bytes", []string{"Range", "chunks=0-1"}, 416, nil},
			{"if it is this one", []string{"Range", "bytes=0-3", "If-Range", `"` + st.ID.String() + `"`}, 206, st.Data[:4]},
			{"if it is another", []string{"Range", "bytes=0-3", "If-Range", `"x"`}, 200, st.Data},
			{"known", []string{"If-None-Match", `"` + st.ID.String() + `"`}, 304, nil},
			{"more than there is", []string{"Range", strings.Repeat("bytes=0-,", 1)[:8] + strings.Repeat(",0-", 50)}, 200, st.Data},
		} {
			t.Run(fmt.Sprint(n, " ", tt.name), func(t *testing.T) {
				got := s.get(path, tt.header...)
				if got.status != tt.status || tt.want != nil && !bytes.Equal(got.body, tt.want) {
					t.Errorf("got %d and %d bytes, want %d and %d", got.status, len(got.body), tt.status, len(tt.want))
				}
				if got.status < 400 && !strings.Contains(got.header.Get("Cache-Control"), "immutable") {
					t.Errorf("got %v", got.header)
				}
			})
		}
		wantParts(t, s.get(path, "Range", "bytes=0-1,4-6"), st.Data[0:2], st.Data[4:7])
	}
	if got := s.do(request{method: "HEAD", path: "/v1/stones/" + large.ID.String() + "/a"}); got.header.Get("Content-Length") != fmt.Sprint(len(large.Data)) || len(got.body) > 0 {
		t.Errorf("got %v and %d bytes", got.header, len(got.body))
	}
}

func wantParts(t *testing.T, got reply, want ...[]byte) {
	t.Helper()
	_, params, err := mime.ParseMediaType(got.header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	r := multipart.NewReader(bytes.NewReader(got.body), params["boundary"])
	for _, w := range want {
		p, err := r.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(p); err != nil || !bytes.Equal(b, w) {
			t.Errorf("got %q, %v, want %q", b, err, w)
		}
	}
}

func TestPacks(t *testing.T) {
	s := newSite(t, server.Options{})
	head := s.mustCommit("a", 4)
	log, err := s.st.Log(context.Background(), "a", history.ID{}, 4)
	if err != nil {
		t.Fatal(err)
	}
	st := mustStone(t, 77)
	pack := func(p history.Pack, header ...string) request {
		return request{"POST", "/v1/packs/a", packBody(t, p, st), header}
	}
	s.do(pack(history.Pack{Upto: head}, "If-Match", `"0"`)).wantCode(t, wire.Conflict)
	s.want(204, pack(history.Pack{After: log[3].ID(), Upto: head}, "If-Match", tag(head)), nil)
	stack, _ := s.mustStack("a", "")
	if len(stack.Layers) != 2 || stack.Layers[1].Stone.ID != st.ID || stack.Layers[1].After != log[3].ID() {
		t.Errorf("got %+v", stack)
	}
	body := packBody(t, history.Pack{Upto: head}, st)
	for n := range body {
		s.do(request{method: "POST", path: "/v1/packs/a", body: body[:n]}).wantRefusal(t)
	}
	s.do(request{method: "POST", path: "/v1/packs/a", body: append(slices.Clone(body), 0)}).wantRefusal(t)
}

// TestGranted tries to read stones of other worlds by their names.
func TestGranted(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Write, Prefixes: []string{"in"}},
		token.Token{Role: token.Read, Prefixes: []string{"in"}}, token.Token{Role: token.Admin})
	s := newSite(t, server.Options{Tokens: tokens})
	ctx := context.Background()
	of := func(name string, base, parent history.ID, st history.Stone) history.ID {
		t.Helper()
		c := history.Commit{Parent: parent, Base: base, Stones: []history.StoneRef{st.Ref()}}
		c, err := s.st.Commit(ctx, name, history.Head{Commit: parent}, c, st)
		if err != nil {
			t.Fatal(err)
		}
		return c.ID()
	}
	for _, name := range []string{"in/w", "out/w"} {
		if err := s.st.Create(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	first, own, other := mustStone(t, 0), mustStone(t, 1), mustStone(t, 2)
	below := of("in/w", history.ID{}, history.ID{}, first)
	of("out/w", history.ID{}, history.ID{}, other)
	get := func(token int, path string) reply {
		t.Helper()
		return s.get(path, "Authorization", "bearer "+secrets[token])
	}
	if got := get(0, "/v1/stack/in/w?inline=0"); got.status != 200 {
		t.Fatalf("stack: got %d", got.status)
	}
	// The first stone leaves the world: who was told of it may still read it.
	of("in/w", history.ID{}, below, own)
	keep := history.Policy{Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}}
	if c, err := s.st.Collect(ctx, keep); err != nil || c.Condemned != 1 {
		t.Fatalf("collect: got %+v, %v", c, err)
	}
	for _, tt := range []struct {
		name  string
		token int
		stone history.Stone
		want  int
	}{
		{"its own", 0, own, 200}, {"that it was told of", 0, first, 200}, {"of another world", 0, other, 410},
		{"its own, again", 1, own, 200}, {"that another was told of", 1, first, 410}, {"of another world", 1, other, 410},
		{"any", 2, other, 200}, {"any that is there", 2, first, 200},
	} {
		if got := get(tt.token, "/v1/stones/"+tt.stone.ID.String()+"/in/w"); got.status != tt.want {
			t.Errorf("token %d: %s: got %d, want %d", tt.token, tt.name, got.status, tt.want)
		}
	}
}

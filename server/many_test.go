package server_test

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
)

// TestManyServers makes each call of a person, and of a program, at another server of one
// cluster. Nothing that a server keeps may matter.
func TestManyServers(t *testing.T) {
	h := newHalves()
	tokens, secrets := mustTokens(t, token.Token{Role: token.Write, Prefixes: []string{"in"}}, token.Token{Role: token.Admin})
	var sites []*site
	for range 3 {
		sites = append(sites, h.site(t, server.Options{Tokens: tokens}))
	}
	n := 0
	next := func() *site { n++; return sites[n%len(sites)] }
	bearer := []string{"Authorization", "Bearer " + secrets[0]}

	_, cookie := next().login(secrets[0])
	person := []string{"Cookie", "cairn=" + cookie.Value, "Sec-Fetch-Site", "same-origin"}
	for range sites {
		next().want(200, request{"GET", "/v1/login", nil, person}, nil)
	}

	next().want(201, request{"PUT", "/v1/worlds/in/a", nil, bearer}, nil)
	var lease wire.Lease
	next().want(201, request{"POST", "/v1/leases/in/a", []byte(`{"holder":"ann","seconds":60}`), bearer}, &lease)
	fence := append([]string{wire.FenceHeader, fmt.Sprint(lease.Fence)}, bearer...)
	var head history.ID
	for i := range 6 {
		st := mustStone(t, i)
		r := commitRequest("in/a", commitOf(head, "", st), st)
		r.header = append(r.header, fence...)
		var made wire.Commit
		next().want(201, r, &made)
		head = history.ID(made.ID)
		for range sites { // all of them show it at once, also those that have read an older one
			s := next()
			if got := s.want(200, request{"GET", "/v1/head/in/a", nil, bearer}, nil); got.header.Get("Etag") != tag(head) {
				t.Errorf("save %d: got %v", i, got.header)
			}
			s.want(200, request{"GET", fmt.Sprintf("/v1/chunks/in/a?dimension=a&volume=block&x=%d", i), nil, bearer}, nil)
			if got := next().get("/v1/stones/"+st.ID.String()+"/in/a", bearer...); !bytes.Equal(got.body, st.Data) {
				t.Errorf("save %d: a stone: got %d", i, got.status) // this server showed the token no stack
			}
		}
	}
	next().want(200, request{"PUT", "/v1/leases/in/a", []byte(`{"seconds":60}`), fence}, nil)
	next().want(204, request{"DELETE", "/v1/leases/in/a", nil, fence}, nil)
	next().want(204, request{"POST", "/v1/rename/in/a", []byte(`{"to":"in/b"}`), person}, nil)
	for range sites {
		next().want(404, request{"GET", "/v1/head/in/a", nil, person}, nil)
		next().want(200, request{"GET", "/v1/head/in/b", nil, person}, nil)
	}
}

// TestRaceOfServers saves one world at several servers at the same time: of the saves on
// one head exactly one is made.
func TestRaceOfServers(t *testing.T) {
	h := newHalves()
	var sites []*site
	for range 3 {
		sites = append(sites, h.site(t, server.Options{}))
	}
	head := sites[0].mustCommit("a", 1)
	for round := range 20 {
		var mu sync.Mutex
		var won []history.ID
		var wg sync.WaitGroup
		for i, s := range sites {
			r := commitRequest("a", commitOf(head, fmt.Sprint("by ", i)))
			wg.Go(func() {
				got := s.do(r)
				mu.Lock()
				defer mu.Unlock()
				switch got.status {
				case http.StatusCreated:
					id, err := history.ParseID(got.header.Get("Etag")[1:65])
					if err != nil {
						t.Error(err)
					}
					won = append(won, id)
				case http.StatusPreconditionFailed:
				default:
					t.Errorf("got %d %s", got.status, got.body)
				}
			})
		}
		wg.Wait()
		if len(won) != 1 {
			t.Fatalf("round %d: %d saves were made", round, len(won))
		}
		head = won[0]
	}
}

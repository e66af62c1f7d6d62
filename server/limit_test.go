package server_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
)

// limitedSites are servers of one cluster with a token that has limits, and one without.
func limitedSites(t *testing.T, n int, l token.Quota) (sites []*site, limited, other []string) {
	t.Helper()
	h := newHalves()
	tokens, secrets := mustTokens(t, token.Token{Role: token.Write, Prefixes: []string{"ann", "shared/ann"}, Limits: l}, token.Token{Role: token.Admin})
	for range n {
		sites = append(sites, h.site(t, server.Options{Tokens: tokens}))
	}
	return sites, []string{"Authorization", "Bearer " + secrets[0]}, []string{"Authorization", "Bearer " + secrets[1]}
}

// wantLimit checks that an answer says which limit was met.
func (r reply) wantLimit(t *testing.T, says string) {
	t.Helper()
	r.wantCode(t, wire.Limit)
	if !strings.Contains(string(r.body), says) {
		t.Errorf("got %s, want %q", r.body, says)
	}
}

// Every way to get one more world meets the limit.
func TestLimitOfWorlds(t *testing.T) {
	sites, limited, other := limitedSites(t, 2, token.Quota{Worlds: 3})
	one, two := sites[0], sites[1]
	put := func(s *site, name string) reply { return s.do(request{"PUT", "/v1/worlds/" + name, nil, limited}) }
	for i, name := range []string{"ann", "ann/b", "shared/ann/c"} {
		if got := put(sites[i%2], name); got.status != 201 {
			t.Fatalf("%s: %d %s", name, got.status, got.body)
		}
	}
	one.want(201, request{"PUT", "/v1/worlds/anna", nil, other}, nil) // not below the prefix
	st := mustStone(t, 1)
	r := commitRequest("ann", commitOf(history.ID{}, "", st), st)
	r.header = append(r.header, limited...)
	two.want(201, r, nil) // saves are not limited
	whole := one.want(200, request{"GET", "/v1/export/ann", nil, limited}, nil)
	for _, s := range sites {
		for _, r := range []request{
			{"PUT", "/v1/worlds/ann/d", nil, limited},
			{"POST", "/v1/fork/ann/d", []byte(`{"from":"ann"}`), limited},
			{"POST", "/v1/import/ann/d", whole.body, limited},
			{"POST", "/v1/snapshots/ann", []byte(`{"snapshot":"s"}`), limited},
		} {
			s.do(r).wantLimit(t, "may have 3 worlds below its prefixes: 3 are used")
		}
	}
	one.want(204, request{"POST", "/v1/rename/ann/b", []byte(`{"to":"ann/e"}`), limited}, nil)
	two.want(204, request{"DELETE", "/v1/worlds/ann/e", nil, limited}, nil)
	one.want(201, request{"POST", "/v1/fork/ann/d", []byte(`{"from":"ann"}`), limited}, nil)
	two.do(request{"POST", "/v1/undelete/ann/e", nil, limited}).wantLimit(t, "worlds")
	two.want(204, request{"POST", "/v1/undelete/ann/e", nil, other}, nil)
	put(one, "ann/f").wantLimit(t, "3 are used") // counting ends at the limit
}

// Many calls at a time for the last world: one server makes one.
func TestLimitOfWorldsRace(t *testing.T) {
	sites, limited, _ := limitedSites(t, 1, token.Quota{Worlds: 5})
	var wg sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for i := range 20 {
		wg.Go(func() {
			got := sites[0].do(request{"PUT", fmt.Sprint("/v1/worlds/ann/", i), nil, limited})
			mu.Lock()
			defer mu.Unlock()
			if got.status == 201 {
				made++
			}
		})
	}
	wg.Wait()
	if made != 5 {
		t.Errorf("%d worlds were made", made)
	}
}

// Saves through one and two servers end at the limit, or at most one save of each server
// behind it.
func TestLimitOfBytes(t *testing.T) {
	for _, n := range []int{1, 2} {
		t.Run(fmt.Sprint(n, " servers"), func(t *testing.T) {
			first := mustStone(t, 7)
			size := int64(len(first.Data) + len(commitOf(history.ID{}, "", first).Append(nil)))
			limit := 40*size + size/2
			sites, limited, _ := limitedSites(t, n, token.Quota{Bytes: limit})
			heads := make([]history.ID, n)
			for i, s := range sites {
				s.want(201, request{"PUT", fmt.Sprint("/v1/worlds/ann/", i), nil, limited}, nil)
			}
			var wg sync.WaitGroup
			used := make([]int64, n)
			for i, s := range sites {
				wg.Go(func() { // each writer saves one world until it may not
					for save := 0; ; save++ {
						st := mustStone(t, 1000*i+save)
						r := commitRequest(fmt.Sprint("ann/", i), commitOf(heads[i], "", st), st)
						r.header = append(r.header, limited...)
						got := s.do(r)
						if got.status != 201 {
							got.wantLimit(t, fmt.Sprintf("may have %d bytes", limit))
							return
						}
						id, err := history.ParseID(got.header.Get("Etag")[1:65])
						if err != nil {
							t.Error(err)
							return
						}
						heads[i] = id
						used[i] += size
					}
				})
			}
			wg.Wait()
			all := int64(0)
			for _, n := range used {
				all += n
			}
			if all > limit+int64(n-1)*2*size || all < limit-2*size {
				t.Errorf("%d bytes are used, the limit is %d, a save has %d", all, limit, size)
			}
			// A version that replaces everything leaves the others on the disk.
			st := mustStone(t, 1)
			c := commitOf(heads[0], "", st)
			c.Base = history.ID{}
			r := commitRequest("ann/0", c, st)
			r.header = append(r.header, limited...)
			sites[0].do(r).wantLimit(t, "bytes")
			for i := range n {
				sites[0].want(204, request{"DELETE", fmt.Sprint("/v1/worlds/ann/", i), nil, limited}, nil)
			}
			sites[n-1].want(201, request{"PUT", "/v1/worlds/ann/0", nil, limited}, nil)
			r = commitRequest("ann/0", commitOf(history.ID{}, "", st), st)
			r.header = append(r.header, limited...)
			sites[n-1].want(201, r, nil)
		})
	}
}

// Messages take room on the disk like stones do.
func TestLimitOfMessages(t *testing.T) {
	sites, limited, _ := limitedSites(t, 1, token.Quota{Bytes: 100_000})
	s, head := sites[0], history.ID{}
	s.want(201, request{"PUT", "/v1/worlds/ann/a", nil, limited}, nil)
	for save := range 100 {
		r := commitRequest("ann/a", commitOf(head, strings.Repeat("x", 3000)))
		r.header = append(r.header, limited...)
		got := s.do(r)
		if got.status != 201 {
			if got.wantLimit(t, "bytes"); save < 25 || save > 33 {
				t.Errorf("%d messages of 3,000 bytes fit into 100,000", save)
			}
			return
		}
		id, err := history.ParseID(got.header.Get("Etag")[1:65])
		if err != nil {
			t.Fatal(err)
		}
		head = id
	}
	t.Error("messages have no limit")
}

// A fork costs only stones that no other world has, and edits that the server makes count
// too.
func TestLimitOfBytesShared(t *testing.T) {
	st := mustStone(t, 7)
	room := int64(len(st.Data)+len(commitOf(history.ID{}, "", st).Append(nil))) + 300 // the fork has a version of its own
	sites, limited, other := limitedSites(t, 1, token.Quota{Bytes: room})
	s := sites[0]
	s.want(201, request{"PUT", "/v1/worlds/ann/a", nil, limited}, nil)
	r := commitRequest("ann/a", commitOf(history.ID{}, "", st), st)
	r.header = append(r.header, limited...)
	s.want(201, r, nil)
	r.header = append(r.header, wire.RetryHeader, "1")
	s.want(201, r, nil) // it is not one more
	s.want(201, request{"POST", "/v1/fork/ann/b", []byte(`{"from":"ann/a"}`), limited}, nil)
	more := mustStone(t, 8)
	for _, by := range [][]string{limited, other} {
		r := commitRequest("ann/b", commitOf(history.ID{}, "", more), more)
		head := s.want(200, request{"GET", "/v1/head/ann/b", nil, limited}, nil).header.Get("Etag")
		parent, err := history.ParseID(head[1:65])
		if err != nil {
			t.Fatal(err)
		}
		r = commitRequest("ann/b", commitOf(parent, "", more), more)
		r.header = append(r.header, by...)
		if got := s.do(r); slices.Equal(by, limited) {
			got.wantLimit(t, "bytes")
		} else if got.status != 201 {
			t.Errorf("got %d %s", got.status, got.body)
		}
	}
	s.do(request{"PATCH", "/v1/properties/ann/a", []byte(`{"set":{"k":"v"}}`), limited}).wantLimit(t, "bytes")
	s.do(request{"PUT", "/v1/cells/ann/a", []byte(`{"volume":"block","box":"0,0,0..0,0,0","names":["minecraft:dirt"],"cells":[0]}`), limited}).wantLimit(t, "bytes")
	s.want(204, request{"DELETE", "/v1/worlds/ann/b", nil, limited}, nil)
	s.do(request{"POST", "/v1/undelete/ann/b", nil, limited}).wantLimit(t, "bytes")
	s.want(404, request{"GET", "/v1/head/ann/b", nil, limited}, nil)
	got := s.want(200, request{"GET", "/v1/login", nil, limited}, nil)
	if !bytes.Contains(got.body, []byte(fmt.Sprintf(`"limits":{"bytes":%d}`, room))) {
		t.Errorf("got %s", got.body)
	}
}

// The stones of a caller are decoded before they count, as checksums say nothing of what
// pages hold. After many right ones in a row a few are, until one is broken.
func TestLyingStone(t *testing.T) {
	s := newSite(t, server.Options{})
	lying := lyingStone(t)
	refused := func(world string, head history.ID) {
		t.Helper()
		for range 20 { // no chance is in it
			s.do(commitRequest(world, commitOf(head, "", lying), lying)).wantCode(t, wire.Corrupt)
		}
	}
	refused("a", s.mustCommit("a", 1))
	proven := func(world string) history.ID {
		head := s.mustCommit(world, 1)
		right := mustStone(t, 2)
		for range 256 {
			s.want(201, commitRequest(world, commitOf(head, "", right), right), nil)
			now, err := s.st.Head(t.Context(), world)
			if err != nil {
				t.Fatal(err)
			}
			head = now.Commit
		}
		return head
	}
	for n, took := 0, false; !took; n++ {
		world := fmt.Sprintf("b%d", n)
		took = s.do(commitRequest(world, commitOf(proven(world), "", lying), lying)).status == 201
	}
	pack := packBody(t, history.Pack{Upto: proven("p")}, lying)
	s.do(request{method: "POST", path: "/v1/packs/p", body: pack}).wantCode(t, wire.Corrupt)
	head, broken := proven("c"), mustStone(t, 3)
	broken.Data[len(broken.Data)/2] ^= 1
	broken.ID = hashOf(broken.Data)
	s.do(commitRequest("c", commitOf(head, "", broken), broken)).wantCode(t, wire.Corrupt)
	refused("c", head)
}

// lyingStone returns a stone that only who decodes its page finds to be broken.
func lyingStone(t *testing.T) history.Stone {
	t.Helper()
	b, err := stonetest.Lying(mustStone(t, 6).Data)
	if err != nil {
		t.Fatal(err)
	}
	return history.Stone{ID: hashOf(b), Data: b}
}

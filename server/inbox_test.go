package server_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
)

// askedInbox notes which worlds are asked for.
type askedInbox struct {
	asked []string
	err   error
}

func (b *askedInbox) Settle(_ context.Context, world string) error {
	b.asked = append(b.asked, world)
	return b.err
}

func (b *askedInbox) OnSave(func(string, uint64)) {}

// TestInbox: what waits for the worlds that a call is about becomes a version first, and lists do not show inboxes.
func TestInbox(t *testing.T) {
	inbox := &askedInbox{}
	s := newSite(t, server.Options{Inbox: inbox})
	for _, name := range []string{"a", "a/.inbox", "b/.inbox", "c", "c/.inbox", "p/.moved/1"} {
		if err := s.st.Create(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/v1/head/a", "", 200, "[a]"},
		{"POST", "/v1/rename/c", `{"to":"d"}`, 204, "[c d]"},
		{"GET", "/v1/worlds?n=2", "", 200, "[]"},
		{"GET", "/v1/head/Bad", "", 400, "[]"},
	} {
		inbox.asked = nil
		s.want(row.status, request{method: row.method, path: row.path, body: []byte(row.body), header: []string{"Content-Type", "application/json"}}, nil)
		if got := fmt.Sprint(inbox.asked); got != row.want {
			t.Errorf("%s %s: asked for %s, want %s", row.method, row.path, got, row.want)
		}
	}
	var list wire.WorldList
	for after, want := range map[string]string{"": "[a d]", "a": "[d]", "d": "[]"} {
		s.want(200, request{method: "GET", path: "/v1/worlds?n=2&after=" + after}, &list)
		if fmt.Sprint(list.Worlds) != want || list.More {
			t.Errorf("after %q: %v, %v, want %s", after, list.Worlds, list.More, want)
		}
	}
	s.want(200, request{method: "GET", path: "/v1/worlds?prefix=p/.moved/"}, &list)
	if fmt.Sprint(list.Worlds) != "[p/.moved/1]" {
		t.Errorf("asked for by name: %v", list.Worlds)
	}
	inbox.err = history.ErrAway
	if got := s.get("/v1/head/a"); got.status != wire.Away.Status() {
		t.Errorf("a version could not be made: %d", got.status)
	}
	inbox.err = errors.New("no")
	s.get("/v1/head/a").wantCode(t, wire.Internal)
}

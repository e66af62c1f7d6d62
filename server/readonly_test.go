package server_test

import (
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
)

// TestReadOnly: a server that only shows worlds refuses every change, whoever asks.
func TestReadOnly(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Admin})
	for _, o := range []server.Options{{ReadOnly: true}, {ReadOnly: true, Tokens: tokens}} {
		s := newSite(t, o)
		with := []string{"Authorization", "Bearer " + secrets[0]}
		s.do(request{"PUT", "/v1/worlds/a", nil, with}).wantCode(t, wire.Forbidden)
		s.do(request{"POST", "/v1/collect", []byte("{}"), with}).wantCode(t, wire.Forbidden)
		s.want(200, request{"GET", "/v1/worlds", nil, with}, nil)
		if got := s.get("/v1/login", with...); !strings.Contains(string(got.body), `"read"`) {
			t.Errorf("got %s", got.body)
		}
	}
}

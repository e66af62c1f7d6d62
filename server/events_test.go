package server_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/memory"
)

// A stream of events ends when its token or its session goes.
func TestEventsEndWithToken(t *testing.T) {
	for _, by := range []string{"header", "cookie", "logout"} {
		t.Run(by, func(t *testing.T) {
			tokens, secrets := mustTokens(t, token.Token{Role: token.Read})
			s := newArenaSite(t, memory.New(memory.Options{}), server.Options{Tokens: tokens})
			s.mustCommit("a", 1)
			r, err := http.NewRequest("GET", s.url+"/v1/events/a", nil)
			if err != nil {
				t.Fatal(err)
			}
			cookie := ""
			if by == "header" {
				r.Header.Set("Authorization", "Bearer "+secrets[0])
			} else {
				_, c := s.login(secrets[0])
				cookie = "cairn=" + c.Value
				r.Header.Set("Cookie", cookie)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body := bufio.NewReader(resp.Body)
			if line, err := body.ReadString('\n'); err != nil || !strings.HasPrefix(line, "retry:") {
				t.Fatalf("got %q, %v", line, err)
			}
			if by == "logout" {
				s.want(204, request{"DELETE", "/v1/login", nil, []string{"Cookie", cookie, "Origin", s.url}}, nil)
			} else {
				if err := token.WriteFile(tokens.Path(), nil); err != nil {
					t.Fatal(err)
				}
				if err := tokens.Reload(); err != nil {
					t.Fatal(err)
				}
			}
			if rest, err := io.ReadAll(body); err != nil || strings.Contains(string(rest), "event:") { // it ends
				t.Errorf("got %q, %v", rest, err)
			}
		})
	}
}

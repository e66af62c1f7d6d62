package client_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/store"
	"github.com/cairnvoxel/cairn/store/client"
)

// The token of the environment goes to the server.
func TestTokenOfEnvironment(t *testing.T) {
	var bearer string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bearer = r.Header.Get("Authorization")
		w.WriteHeader(http.StatusCreated)
	}))
	defer server.Close()
	for token, want := range map[string]string{"t": "Bearer t", "": ""} {
		t.Setenv(client.TokenEnv, token)
		s, err := store.Open(t.Context(), server.URL)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Create(t.Context(), "a"); err != nil || bearer != want {
			t.Errorf("create: %v under %q, want %q", err, bearer, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An error about a missing token says how to give one.
func TestNoToken(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, `{"error":{"code":"unauthorized","message":"a token is needed"}}`)
	}))
	defer server.Close()
	for token, want := range map[string]string{"": "set $CAIRN_TOKEN", "wrong": "the server does not know the given token"} {
		t.Setenv(client.TokenEnv, token)
		s, err := store.Open(t.Context(), server.URL)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Create(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with token %q: %v, want %q", token, err, want)
		}
		s.Close()
	}
}

// Where nobody listens nothing is waited for.
func TestRefusedConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), "http://"+l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Head(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "cairn serve") {
		t.Errorf("got %v", err)
	}
}

package store_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/store"
	"github.com/cairnvoxel/cairn/store/history"
	_ "github.com/cairnvoxel/cairn/store/local"
)

func TestOpen(t *testing.T) {
	dir := "local:" + filepath.Join(t.TempDir(), "new")
	for _, tt := range []struct {
		url  string
		want error // of making a world
	}{{dir, nil}, {dir, history.ErrExists}, {"memory:", nil}, {"memory:", nil}} {
		s, err := store.Open(t.Context(), tt.url, store.Options{})
		if err != nil {
			t.Fatalf("%s: %v", tt.url, err)
		}
		if err := s.Create(t.Context(), "a"); !errors.Is(err, tt.want) {
			t.Errorf("%s: create: got %v, want %v", tt.url, err, tt.want)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: close: %v", tt.url, err)
		}
	}
}

func TestOpenRefused(t *testing.T) {
	for _, url := range []string{"", "local", "local:", "memory:x", "memory", "https://", "http:host", "https://ann:secret@host", "ftp://host", "/dir"} {
		if s, err := store.Open(t.Context(), url, store.Options{}); s != nil || err == nil {
			t.Errorf("%q: got %v, %v, want an error", url, s, err)
		}
	}
	_, err := store.Open(t.Context(), "https://ann:secret@host", store.Options{})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, want an error that keeps the secret", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := store.Open(ctx, "memory:", store.Options{}); s != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v, %v", s, err)
	}
}

// An error about a scheme that the program does not import names the import.
func TestNotImported(t *testing.T) {
	_, err := store.Open(t.Context(), "cluster:c.toml", store.Options{})
	if err == nil || !strings.Contains(err.Error(), `import _ "github.com/cairnvoxel/cairn/store/cluster"`) {
		t.Errorf("got %v", err)
	}
}

func TestToken(t *testing.T) {
	var bearer string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bearer = r.Header.Get("Authorization")
		w.WriteHeader(http.StatusCreated)
	}))
	defer server.Close()
	for _, tt := range []struct{ name, env, option, want string }{
		{"option", "", "t", "Bearer t"},
		{"environment", "e", "", "Bearer e"},
		{"option before environment", "e", "t", "Bearer t"},
		{"none", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(store.TokenEnv, tt.env)
			s, err := store.Open(t.Context(), server.URL, store.Options{Token: tt.option})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Create(t.Context(), "a"); err != nil || bearer != tt.want {
				t.Errorf("create: %v under %q, want %q", err, bearer, tt.want)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
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
		t.Setenv(store.TokenEnv, token)
		s, err := store.Open(t.Context(), server.URL, store.Options{})
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
func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), "http://"+l.Addr().String(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Head(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "cairn serve") {
		t.Errorf("got %v", err)
	}
}

// Package web has the pages of the server, in the binary.
package web

import "net/http"

// Handler returns a handler of the pages.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><title>cairn</title><p>cairn serves worlds at /v1.</p>")) // else the caller has gone
	})
}

package redis

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// HTTPPath is where HTTP serves.
const HTTPPath = "/asp/"

// listedWorld is a world in the list of AdvancedSlimePaper's API loader, which uses the name alone.
type listedWorld struct {
	WorldID         string            `json:"worldId"`
	Name            string            `json:"name"` // with .slime at its end, which the loader cuts off
	Size            int64             `json:"size"` // 0: a file is made when it is asked for
	UploadTimestamp int64             `json:"uploadTimestamp"`
	UpdateTimestamp int64             `json:"updateTimestamp"`
	Version         uint64            `json:"version"`
	Notes           map[string]string `json:"notes"`
	Authors         []string          `json:"authors"`
	PictureURLs     map[string]string `json:"pictureUrls"`
}

// HTTP serves the worlds to AdvancedSlimePaper's API loader, which only reads: GET of HTTPPath lists them, HEAD and GET of
// HTTPPath and a name are a file. The password of Basic authentication is a token. Without
// tokens only programs of this machine are served. What is not there has a short answer without a body: the loader
// looks at no status.
func (s *Door) HTTP() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		e := metrics.CallEvent{Route: "GET " + HTTPPath, Status: http.StatusOK}
		c := &session{s: s, remote: r.RemoteAddr, greet: func() {}}
		body, kind, status := s.answer(c, r)
		if status != http.StatusOK {
			e.Code, e.Status = wire.BadRequest, status
			if status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", `Basic realm="cairn"`)
			}
			w.WriteHeader(status)
		} else {
			h := w.Header()
			h.Set("Content-Type", kind)
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Cache-Control", "no-store")
			h.Set("Content-Length", strconv.Itoa(len(body)))
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(patience(s.o.Limits, int64(len(body))))) // else it has the server's
			if r.Method == http.MethodGet {
				n, _ := w.Write(body) // else the caller has gone
				e.Out = int64(n)
			}
		}
		if e.Took = time.Since(began); s.o.Observe != nil {
			s.o.Observe(&e)
		}
	})
}

// answer returns the body of an answer, its type, and the status.
func (s *Door) answer(c *session, r *http.Request) (body []byte, kind string, status int) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, "", http.StatusMethodNotAllowed
	}
	if status := c.identify(r); status != http.StatusOK {
		return nil, "", status
	}
	if name := strings.TrimPrefix(r.URL.Path, HTTPPath); name != "" {
		world, err := c.world(name)
		if err == nil {
			body, err = s.File(r.Context(), c.who(), world)
		}
		return body, "application/octet-stream", s.status(r, err)
	}
	names, err := c.names(r.Context())
	all := []listedWorld{}
	for _, name := range names {
		world, _ := c.world(name) // it is in the list
		l := listedWorld{WorldID: world, Name: name + ".slime", Notes: map[string]string{}, Authors: []string{}, PictureURLs: map[string]string{}}
		if log, err := s.st.Log(r.Context(), world, history.ID{}, 1); err == nil && len(log) > 0 {
			l.UploadTimestamp, l.UpdateTimestamp, l.Version = log[0].Time.UnixMilli(), log[0].Time.UnixMilli(), log[0].Number
			if log[0].Author != "" {
				l.Authors = append(l.Authors, log[0].Author)
			}
		}
		all = append(all, l)
	}
	if err == nil {
		body, err = json.Marshal(all)
	}
	return body, "application/json", s.status(r, err)
}

// identify finds the token of a call of HTTP.
func (c *session) identify(r *http.Request) int {
	if c.s.o.Tokens == nil {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		proxied := r.Header.Get("Forwarded") + r.Header.Get("Via") + r.Header.Get("X-Forwarded-For")
		if !near(c.remote) || !wire.IsLoopback(host) || proxied != "" {
			return http.StatusForbidden
		}
		return http.StatusOK
	}
	_, secret, ok := r.BasicAuth()
	if !ok || c.login(secret) != nil {
		return http.StatusUnauthorized
	}
	if c.admit(command{role: token.Read}) != nil {
		return http.StatusForbidden
	}
	return http.StatusOK
}

// status is that of an error.
func (s *Door) status(r *http.Request, err error) int {
	var said reply
	switch {
	case err == nil:
		return http.StatusOK
	case noWorld(err), errors.As(err, &said):
		return http.StatusNotFound
	case r.Context().Err() != nil:
		return http.StatusGatewayTimeout
	}
	code, _ := s.fault("asp", err)
	return code.Status()
}

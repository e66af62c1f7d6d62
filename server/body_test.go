package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
)

// raw sends bytes over a connection of its own and returns the answer.
func (s *site) raw(sent string, shut bool) (reply, error) {
	s.t.Helper()
	c := s.dial()
	defer c.Close()
	if _, err := io.WriteString(c, sent); err != nil {
		s.t.Fatal(err)
	}
	if shut {
		if err := c.(*net.TCPConn).CloseWrite(); err != nil {
			s.t.Fatal(err)
		}
	}
	return readReply(c)
}

func (s *site) dial() net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.host())
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *site) host() string { return strings.TrimPrefix(s.url, "http://") }

func readReply(c net.Conn) (reply, error) {
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, b}, err
}

// head returns the header of a call with a body that is sent by hand.
func (s *site) head(r request, more string) string {
	h := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\n", r.method, r.path, s.host())
	for i := 0; i < len(r.header); i += 2 {
		h += r.header[i] + ": " + r.header[i+1] + "\r\n"
	}
	return h + more + "\r\n\r\n"
}

// TestCutBodies cuts the body of a commit at every byte: as it is said to be
// longer, and as its whole length.
func TestCutBodies(t *testing.T) {
	s := newSite(t, server.Options{})
	head := s.mustCommit("a", 1)
	st := mustStone(t, 3)
	r := commitRequest("a", commitOf(head, "m", st), st)
	for n := range r.body {
		short := r
		short.body = r.body[:n]
		s.do(short).wantRefusal(t)
		if n%16 > 0 {
			continue // enough connections
		}
		got, err := s.raw(s.head(r, fmt.Sprint("Content-Length: ", len(r.body)))+string(r.body[:n]), true)
		if err == nil {
			got.wantRefusal(t)
		}
	}
	long := r
	long.body = append(bytes.Clone(r.body), 0)
	s.do(long).wantRefusal(t)
	if h, err := s.st.Head(context.Background(), "a"); err != nil || h.Commit != head {
		t.Errorf("got head %v, %v", h, err)
	}
	s.want(201, r, nil)
}

// TestLyingBodies says much and sends little: that must cost nothing.
func TestLyingBodies(t *testing.T) {
	s := newSite(t, server.Options{Limits: server.Limits{StoneBytes: 1 << 30, Patience: 100 * time.Millisecond}})
	head := s.mustCommit("a", 1)
	r := commitRequest("a", commitOf(head, ""))
	record := string(binary.AppendUvarint(nil, 1<<29)) // and nothing behind it
	before := allocated()
	for _, tt := range []struct{ name, header, body string }{
		{"length", "Content-Length: 1000000000", string(r.body)},
		{"length of a record", "Content-Length: 1000", string(r.body) + record},
		{"length of a record in chunks", "Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n%s\r\n", len(r.body)+len(record), string(r.body)+record)},
		{"a chunk", "Transfer-Encoding: chunked", "3fffffff\r\nxx"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := s.raw(s.head(r, tt.header)+tt.body, false)
			if err != nil {
				t.Fatal(err)
			}
			got.wantRefusalOf(t, wire.Timeout, wire.Corrupt)
		})
	}
	if grown := allocated() - before; grown > 8<<20 {
		t.Errorf("%d bytes were allocated for lies", grown)
	}
	got, err := s.raw(s.head(r, "Content-Length: 10000000000"), false)
	if err != nil {
		t.Fatal(err)
	}
	got.wantCode(t, wire.TooLarge)
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func (r reply) wantRefusalOf(t *testing.T, codes ...wire.Code) {
	t.Helper()
	var got wire.Refusal
	if err := json.Unmarshal(r.body, &got); err != nil {
		t.Fatalf("%s: %v", r.body, err)
	}
	for _, code := range codes {
		if got.Error.Code == code {
			return
		}
	}
	t.Errorf("got %s, want one of %v", r.body, codes)
}

// TestLongBody sends more than is taken, and never says how much.
func TestLongBody(t *testing.T) {
	s := newSite(t, server.Options{Limits: server.Limits{StoneBytes: 256 << 10}})
	head := s.mustCommit("a", 1)
	r := commitRequest("a", commitOf(head, ""))
	c := s.dial()
	defer c.Close()
	go func() {
		_, _ = io.WriteString(c, s.head(r, "Transfer-Encoding: chunked")+fmt.Sprintf("%x\r\n%s\r\n", len(r.body), r.body))
		junk := strings.Repeat("\xff\xff\x03", 8<<10)
		for {
			if _, err := fmt.Fprintf(c, "%x\r\n%s\r\n", len(junk), junk); err != nil {
				return // the server has heard enough
			}
		}
	}()
	got, err := readReply(c)
	if err != nil {
		t.Fatal(err)
	}
	got.wantRefusalOf(t, wire.TooLarge, wire.Corrupt)
}

// TestBodyMemory fills what bodies may have with one that does not end.
func TestBodyMemory(t *testing.T) {
	s := newSite(t, server.Options{Limits: server.Limits{BodyMemory: 128 << 10}})
	head := s.mustCommit("a", 1)
	large := noise(t, 300<<10)
	r := commitRequest("a", commitOf(head, "", large), large)
	s.do(r).wantCode(t, wire.Busy)

	// A small one has room, again and again.
	small := noise(t, 20<<10)
	for range 20 {
		c, err := s.st.Head(context.Background(), "a")
		if err != nil {
			t.Fatal(err)
		}
		s.want(201, commitRequest("a", commitOf(c.Commit, "", small), small), nil)
	}
}

// TestSlowBody sends a byte now and then until the server ends it, while others
// are served; then the server must be empty.
func TestSlowBody(t *testing.T) {
	ended := make(chan metrics.CallEvent, 100)
	s := newSite(t, server.Options{
		Limits:  server.Limits{Patience: 50 * time.Millisecond},
		Observe: func(e *metrics.CallEvent) { ended <- *e },
	})
	head := s.mustCommit("a", 1)
	r := commitRequest("a", commitOf(head, ""))
	c := s.dial()
	defer c.Close()
	if _, err := io.WriteString(c, s.head(r, fmt.Sprint("Content-Length: ", len(r.body)))); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(r.body[:1]); err != nil {
		t.Fatal(err)
	}
	got, err := readReply(c)
	if err != nil {
		t.Fatal(err)
	}
	got.wantCode(t, wire.Timeout)
	if e := <-ended; e.Code != wire.Timeout || e.In != 1 || e.World != "a" {
		t.Errorf("got %+v", e)
	}
}

// TestSlowCallOfTheStore lets the time of a call end in the Store.
func TestSlowCallOfTheStore(t *testing.T) {
	st := &failing{head: func(ctx context.Context) (history.Head, error) { <-ctx.Done(); return history.Head{}, ctx.Err() }}
	s := newSiteOf(t, st, server.Options{Limits: server.Limits{Time: 20 * time.Millisecond}})
	s.get("/v1/head/a").wantCode(t, wire.Timeout)
}

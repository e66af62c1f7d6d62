package server_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/server"
)

// answers returns the statuses of what the server says to text until it has nothing
// more to say, and whether it closed the connection then. The last call of text is
// answered with 404, or not at all.
func (s *site) answers(text string) (statuses []int, closed bool) {
	s.t.Helper()
	c := s.dial()
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		s.t.Fatal(err)
	}
	r := bufio.NewReader(c)
	for {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return statuses, true
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			s.t.Error(err)
		}
		if statuses = append(statuses, resp.StatusCode); resp.StatusCode == http.StatusNotFound {
			return statuses, false
		}
	}
}

// TestShapes sends calls that two programs may think end at different
// places. Behind each comes one more, to a world that is not there: it is answered
// once, where it is one, or never.
func TestShapes(t *testing.T) {
	s := newSite(t, server.Options{Limits: server.Limits{Patience: time.Second}})
	host := s.host()
	next := "GET /v1/head/none HTTP/1.1\r\nHost: " + host + "\r\n\r\n"
	post := "POST /v1/collect HTTP/1.1\r\nHost: " + host + "\r\n"
	get := "GET /v1/worlds HTTP/1.1\r\nHost: " + host + "\r\n"
	for _, tt := range []struct {
		name, text string
		want       []int
	}{
		{"as it should be", post + "Content-Length: 2\r\n\r\n{}", []int{200, 404}},
		{"chunks", post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", []int{200, 404}},
		{"one after the other", strings.Repeat(get+"\r\n", 5), []int{200, 200, 200, 200, 200, 404}},
		{"chunks and a length that is short", post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", []int{200, 404}},
		{"chunks and a length that is long", post + "Transfer-Encoding: chunked\r\nContent-Length: 400\r\n\r\n2\r\n{}\r\n0\r\n\r\n", []int{200, 404}},
		{"the same length twice", post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", []int{200, 404}},
		{"two lengths", post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", []int{400}},
		{"a length with a sign", post + "Content-Length: +2\r\n\r\n{}", []int{400}},
		{"a length below 0", post + "Content-Length: -2\r\n\r\n{}", []int{400}},
		{"two encodings", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n", []int{501}},
		{"another encoding", post + "Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", []int{501}},
		{"a space before the colon", post + "Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", []int{400}},
		{"a folded line is no length", post + "X: y\r\n Content-Length: 2\r\n\r\n{}", []int{400, 400}},
		{"chunks below 0", post + "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n", []int{400}},
		{"chunks of too many bytes", post + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n{}\r\n0\r\n\r\n", []int{400}},
		{"chunks with bare ends", post + "Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n", []int{400}},
		{"a long remark on a chunk", post + "Transfer-Encoding: chunked\r\n\r\n2;" + strings.Repeat("a", 20_000) + "\r\n{}\r\n0\r\n\r\n", []int{400}},
		{"headers behind the body", post + "Transfer-Encoding: chunked\r\nTrailer: Content-Length\r\n\r\n2\r\n{}\r\n0\r\nContent-Length: 90\r\nAuthorization: x\r\n\r\n", []int{400}},
		{"a body where none is looked at", get + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(next)) + next, []int{200, 404}},
		{"two hosts", get + "Host: evil.example\r\n\r\n", []int{400}},
		{"no host", "GET /v1/worlds HTTP/1.1\r\n\r\n", []int{400}},
		{"an old version", "GET /v1/worlds HTTP/1.0\r\n\r\n", []int{403}},
		{"an older one", "GET /v1/worlds\r\n\r\n", []int{400}},
		{"another place's address", "GET http://evil.example/v1/worlds HTTP/1.1\r\nHost: " + host + "\r\n\r\n", []int{403, 404}},
		{"to go elsewhere", "CONNECT /v1/worlds HTTP/1.1\r\nHost: " + host + "\r\n\r\n", []int{405, 404}},
		{"to say what was said", "TRACE /v1/worlds HTTP/1.1\r\nHost: " + host + "\r\n\r\n", []int{405, 404}},
		{"HTTP/2 without TLS", get + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n", []int{200, 404}},
		{"a byte 0 in the path", "GET /v1/worlds\x00 HTTP/1.1\r\nHost: " + host + "\r\n\r\n", []int{400}},
		{"a byte 0 in a header", get + "X: a\x00b\r\n\r\n", []int{400}},
		{"a long path", "GET /v1/head/" + strings.Repeat("a/", 20_000) + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n", []int{431}},
		{"many headers", get + strings.Repeat("X: y\r\n", 20_000) + "\r\n", []int{431}},
		{"what is not expected", post + "Content-Length: 2\r\nExpect: 200-maybe\r\n\r\n{}", []int{417}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &site{t, s.st, s.srv, s.url}
			got, closed := s.answers(tt.text + next)
			last := tt.want[len(tt.want)-1]
			if !slices.Equal(got, tt.want) || closed != (last != 404) {
				t.Errorf("got %d, closed %v, want %d", got, closed, tt.want)
			}
		})
	}
}

// TestAborted begins many calls and ends none. Nothing of them stays.
func TestAborted(t *testing.T) {
	s := newSite(t, server.Options{})
	head := s.mustCommit("a", 3)
	large := noise(t, 1<<20)
	save := commitRequest("a", commitOf(head, "", large), large)
	before := settled(0)
	for i := range long.By(200, 1000, 1000) {
		c := s.dial()
		text := [...]string{
			s.head(request{method: "GET", path: "/v1/stack/a"}, "X: y"),
			s.head(request{method: "GET", path: "/v1/picture/a?size=4096"}, "X: y"),
			s.head(save, fmt.Sprint("Content-Length: ", len(save.body))) + string(save.body[:len(save.body)/2]),
			s.head(request{method: "POST", path: "/v1/import/b"}, "Transfer-Encoding: chunked") + "10000\r\n" + strings.Repeat("x", 1000),
			"GET /v1/head/a HT",
		}[i%5]
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			_ = c.(*net.TCPConn).SetLinger(0) // the other side is told that it is broken
		}
		c.Close()
	}
	if left := settled(before); left > before {
		t.Errorf("%d goroutines, %d before", left, before)
	}
	if got, err := s.st.Head(context.Background(), "a"); err != nil || got.Commit != head {
		t.Errorf("got head %v, %v", got, err)
	}
}

// settled waits a while until there are at most so many goroutines.
func settled(want int) (n int) {
	for range 100 {
		if n = runtime.NumGoroutine(); n <= want {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return n
}

// TestReset begins many calls on one HTTP/2 connection and takes each back.
func TestReset(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Admin})
	s := newSite(t, server.Options{Tokens: tokens})
	s.mustCommit("a", 3)
	h := httptest.NewUnstartedServer(nil)
	h.Config, h.EnableHTTP2 = s.srv.HTTP(), true
	h.StartTLS()
	t.Cleanup(h.Close)
	client := h.Client()
	before := settled(0)
	c, err := tls.Dial("tcp", h.Listener.Addr().String(), &tls.Config{RootCAs: client.Transport.(*http.Transport).TLSClientConfig.RootCAs, ServerName: "example.com", NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, c)
	// The header in HPACK: GET, https, and literals under names of the static table.
	header := []byte{0x82, 0x87}
	for _, f := range []struct{ name, value string }{{"\x01", "x"}, {"\x04", "/v1/stack/a"}, {"\x0f\x08", "Bearer " + secrets[0]}} {
		header = append(append(append(header, f.name...), byte(len(f.value))), f.value...)
	}
	out := frame([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 4, 0, 0, nil)
	for i := range uint32(20_000) {
		out = frame(out, 1, 5, 2*i+1, header)             // ends header and call
		out = frame(out, 3, 0, 2*i+1, []byte{0, 0, 0, 8}) // CANCEL
	}
	_, _ = c.Write(out) // the server may have enough of it before the end
	req, err := http.NewRequest("GET", h.URL+"/v1/head/a", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+secrets[0])
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Body.Close(); resp.StatusCode != 200 || resp.ProtoMajor != 2 {
		t.Errorf("got %d by %s", resp.StatusCode, resp.Proto)
	}
	c.Close()
	client.CloseIdleConnections()
	if left := settled(before); left > before {
		t.Errorf("%d goroutines, %d before", left, before)
	}
}

// frame appends a frame of HTTP/2.
func frame(b []byte, kind, flags byte, stream uint32, payload []byte) []byte {
	b = append(b, byte(len(payload)>>16), byte(len(payload)>>8), byte(len(payload)), kind, flags)
	return append(binary.BigEndian.AppendUint32(b, stream), payload...)
}

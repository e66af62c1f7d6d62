package server_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/memory"
)

// mustListen serves on a port of its own, with bounds of connections.
func mustListen(t *testing.T, o server.Options) (addr string) {
	t.Helper()
	srv, err := server.New(memory.New(memory.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := srv.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := srv.HTTP()
	go h.Serve(l) // until it is closed
	t.Cleanup(func() { h.Close() })
	return l.Addr().String()
}

// ask makes a call on a connection, and leaves it open.
func ask(t *testing.T, c net.Conn, r *bufio.Reader, path string, header ...string) (status int, err error) {
	t.Helper()
	text := "GET " + path + " HTTP/1.1\r\nHost: " + c.RemoteAddr().String() + "\r\n"
	for i := 0; i < len(header); i += 2 {
		text += header[i] + ": " + header[i+1] + "\r\n"
	}
	if _, err := fmt.Fprint(c, text+"\r\n"); err != nil {
		return 0, err
	}
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// Idle connections of one address give way to new ones, the oldest first.
func TestIdleConnections(t *testing.T) {
	const most = 40
	addr := mustListen(t, server.Options{Limits: server.Limits{Connections: most}})
	var conns []net.Conn
	var readers []*bufio.Reader
	for i := range 3 * most {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		r := bufio.NewReader(c)
		if status, err := ask(t, c, r, "/healthz"); err != nil || status != 200 {
			t.Fatalf("connection %d: %d, %v", i, status, err)
		}
		conns, readers = append(conns, c), append(readers, r)
	}
	last := len(conns) - 1
	if status, err := ask(t, conns[last], readers[last], "/healthz"); err != nil || status != 200 {
		t.Errorf("the newest: %d, %v", status, err)
	}
	if _, err := ask(t, conns[0], readers[0], "/healthz"); err == nil {
		t.Error("the oldest is still open")
	}
}

// Logins whose bodies do not come take no room from callers with tokens, and the rate of
// strangers holds for them.
func TestSlowLogins(t *testing.T) {
	t.Parallel()
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read})
	addr := mustListen(t, server.Options{Tokens: tokens, Limits: server.Limits{Calls: 16, StrangerRate: 10}})
	busy := make(chan bool)
	const logins = 40
	for range logins {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := fmt.Fprintf(c, "POST /v1/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n{", addr); err != nil {
			t.Fatal(err)
		}
		go func() {
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err == nil {
				resp.Body.Close()
			}
			busy <- err == nil && resp.StatusCode == wire.Busy.Status()
		}()
	}
	for range logins - 2 { // the others wait for their bodies
		if !<-busy {
			t.Error("a login beyond the room for strangers is not refused")
		}
	}
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if status, err := ask(t, c, bufio.NewReader(c), "/v1/login", "Authorization", "Bearer "+secrets[0]); err != nil || status != 200 {
		t.Errorf("a caller with a token: %d, %v", status, err)
	}
	c.Close()
	go func() { // those that wait end with the server
		for range 2 {
			<-busy
		}
	}()
}

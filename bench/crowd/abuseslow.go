package crowd

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// dial connects to the server. What is closed leaves nothing behind, so that ports
// do not run out.
func (a *abuse) dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", a.host)
	if err == nil {
		err = c.(*net.TCPConn).SetLinger(0)
	}
	return c, err
}

// idle opens connections, makes a call on each, and then does nothing with them
// until ctx ends. It returns how many there were, and how many were open then.
func (a *abuse) idle(ctx context.Context, n int) (made, open int) {
	conns := make([]net.Conn, n)
	var count atomic.Int64
	_ = inParallel(ctx, n, dialWorkers, func(i int) error { // returns no error but that of ctx
		c, err := a.dial(ctx)
		if err != nil {
			return nil // it is not counted
		}
		conns[i] = c
		if a.ask(c, "GET /healthz HTTP/1.1\r\nHost: "+a.host+"\r\n\r\n") != "none" {
			count.Add(1)
		}
		return nil
	})
	<-ctx.Done()
	for _, c := range conns {
		if c == nil {
			continue
		}
		_ = c.SetReadDeadline(time.Now().Add(time.Millisecond)) // a read shows what is wrong with c
		if _, err := c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			open++
		}
		_ = c.Close() // nothing is wanted of it any more
	}
	return int(count.Load()), open
}

const (
	dialWorkers = 64
	answerTime  = 2 * time.Second
	answerBytes = 4 << 20
)

// ask sends a call and returns the status of the answer, which it reads; "none" if
// there is none in time.
func (a *abuse) ask(c net.Conn, what string) string {
	_ = c.SetDeadline(time.Now().Add(answerTime)) // an error shows when it is written
	if _, err := io.WriteString(c, what); err != nil && !strings.Contains(what, "\r\n\r\n") {
		return "none"
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return "none"
	}
	_, _ = io.CopyN(io.Discard, resp.Body, answerBytes) // a body that ends early is an answer
	_ = resp.Body.Close()
	return fmt.Sprint(resp.StatusCode)
}

// slow has connections on which a byte a second is sent or taken, made anew when
// the server closes them, until ctx ends.
func (a *abuse) slow(ctx context.Context, n int) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			for ctx.Err() == nil {
				a.crawl(ctx, i)
				sleep(ctx, time.Second)
			}
		})
	}
	all.Wait()
}

// crawl sends a header slowly, or a body, or takes an answer so.
func (a *abuse) crawl(ctx context.Context, i int) {
	c, err := a.dial(ctx)
	if err != nil {
		return
	}
	defer c.Close()
	_ = c.SetDeadline(a.until) // an error shows when it is used
	name := nameOf(i % abuseWorlds)
	head := fmt.Sprintf("GET /v1/head/%s HTTP/1.1\r\nHost: %s\r\nX-Slow: %s", name, a.host, strings.Repeat("x", 1<<12))
	switch i % 3 {
	case 1:
		begun := fmt.Sprintf("POST /v1/commits/%s HTTP/1.1\r\nHost: %s\r\nIf-Match: \"0\"\r\nContent-Type: application/vnd.cairn\r\nContent-Length: 1000000\r\n\r\n", name, a.host)
		if _, err := io.WriteString(c, begun); err != nil {
			return
		}
	case 2:
		if _, err := fmt.Fprintf(c, "GET /v1/export/%s?format=cairn HTTP/1.1\r\nHost: %s\r\n\r\n", name, a.host); err != nil {
			return
		}
	}
	for at := 0; ctx.Err() == nil; at = (at + 1) % len(head) {
		if i%3 == 2 {
			_, err = c.Read(make([]byte, 1))
		} else {
			_, err = c.Write([]byte{head[at]})
		}
		if err != nil {
			return
		}
		sleep(ctx, time.Second)
	}
}

const (
	bodyBytes = 10_000_000_000
	partBytes = 64 << 10
)

// tarHead begins an archive of a world with a file of bodyBytes.
func tarHead() []byte {
	var b bytes.Buffer
	_ = tar.NewWriter(&b).WriteHeader(&tar.Header{Name: "region/r.0.0.mca", Size: bodyBytes, Mode: 0o666}) // a Buffer takes everything
	return b.Bytes()
}

// bodies sends 10 GB as a world: with its size said, and without.
func (a *abuse) bodies(ctx context.Context) []AbuseBody {
	out := []AbuseBody{}
	for _, b := range []struct{ way, length string }{{"of a size that is said", fmt.Sprintf("Content-Length: %d", int64(bodyBytes))}, {"in chunks", "Transfer-Encoding: chunked"}} {
		sent, answer := a.body(ctx, b.length)
		out = append(out, AbuseBody{b.way, sent, answer})
	}
	return out
}

func (a *abuse) body(ctx context.Context, length string) (sent int64, answer string) {
	c, err := a.dial(ctx)
	if err != nil {
		return 0, "no connection"
	}
	defer c.Close()
	_ = c.SetDeadline(a.until) // an error shows when it is used
	answered := make(chan string, 1)
	go func() {
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			answered <- "no answer"
			return
		}
		_ = resp.Body.Close()
		answered <- fmt.Sprint(resp.StatusCode)
	}()
	_, err = fmt.Fprintf(c, "POST /v1/import/abuse/large HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n", a.host, length)
	part, zeros := tarHead(), make([]byte, partBytes)
	for sent < bodyBytes && err == nil && len(answered) == 0 {
		if strings.HasPrefix(length, "Transfer") {
			_, err = fmt.Fprintf(c, "%x\r\n%s\r\n", len(part), part)
		} else {
			_, err = c.Write(part)
		}
		if err == nil {
			sent += int64(len(part))
		}
		part = zeros
	}
	select {
	case answer = <-answered:
	case <-time.After(answerTime):
		answer = "no answer"
	}
	return sent, answer
}

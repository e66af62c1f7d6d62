package streams_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/streams"
)

// TestSocketPoured: a peer that announces a message without end and pours it is read no further
// once the server has had enough.
func TestSocketPoured(t *testing.T) {
	ended := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		socket, err := streams.Accept(w, r)
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := socket.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		if err := socket.Close(); err != nil {
			t.Error(err)
		}
		socket.Wait()
	}))
	defer s.Close()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n")
	if answer, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("got %v, %v", answer, err)
	}
	head := append(binary.BigEndian.AppendUint64([]byte{0x82, 0x80 | 127}, math.MaxInt64), 0, 0, 0, 0)
	if _, err := c.Write(head); err != nil {
		t.Fatal(err)
	}
	poured := 0
	for part := make([]byte, 64<<10); err == nil; poured += len(part) {
		_, err = c.Write(part)
	}
	<-ended
	if poured > 16<<20 {
		t.Errorf("the server took %d MB after it had enough", poured>>20)
	}
}

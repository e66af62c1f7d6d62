// Package rcontest is the remote console of a game server, for tests of those who use one.
package rcontest

import (
	"encoding/binary"
	"net"
	"slices"
	"sync"
	"testing"
	"time"
)

// Password is that of every Game.
const Password = "stones"

// Game is a game server's console. It takes what one read gives for one packet, as the game does.
type Game struct {
	net.Listener
	answers func(command string) []Answer

	mu   sync.Mutex
	said []string
}

// Answer is a packet that answers a command: after a time, with the command's id and a number added to it.
type Answer struct {
	After time.Duration
	Plus  int32
	Text  string
}

// Echo answers each command with itself.
func Echo(command string) []Answer { return []Answer{{Text: "did " + command}} }

// Start starts a console that ends with the test. answers tells how it answers a command; nil is not at all.
func Start(t testing.TB, answers func(command string) []Answer) *Game {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	g := &Game{Listener: l, answers: answers}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go g.serve(conn)
		}
	}()
	return g
}

// Heard returns the commands so far.
func (g *Game) Heard() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.said)
}

// Await waits until the commands are those of want.
func (g *Game) Await(t testing.TB, want ...string) {
	t.Helper()
	for range 500 {
		if slices.Equal(g.Heard(), want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("heard %q, want %q", g.Heard(), want)
}

func (g *Game) serve(conn net.Conn) {
	defer conn.Close()
	send := func(id, kind int32, text string) {
		b := binary.LittleEndian.AppendUint32(nil, uint32(len(text)+10))
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
		b = binary.LittleEndian.AppendUint32(b, uint32(kind))
		conn.Write(append(append(b, text...), 0, 0))
	}
	buf := make([]byte, 1460)
	for {
		n, err := conn.Read(buf)
		if err != nil || n < 14 || int(binary.LittleEndian.Uint32(buf))+4 > n {
			return
		}
		size := int(binary.LittleEndian.Uint32(buf))
		id, kind := int32(binary.LittleEndian.Uint32(buf[4:])), binary.LittleEndian.Uint32(buf[8:])
		text := string(buf[12 : size+2])
		if kind == 3 {
			if text != Password {
				id = -1
			}
			send(id, 2, "")
			continue
		}
		g.mu.Lock()
		g.said = append(g.said, text)
		g.mu.Unlock()
		for _, a := range g.answers(text) {
			time.Sleep(a.After)
			send(id+a.Plus, 0, a.Text)
		}
	}
}

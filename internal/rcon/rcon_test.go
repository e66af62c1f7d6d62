package rcon_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/rcon"
	"github.com/cairnvoxel/cairn/internal/testing/rcontest"
)

// TestMain is the guard of a hold where it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == rcon.GuardVerb {
		if err := rcon.Guard(context.Background(), os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func door(g *rcontest.Game) rcon.Door {
	return rcon.Door{Addr: g.Addr().String(), Password: rcontest.Password}
}

func TestCommand(t *testing.T) {
	long := strings.Repeat("x", 4096)
	for _, c := range []struct {
		name    string
		answers func(string) []rcontest.Answer
		want    string
	}{
		{"at once", rcontest.Echo, "did list"},
		{"late", func(string) []rcontest.Answer { return []rcontest.Answer{{After: 50 * time.Millisecond, Text: "late"}} }, "late"},
		{"after that of another", func(string) []rcontest.Answer { return []rcontest.Answer{{Plus: -1, Text: "other"}, {Text: "mine"}} }, "mine"},
		{"in parts", func(c string) []rcontest.Answer {
			if c == "" {
				return []rcontest.Answer{{Text: "unknown"}}
			}
			return []rcontest.Answer{{Text: long}, {Text: long}, {Text: "end"}}
		}, long + long + "end"},
		{"full", func(c string) []rcontest.Answer {
			if c == "" {
				return []rcontest.Answer{{Text: ""}}
			}
			return []rcontest.Answer{{Text: long}}
		}, long},
		{"nothing", func(string) []rcontest.Answer { return []rcontest.Answer{{}} }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			console, err := rcon.Dial(t.Context(), rcontest.Start(t, c.answers).Addr().String(), rcontest.Password)
			if err != nil {
				t.Fatal(err)
			}
			defer console.Close()
			for range 2 {
				got, err := console.Command(t.Context(), "list")
				if err != nil || got != c.want {
					t.Fatalf("got %d bytes %.20q, %v; want %d", len(got), got, err, len(c.want))
				}
			}
		})
	}
}

// TestTwice is a server that answers each command twice.
func TestTwice(t *testing.T) {
	console, err := rcon.Dial(t.Context(), rcontest.Start(t, func(c string) []rcontest.Answer { return append(rcontest.Echo(c), rcontest.Echo(c)...) }).Addr().String(), rcontest.Password)
	if err != nil {
		t.Fatal(err)
	}
	defer console.Close()
	for i := range 5 {
		command := fmt.Sprint("say ", i)
		if got, err := console.Command(t.Context(), command); err != nil || got != "did "+command {
			t.Errorf("%s: %q, %v", command, got, err)
		}
	}
}

func TestNever(t *testing.T) {
	console, err := rcon.Dial(t.Context(), rcontest.Start(t, func(string) []rcontest.Answer { return nil }).Addr().String(), rcontest.Password)
	if err != nil {
		t.Fatal(err)
	}
	defer console.Close()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := console.Command(ctx, "list"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestPassword(t *testing.T) {
	if _, err := rcon.Dial(t.Context(), rcontest.Start(t, rcontest.Echo).Addr().String(), "wrong"); !errors.Is(err, rcon.ErrPassword) {
		t.Errorf("got %v", err)
	}
}

func TestLongCommand(t *testing.T) {
	console, err := rcon.Dial(t.Context(), rcontest.Start(t, rcontest.Echo).Addr().String(), rcontest.Password)
	if err != nil {
		t.Fatal(err)
	}
	defer console.Close()
	longest := strings.Repeat("x", 1446)
	if got, err := console.Command(t.Context(), longest); err != nil || got != "did "+longest {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for _, wrong := range []string{longest + "x", "a\x00b"} {
		if _, err := console.Command(t.Context(), wrong); err == nil {
			t.Errorf("%d bytes: no error", len(wrong))
		}
	}
}

// TestNoServer talks to what is no console.
func TestNoServer(t *testing.T) {
	for _, bytes := range []string{"", "HTTP/1.1 400 Bad Request\r\n\r\n", "\xff\xff\xff\xff", "\x00\x00\x00\x00", "\x0a\x00\x00\x00\x01"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			conn, err := l.Accept()
			if err == nil {
				_, _ = bufio.NewReader(conn).ReadByte()
				_, _ = io.WriteString(conn, bytes)
				conn.Close()
			}
		}()
		if _, err := rcon.Dial(t.Context(), l.Addr().String(), rcontest.Password); err == nil {
			t.Errorf("%q: no error", bytes)
		}
		l.Close()
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte("\x0a\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, answers []byte) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Skip(err)
		}
		defer l.Close()
		go func() {
			conn, err := l.Accept()
			if err == nil {
				_, _ = conn.Write(answers)
				_ = conn.(*net.TCPConn).CloseWrite()
				_, _ = io.Copy(io.Discard, conn)
				conn.Close()
			}
		}()
		c, err := rcon.Dial(t.Context(), l.Addr().String(), rcontest.Password)
		if err == nil {
			_, _ = c.Command(t.Context(), "list")
			_ = c.Close()
		}
	})
}

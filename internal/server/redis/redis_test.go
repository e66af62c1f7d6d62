package redis_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/server/limits"
	"github.com/cairnvoxel/cairn/internal/server/redis"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// client is a client of Redis in a few lines.
type client struct {
	net.Conn
	r *bufio.Reader
}

func dial(t testing.TB, addr string) *client {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &client{c, bufio.NewReader(c)}
}

func appendCommand(b []byte, args ...string) []byte {
	b = fmt.Appendf(b, "*%d\r\n", len(args))
	for _, a := range args {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(a), a)
	}
	return b
}

// do sends a command and returns the reply: text of what is no error, nil for nothing.
func (c *client) do(args ...string) (any, error) {
	if _, err := c.Write(appendCommand(nil, args...)); err != nil {
		return nil, err
	}
	return c.read()
}

// replyError is an error that the server sent.
type replyError string

func (e replyError) Error() string { return string(e) }

func (c *client) read() (any, error) {
	line, err := c.r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	line = strings.TrimSuffix(line, "\r\n")
	kind, text := line[0], line[1:]
	n, _ := strconv.Atoi(text)
	switch kind {
	case '+', ':':
		return text, nil
	case '-':
		return nil, replyError(text)
	case '_':
		return nil, nil
	case '$':
		if n < 0 {
			return nil, nil
		}
		b := make([]byte, n+2)
		_, err := io.ReadFull(c.r, b)
		return string(b[:n]), err
	case '*', '~', '%':
		if kind == '%' {
			n *= 2
		}
		all := []any{}
		for range n {
			v, err := c.read()
			if said := replyError(""); errors.As(err, &said) {
				v, err = said, nil
			}
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, nil
	}
	return nil, fmt.Errorf("a reply that begins with %q", kind)
}

// must is do for what must not fail.
func (c *client) must(t testing.TB, args ...string) any {
	t.Helper()
	v, err := c.do(args...)
	if err != nil {
		t.Fatalf("%.60q: %v", args, err)
	}
	return v
}

// start serves a Store.
func start(t testing.TB, st history.Store, o redis.Options) (*redis.Door, string) {
	t.Helper()
	s := redis.New(st, o)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran, served := make(chan struct{}), make(chan error, 1)
	go func() { s.Inbox().Run(ctx); close(ran) }()
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		l.Close()
		end, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		if err := errors.Join(<-served, s.Close(end)); err != nil {
			t.Error(err)
		}
		cancel()
		<-ran
	})
	return s, l.Addr().String()
}

// slimes returns Slime files of real worlds.
func slimes(t testing.TB) map[string][]byte {
	t.Helper()
	dir := os.Getenv("CAIRN_WORLDS")
	if dir == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".slime" {
			return err
		}
		all[fmt.Sprintf("World %d %.20s", len(all), filepath.Base(filepath.Dir(path)))], err = os.ReadFile(path)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d files in %s: %v", len(all), dir, err)
	}
	return all
}

// TestRealWorlds: what is saved comes back, at first as it came and then from a version.
func TestRealWorlds(t *testing.T) {
	st := memory.New(memory.Options{})
	s, addr := start(t, st, redis.Options{})
	c := dial(t, addr)
	files := slimes(t)
	for name, b := range files {
		key := "aswm:world:data:" + name
		if got := c.must(t, "SET", key, string(b)); got != "OK" {
			t.Fatalf("SET %s: %v", name, got)
		}
		if got := c.must(t, "GET", key); got != string(b) {
			t.Errorf("%s: what waits is not what was saved", name)
		}
	}
	other := redis.New(st, redis.Options{}) // it remembers no bytes
	for name, b := range files {
		world := redis.DefaultPrefix + history.Escape(name)
		if err := s.Inbox().Settle(t.Context(), world); err != nil {
			t.Fatal(err)
		}
		head, err := st.Head(t.Context(), world)
		if err != nil || head.Commit == (history.ID{}) {
			t.Errorf("%s has no version: %v", name, err)
			continue
		}
		if got := c.must(t, "GET", "aswm:world:data:"+name); got != string(b) {
			t.Errorf("%s: the version just made is not what was saved", name)
		}
		got, err := other.File(t.Context(), limits.Caller{}, world)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if why := differs(t, got, b); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
	if got := c.must(t, "SCARD", "aswm:world:list"); got != strconv.Itoa(len(files)) {
		t.Errorf("%v names, want %d", got, len(files))
	}
}

// differs compares two Slime files: their versions, the order of their chunks, tags and all else that they hold. It returns "" if
// they are equal.
func differs(t testing.TB, got, want []byte) string {
	t.Helper()
	if bytes.Equal(got, want) {
		return ""
	}
	var worlds [2]stone.Content
	for i, b := range [][]byte{got, want} {
		src, err := port.OpenReader(bytes.NewReader(b), int64(len(b)), port.Options{})
		if err != nil {
			return err.Error()
		}
		defer src.Close()
		if worlds[i], err = src.Parts(t.Context(), nil); err != nil {
			return err.Error()
		}
	}
	if got[2] != want[2] {
		return fmt.Sprintf("version %d, was %d", got[2], want[2])
	}
	d, err := diff.Worlds(t.Context(), worlds[0], worlds[1], diff.Options{Exact: true})
	if err != nil || !d.Same() {
		return fmt.Sprintf("%+v, %v", d, err)
	}
	return ""
}

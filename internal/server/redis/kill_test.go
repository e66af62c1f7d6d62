package redis_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/server/redis"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
)

// childStore is the variable that makes this program a server of the store that it names.
const childStore = "CAIRN_TEST_REDIS_STORE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childStore); dir != "" {
		if err := serveChild(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func serveChild(dir string) error {
	st, err := local.Open(dir, local.Options{})
	if err != nil {
		return err
	}
	s := redis.New(st, redis.Options{Delay: 50 * time.Millisecond})
	go s.Inbox().Run(context.Background())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return s.Serve(l)
}

// child is a server in a process that can be killed.
func child(t *testing.T, dir string) (addr string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childStore+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	addr, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(addr), kill
}

// islands returns Slime files of made-up worlds, which differ.
func islands(t testing.TB, n int) (all []string) {
	t.Helper()
	for i := range n {
		src := port.FromSource(terrain.Island(terrain.Options{Seed: uint64(i + 1), Size: 4, Version: terrain.Modern}), port.Options{})
		w, err := src.Parts(t.Context(), nil)
		var out bytes.Buffer
		if err == nil {
			err = port.WriteFile(t.Context(), w, &out, port.Target{Format: "slime"}, nil, map[string]int{})
		}
		if err = errors.Join(err, src.Close()); err != nil {
			t.Fatal(err)
		}
		all = append(all, out.String())
	}
	return all
}

// TestKill kills a server at random moments. What it had answered is there afterwards, as bytes or as a version, and no save is lost
// for one that came before it.
func TestKill(t *testing.T) {
	files := islands(t, 4)
	dir := filepath.Join(t.TempDir(), "store")
	kills := long.By(3, 20, 100)
	const worlds = 4
	type saved struct{ acked, tried int } // numbers of files; -1 none
	state := make([]saved, worlds)
	for i := range state {
		state[i] = saved{-1, -1}
	}
	if len(files) < 2 || files[0] == files[1] {
		t.Fatal("the files are equal")
	}
	for round := range kills {
		addr, kill := child(t, dir)
		check(t, round, addr, files, func(w int) (int, int) { return state[w].acked, state[w].tried })
		var all sync.WaitGroup
		acks := make(chan struct{}, 1000)
		for w := range worlds {
			c := dial(t, addr)
			all.Go(func() {
				for i := 0; ; i++ {
					n := (i + w + round) % len(files)
					state[w].tried = n
					if _, err := c.do("SET", fmt.Sprintf("aswm:world:data:World %d", w), files[n]); err != nil {
						return
					}
					state[w].acked = n
					select {
					case acks <- struct{}{}:
					default:
					}
				}
			})
		}
		for range 1 + round*7%40 { // as fast as the machine is
			<-acks
		}
		time.Sleep(time.Duration(round*37%200) * time.Millisecond) // a version may be half made
		kill()
		all.Wait()
	}
	addr, kill := child(t, dir)
	check(t, kills, addr, files, func(w int) (int, int) { return state[w].acked, state[w].tried })
	kill()
	st, err := local.Open(dir, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	s := redis.New(st, redis.Options{})
	for w := range worlds {
		world := redis.DefaultPrefix + history.Escape(fmt.Sprintf("World %d", w))
		if err := s.Inbox().Settle(t.Context(), world); err != nil {
			t.Fatal(err)
		}
		if at, err := s.Inbox().At(t.Context(), world); err != nil || at != (history.ID{}) {
			t.Errorf("%s: the inbox is not empty: %v, %v", world, at, err)
		}
		if head, err := st.Head(t.Context(), world); err != nil || head.Commit == (history.ID{}) {
			t.Errorf("%s has no version: %v", world, err)
		}
	}
}

// check reads every world: it is the last one that was answered, or the one that was on its way.
func check(t *testing.T, round int, addr string, files []string, of func(w int) (acked, tried int)) {
	t.Helper()
	c := dial(t, addr)
	for w := 0; w < 4; w++ {
		acked, tried := of(w)
		if acked < 0 {
			continue
		}
		v, err := c.do("GET", fmt.Sprintf("aswm:world:data:World %d", w))
		got, ok := v.(string)
		if err != nil || !ok {
			t.Fatalf("round %d, world %d: %v, %v", round, w, v, err)
		}
		var said []string
		for _, n := range []int{acked, tried} {
			if why := differs(t, []byte(got), []byte(files[n])); why != "" {
				said = append(said, why)
			}
		}
		if len(said) == 2 {
			t.Fatalf("round %d, world %d: neither file %d nor %d: %s", round, w, acked, tried, said)
		}
	}
}

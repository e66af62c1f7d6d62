// Package parts starts and stops real servers: PostgreSQL with a standby, MinIO,
// FerretDB, SeaweedFS, toxiproxy, Prometheus and cairn serve. Tests use it, and the command
// that starts a cluster on one machine. It works on Linux alone.
//
// Every server listens on 127.0.0.1 at a free port and ends with the process that
// started it. Programs that are Go modules come from the folder that the environment
// variable CAIRN_PARTS names; "./test parts" fills it. PostgreSQL comes from the
// operating system. Where we are root it runs as the user postgres.
package parts

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Env is the environment variable that names the folder of programs.
const Env = "CAIRN_PARTS"

// Skipper is the part of testing.TB that Need calls.
type Skipper interface {
	Helper()
	Skipf(format string, args ...any)
}

// Need skips a test unless CAIRN_PARTS is set and all of the programs are there:
// postgres, minio, ferret, toxiproxy, weed, prometheus, promtool.
func Need(t Skipper, programs ...string) {
	t.Helper()
	if os.Getenv(Env) == "" {
		t.Skipf("needs real servers: set %s, or run ./test parts", Env)
	}
	if runtime.GOOS != "linux" {
		t.Skipf("needs real servers, which are started on Linux alone")
	}
	for _, name := range programs {
		if _, err := program(name); err != nil {
			t.Skipf("%v", err)
		}
	}
}

// program returns the path of a program.
func program(name string) (string, error) { return locate(os.Getenv(Env), name) }

// locate returns the path of a program in dir, which may be empty, or on this
// machine.
func locate(dir, name string) (string, error) {
	if path := os.Getenv(WeedEnv); name == "weed" && path != "" {
		return filepath.Abs(path)
	}
	if dir != "" {
		if dir, err := filepath.Abs(dir); err == nil {
			if path := filepath.Join(dir, name); isFile(path) {
				return path, nil
			}
		}
	}
	versions, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name) // the pattern is valid
	slices.Sort(versions)
	for _, path := range slices.Backward(versions) {
		return path, nil
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", fmt.Errorf("parts: no program %s in %q (%s) or on the PATH", name, dir, Env)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Ports come from blocks below those that Linux gives to connections: a server that is
// killed finds its port free when it starts again. A process listens at the first port
// of its block as long as it runs, so that no other process takes ports from there.
const (
	firstPort = 10_000
	lastPort  = 32_000
	blockSize = 50
)

// block is what is left of the block of this process.
var block struct {
	sync.Mutex
	next, end int
	first     []net.Listener // stay open
}

// FreeAddr returns an address of 127.0.0.1 that nobody listens at. It returns none
// twice.
func FreeAddr() (string, error) {
	block.Lock()
	defer block.Unlock()
	var fault error
	for range 1000 {
		if block.next == block.end {
			first := firstPort + blockSize*rand.IntN((lastPort-firstPort)/blockSize)
			l, err := net.Listen("tcp", addrOf(first))
			if err != nil {
				fault = err
				continue
			}
			block.first = append(block.first, l)
			block.next, block.end = first+1, first+blockSize
		}
		addr := addrOf(block.next)
		block.next++
		l, err := net.Listen("tcp", addr)
		if err == nil {
			err = l.Close()
		}
		if err == nil {
			return addr, nil
		}
		fault = err
	}
	return "", fmt.Errorf("parts: free port: %w", fault)
}

func addrOf(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// until calls what every few milliseconds until it returns nil. Its error is what's
// last one.
func until(ctx context.Context, limit time.Duration, what func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := what(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

// output runs a program to its end and returns what it printed. It ends the program, and
// what that has started, when ctx ends.
func output(ctx context.Context, user *account, name string, args ...string) (string, error) {
	path, err := program(name)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = "/"
	bind(cmd, user)
	cmd.Cancel = func() error { return killAll(cmd.Process) }
	var out bytes.Buffer
	var fault tail
	cmd.Stdout, cmd.Stderr = &out, &fault
	_, err = onThread(func() (struct{}, error) { return struct{}{}, cmd.Start() })
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		return "", fmt.Errorf("parts: %s: %w: %s", name, err, cmp.Or(fault.String(), out.String()))
	}
	return out.String(), nil
}

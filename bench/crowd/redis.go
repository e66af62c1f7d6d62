package crowd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/cairnvoxel/cairn/bench/lab"
)

const redisProgram = "redis-server"

// redisServer is islands as .slime files in Redis, every save synced.
type redisServer struct {
	dir     string
	crowd   *crowd
	program *exec.Cmd
	*redis.Client
}

// start runs redis-server on a port that is free, and waits until it answers.
func (r *redisServer) start(ctx context.Context) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	r.program = exec.CommandContext(ctx, redisProgram, "--bind", "127.0.0.1", "--port", strconv.Itoa(port),
		"--dir", r.dir, "--appendonly", "yes", "--appendfsync", "no", "--save", "", "--loglevel", "warning")
	if err := r.program.Start(); err != nil {
		return err
	}
	r.Client = redis.NewClient(&redis.Options{Addr: fmt.Sprintf("127.0.0.1:%d", port), PoolSize: redisConnections})
	for wait := time.Millisecond; ; wait *= 2 {
		if err = r.Ping(ctx).Err(); err == nil || wait > lab.Patience {
			return err
		}
		time.Sleep(wait)
	}
}

const redisConnections = 256

// freePort returns a port of loopback that nobody listened on just now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

func (r *redisServer) fill(ctx context.Context, o lab.Options) error {
	if err := os.MkdirAll(r.dir, 0o777); err != nil {
		return err
	}
	if err := r.start(ctx); err != nil {
		return err
	}
	for i := 0; i < len(r.crowd.accounts); {
		o.Step(i, len(r.crowd.accounts), "filling Redis")
		_, err := r.Pipelined(ctx, func(p redis.Pipeliner) error {
			for n := 0; n < redisBatch && i < len(r.crowd.accounts); n++ {
				p.Set(ctx, nameOf(i), r.crowd.whole(i), 0)
				i++
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return r.settle(ctx)
}

const redisBatch = 100

// settle has the log that the fill wrote rewritten, so that the next is due when
// as much again was written, and waits for it.
func (r *redisServer) settle(ctx context.Context) error {
	rewriting, err := r.rewriting(ctx)
	if err == nil && !rewriting {
		err = r.BgRewriteAOF(ctx).Err()
	}
	for err == nil {
		if rewriting, err = r.rewriting(ctx); err == nil && !rewriting {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

func (r *redisServer) rewriting(ctx context.Context) (bool, error) {
	info, err := r.Info(ctx, "persistence").Result()
	return strings.Contains(info, "aof_rewrite_in_progress:1") || strings.Contains(info, "aof_rewrite_scheduled:1"), err
}

func (r *redisServer) open(ctx context.Context) error {
	return r.ConfigSet(ctx, "appendfsync", "always").Err()
}

func (r *redisServer) save(ctx context.Context, c *crowd, i int) error {
	err := r.Set(ctx, nameOf(i), c.next(i), 0).Err()
	if err == nil {
		c.saved(i)
	}
	return err
}

func (r *redisServer) load(ctx context.Context, c *crowd, i int) (int64, error) {
	b, err := r.Get(ctx, nameOf(i)).Bytes()
	if err != nil {
		return 0, err
	}
	return int64(len(b)), c.check(i, b)
}

func (r *redisServer) collect(context.Context) error { return nil }

func (r *redisServer) used() lab.Usage {
	client, server := lab.UsageOf(os.Getpid()), lab.UsageOf(r.program.Process.Pid)
	return client.Add(server)
}

func (r *redisServer) close(context.Context, *crowd) (int, error) {
	if r.Client == nil {
		return 0, nil
	}
	return 0, errors.Join(r.Client.Close(), lab.StopProcess(r.program, os.Interrupt))
}

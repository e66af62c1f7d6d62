package growth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
)

// picture asks a fresh server for a picture. The server stays for the same call again.
func picture(ctx context.Context, l *land) (lab.Cost, error) {
	s, err := lab.Serve(ctx, l.cairn, l.path(storeDir), "--log-format", "json")
	if err != nil {
		return lab.Cost{}, err
	}
	cost, err := get(ctx, s, "/v1/picture/"+bigName)
	if err != nil {
		return cost, errors.Join(err, s.Stop())
	}
	l.server = s
	return cost, nil
}

// pictureAgain asks the same server again.
func pictureAgain(ctx context.Context, l *land) (cost lab.Cost, err error) {
	if l.server == nil {
		return cost, errors.New("the first picture failed")
	}
	return get(ctx, l.server, "/v1/picture/"+bigName)
}

// chunk asks a fresh server for one chunk.
func chunk(ctx context.Context, l *land) (lab.Cost, error) {
	s, err := lab.Serve(ctx, l.cairn, l.path(storeDir), "--log-format", "json")
	if err != nil {
		return lab.Cost{}, err
	}
	cost, err := get(ctx, s, "/v1/chunks/"+bigName+"?dimension=overworld&volume=block&y=2")
	return cost, errors.Join(err, s.Stop())
}

// get returns what a call costs the server; the peak is that since the call before, where
// the system can forget the one before, else that of its life.
func get(ctx context.Context, s *lab.Server, path string) (cost lab.Cost, err error) {
	pid := s.Program.Process.Pid
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
	before, start := lab.ProcessorOf(pid), time.Now()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	if err != nil {
		return cost, err
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return cost, err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s: %s", path, a.Status, body)
	}
	cost = lab.Cost{Processor: lab.ProcessorOf(pid) - before, Wall: time.Since(start)}
	_, cost.Peak = lab.MemoryOf(pid)
	return cost, err
}

package living

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
)

// watch is a `cairn watch` that runs beside the play. It sleeps while an hour is played, so that each
// hour is one version.
type watch struct {
	program *exec.Cmd
	said    *bufio.Scanner
	cost    time.Duration // of the looks so far
}

// startWatch starts a watch of a folder that keeps it in a store.
func startWatch(ctx context.Context, cairn, store, live, cache string) (*watch, error) {
	w := &watch{program: exec.CommandContext(ctx, cairn, "watch", "--store", store, "--every", "1s", "--settle", "100ms", live, "@w")}
	w.program.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
	w.program.Stderr = os.Stderr
	out, err := w.program.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.said = bufio.NewScanner(out)
	return w, w.program.Start()
}

// look waits until the watch has made version n, and returns its processor time.
func (w *watch) look(n int) (time.Duration, error) {
	if err := goOn(w.program.Process); err != nil {
		return 0, err
	}
	for want := fmt.Sprintf("version %d,", n); ; {
		if !w.said.Scan() {
			return 0, errors.Join(fmt.Errorf("living: the watch ended before %s", want), w.said.Err())
		}
		if strings.Contains(w.said.Text(), want) {
			break
		}
	}
	time.Sleep(300 * time.Millisecond) // it closes the store
	before := w.cost
	w.cost = lab.ProcessorOf(w.program.Process.Pid)
	return w.cost - before, pause(w.program.Process)
}

// end ends the watch.
func (w *watch) end() error {
	if err := goOn(w.program.Process); err != nil {
		return err
	}
	return lab.StopProcess(w.program, os.Interrupt)
}

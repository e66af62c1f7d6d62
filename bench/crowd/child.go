package crowd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
)

// job is the task of a child process of a measurement.
type job struct {
	What    string
	Row     string
	Dir     string // its own
	Pool    string // file
	Cairn   string // the file of the command
	Worlds  int
	Clients int
	Seconds float64
	Rate    float64 // calls a second at most, or 0
	Seed    uint64
}

func (j *job) duration() time.Duration { return time.Duration(j.Seconds * float64(time.Second)) }

// word is a message of a child: its progress, or in the end its result.
type word struct {
	Done, All int
	Next      string
	Result    json.RawMessage `json:",omitempty"`
}

// ChildName is the only argument with which measurements start their own program again;
// that program then calls Child.
const ChildName = "child"

// Child does a part of a measurement in a process of its own: what in says, which
// it reports to out. It stops when in ends.
func Child(ctx context.Context, in io.Reader, out io.Writer) error {
	from := json.NewDecoder(in)
	var j job
	if err := from.Decode(&j); err != nil {
		return fmt.Errorf("crowd: this is for measurements alone: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // ends with the process
		_, _ = from.Token() // returns when in has ended
		stop()
	}()
	to := json.NewEncoder(out)
	o := lab.Options{Seed: j.Seed, Cairn: j.Cairn, Progress: func(done, all int, next string) {
		_ = to.Encode(word{Done: done, All: all, Next: next}) // who does not listen ends this process
	}}.Shared()
	do, ok := jobs()[j.What]
	if !ok {
		return fmt.Errorf("crowd: no job %q", j.What)
	}
	result, err := do(ctx, &j, o)
	if err != nil {
		return err
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return to.Encode(word{Result: text})
}

// The jobs.
const (
	jobRow  = "row"
	jobFill = "fill"
	jobOpen = "open"
	jobWeek = "week"
)

func jobs() map[string]func(context.Context, *job, lab.Options) (any, error) {
	return map[string]func(context.Context, *job, lab.Options) (any, error){
		jobRow:  doRow,
		jobFill: doFill,
		jobOpen: doOpen,
		jobWeek: doWeek,
	}
}

// delegate has a job done by another process and decodes what comes of it.
func delegate[R any](ctx context.Context, o lab.Options, j job) (result R, err error) {
	self, err := os.Executable()
	if err != nil {
		return result, err
	}
	j.Cairn, j.Seed = o.Cairn, o.Seed
	cmd := exec.CommandContext(ctx, self, ChildName)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	in, err := cmd.StdinPipe()
	if err != nil {
		return result, err
	}
	cmd.Cancel, cmd.WaitDelay = in.Close, lab.Patience
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return result, err
	}
	err = errors.Join(json.NewEncoder(in).Encode(j), listen(out, o, &result))
	if end := cmd.Wait(); end != nil {
		err = errors.Join(ctx.Err(), fmt.Errorf("crowd: %s: %w: %s", j.What, end, strings.TrimSpace(complaint.String())))
	}
	return result, err
}

// listen passes on what a child says until it has said all.
func listen(from io.Reader, o lab.Options, result any) error {
	words := json.NewDecoder(from)
	for {
		var w word
		err := words.Decode(&w)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case w.Result != nil:
			err = json.Unmarshal(w.Result, result)
		default:
			o.Step(w.Done, w.All, w.Next)
		}
		if err != nil {
			return err
		}
	}
}

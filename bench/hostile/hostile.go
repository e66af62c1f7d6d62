// Package hostile measures what the worst stones cost that somebody could write to keep a
// reader busy: the work for few bytes, and how soon a reader stops when its context ends.
package hostile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/stone"
)

// Row is what one stone costs.
type Row struct {
	Form    string  `json:"form"`
	Attack  string  `json:"attack"`
	Bytes   int     `json:"bytes"`
	Uses    int     `json:"uses"`         // how often the directory names pages
	Open    float64 `json:"open_seconds"` // of the processor
	Seconds float64 `json:"seconds"`      // of the processor, to read all of it
	Refused string  `json:"refused,omitempty"`
	// PerMB is the seconds for each MB of the stone, and for each use of a page by a
	// smaller stone.
	PerMB float64 `json:"seconds_per_mb"`
	// Ended is the longest time from the end of the context to the return, on the clock or of
	// the processor, whichever is less: other programs may keep the processor.
	Ended float64 `json:"ended_ms"`
}

// Report is what was found.
type Report struct {
	Rows []Row `json:"rows"`
}

// ends is how many times the reading of each stone is ended before it is done.
const ends = 12

// Bench reads each stone whole, and again with contexts that end in between.
func Bench(ctx context.Context, o lab.Options) (*Report, error) {
	r := &Report{Rows: []Row{}}
	for i, a := range attacks {
		o.Step(i, len(attacks), a.form+": "+a.name)
		row, err := measure(ctx, a)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("hostile: %s, %s: %w", a.form, a.name, err)
		}
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}

func measure(ctx context.Context, a attack) (Row, error) {
	b := a.stone()
	row := Row{Form: a.form, Attack: a.name, Bytes: len(b), Uses: max(a.uses, 1)}
	var corrupt *stone.CorruptError
	start, from := lab.ProcessorTime(), time.Now()
	s, err := stone.Open(bytes.NewReader(b), int64(len(b)))
	row.Open = (lab.ProcessorTime() - start).Seconds()
	if err == nil {
		from = time.Now()
		err = s.Check(ctx)
	}
	wall := time.Since(from)
	row.Seconds = (lab.ProcessorTime() - start).Seconds()
	row.PerMB = row.Seconds / max(float64(len(b))/1e6, float64(row.Uses))
	switch {
	case errors.As(err, &corrupt):
		row.Refused = err.Error()
	case err != nil:
		return row, err
	}
	for i := range ends {
		if s == nil {
			break
		}
		ctx, cancel := context.WithCancel(ctx)
		ended, busy := make(chan time.Time, 1), time.Duration(0)
		time.AfterFunc(wall*time.Duration(2*i+1)/(2*ends), func() { busy = lab.ProcessorTime(); ended <- time.Now(); cancel() })
		if err := s.Check(ctx); errors.Is(err, context.Canceled) {
			took := min(time.Since(<-ended), lab.ProcessorTime()-busy)
			row.Ended = max(row.Ended, float64(took.Microseconds())/1000)
		}
		cancel()
	}
	return row, nil
}

// Table prints a row for each stone.
func (r *Report) Table(w io.Writer) {
	t := table.New(w, "form", "attack", "size", "uses", "open s", "s in all", "s a MB or use", "ms to end", "")
	for _, x := range r.Rows {
		refused := "read"
		if x.Refused != "" {
			refused = "refused: " + x.Refused
		}
		t.Row(x.Form, x.Attack, table.Size(int64(x.Bytes)), fmt.Sprint(x.Uses), fmt.Sprintf("%.3f", x.Open), fmt.Sprintf("%.3f", x.Seconds),
			fmt.Sprintf("%.3f", x.PerMB), fmt.Sprintf("%.1f", x.Ended), refused)
	}
	t.Flush()
}

package main

import (
	"io"
	"os"
	"time"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/port"
	"github.com/schollz/progressbar/v3"
)

// patience is how long work goes on before progress is shown.
const patience = time.Second

// progress shows on a terminal how far work is that takes long.
type progress struct {
	since time.Time
	bar   *progressbar.ProgressBar
}

func newProgress() *progress { return &progress{since: time.Now()} }

// show says how far the work is, in words.
func (p *progress) show(text string) {
	if p.bar == nil && time.Since(p.since) > patience && isTerminal(os.Stderr) {
		p.bar = spinner()
	}
	if p.bar != nil {
		p.bar.Describe(text)
		p.bar.Add(1)
	}
}

func spinner() *progressbar.ProgressBar {
	return progressbar.NewOptions(-1, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSpinnerType(14))
}

// done takes the progress off the terminal.
func (p *progress) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}

// through returns what shows how many columns have passed, before what stands
// before a Sink already.
func (p *progress) through(what string, next port.Through) port.Through {
	return func(to format.Sink) format.Sink {
		if next != nil {
			to = next(to)
		}
		return &passing{Sink: to, progress: p, what: what}
	}
}

// passing is the Sink of through.
type passing struct {
	format.Sink
	*progress
	what  string
	count int
}

// Column takes a column.
func (p *passing) Column(c *format.Column) error {
	if p.count++; p.count%64 == 0 {
		p.show(p.what + " " + counted(p.count, "column"))
	}
	return p.Sink.Column(c)
}

// writing is a Writer that shows how many bytes have passed.
type writing struct {
	io.Writer
	*progress
	count int64
}

// Write takes bytes.
func (w *writing) Write(b []byte) (int, error) {
	w.count += int64(len(b))
	w.show("writing " + size(w.count))
	return w.Writer.Write(b)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

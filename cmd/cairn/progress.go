package main

import (
	"os"
	"time"

	"github.com/cairnvoxel/cairn/format"
	"github.com/schollz/progressbar/v3"
)

// patience is how long work goes on before progress is shown.
const patience = time.Second

// progress is a Sink that hands on and shows on a terminal how many columns
// have passed.
type progress struct {
	format.Sink
	what  string
	since time.Time
	bar   *progressbar.ProgressBar
	count int
}

func newProgress(what string, to format.Sink) *progress {
	return &progress{Sink: to, what: what, since: time.Now()}
}

// Column takes a column.
func (p *progress) Column(c *format.Column) error {
	if p.count++; p.count%16 == 0 {
		p.show()
	}
	return p.Sink.Column(c)
}

func (p *progress) show() {
	if p.bar == nil {
		if time.Since(p.since) < patience || !isTerminal(os.Stderr) {
			return
		}
		p.bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription(p.what),
			progressbar.OptionShowCount(), progressbar.OptionSetItsString("columns"), progressbar.OptionShowIts(),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	}
	p.bar.Set(p.count)
}

// done takes the progress off the terminal.
func (p *progress) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

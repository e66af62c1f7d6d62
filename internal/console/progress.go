package console

import (
	"io"
	"os"
	"time"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/schollz/progressbar/v3"
)

// showAfter is how long work lasts before Progress shows anything.
const showAfter = time.Second

// Progress shows the progress of long work on standard error, if that is a terminal.
type Progress struct {
	since time.Time
	bar   *progressbar.ProgressBar
}

// NewProgress begins work. The caller calls Done at its end.
func NewProgress() *Progress { return &Progress{since: time.Now()} }

// Show replaces the text of the progress.
func (p *Progress) Show(text string) {
	if p.bar == nil && time.Since(p.since) > showAfter && isTerminal(os.Stderr) {
		p.bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSpinnerType(14))
	}
	if p.bar != nil {
		p.bar.Describe(text)
		p.bar.Add(1)
	}
}

// Done removes the progress from the terminal.
func (p *Progress) Done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}

// Through returns a function that puts a column counter in front of a Sink. If next is
// not nil, the counter stands in front of next's Sink.
func (p *Progress) Through(what string, next func(format.Sink) format.Sink) func(format.Sink) format.Sink {
	return func(to format.Sink) format.Sink {
		if next != nil {
			to = next(to)
		}
		return &columnCounter{Sink: to, progress: p, what: what}
	}
}

type columnCounter struct {
	format.Sink
	progress *Progress
	what     string
	count    int
}

// Column passes a column on and counts it.
func (c *columnCounter) Column(col *format.Column) error {
	if c.count++; c.count%64 == 0 {
		c.progress.Show(c.what + " " + Counted(c.count, "column"))
	}
	return c.Sink.Column(col)
}

// Writer returns a Writer to w that shows how many bytes were written.
func (p *Progress) Writer(w io.Writer) io.Writer { return &byteCounter{Writer: w, progress: p} }

type byteCounter struct {
	io.Writer
	progress *Progress
	count    int64
}

// Write writes and counts bytes.
func (c *byteCounter) Write(b []byte) (int, error) {
	c.count += int64(len(b))
	c.progress.Show("writing " + table.Size(c.count))
	return c.Writer.Write(b)
}

// Bar returns a function that shows that n of all things are done and which one is next,
// and one that removes the bar. show is nil if standard error is not a terminal.
func Bar() (show func(n, all int, next string), done func()) {
	if !isTerminal(os.Stderr) {
		return nil, func() {}
	}
	bar := progressbar.NewOptions(1, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionClearOnFinish(), progressbar.OptionShowCount())
	show = func(n, all int, next string) {
		bar.ChangeMax(max(all, 1))
		bar.Describe(next)
		bar.Set(n)
	}
	return show, func() { bar.Finish() }
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

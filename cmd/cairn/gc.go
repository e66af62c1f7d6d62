package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/spf13/cobra"
)

type gcOptions struct {
	grace, deleted, keep string // "" is as the store says
	dryRun               bool
}

// standardVersions is the default of --keep.
const standardVersions = "newest=16,hourly=1d,daily=14d,monthly=365d"

// collected is the result of gc.
type collected struct {
	history.Collected
	DryRun bool `json:"dry_run,omitempty"`
}

func newGC(sf *storeFlag) *cobra.Command {
	var o gcOptions
	c := printing(&cobra.Command{
		Use:   "gc",
		Short: "Deletes old versions, and stones that nothing needs",
		Long: `gc deletes old versions from the logs of all worlds, and stones that nothing needs. It
deletes a stone in two steps: it condemns the stone, and a later gc deletes it after
the grace time.

--keep says which versions to keep besides the newest: "all", or any of newest=N and
hourly=D, daily=D, monthly=D, which keep one version for each hour, day and month that
far back. A time D is written 90m, 36h, 14d or 3w; 0 is none. Without it a server takes its
own --versions, --grace and --deleted; other stores take ` + standardVersions + `.

--dry-run deletes nothing, and counts worlds and versions that would go.`,
		Example: "  cairn gc\n  cairn gc --keep newest=4,daily=30d --grace 0",
		Args:    takes(0, 0),
	}, func(ctx context.Context, _ []string) (result, error) { return collect(ctx, sf, o) })
	f := c.Flags()
	f.StringVar(&o.grace, "grace", "", "how long a condemned stone stays; default the server's, or 1h")
	f.StringVar(&o.deleted, "deleted", "", "how long a deleted world can be brought back; default the server's, or 7d")
	f.StringVar(&o.keep, "keep", "", "which versions to keep")
	dryRunFlag(f, &o.dryRun)
	return c
}

func collect(ctx context.Context, sf *storeFlag, o gcOptions) (*collected, error) {
	p, err := o.policy("--keep")
	if err != nil {
		return nil, err
	}
	st, err := sf.openWritable(ctx)
	if err != nil {
		return nil, err
	}
	p.DryRun = o.dryRun
	went, err := st.Collect(ctx, p)
	return &collected{went, o.dryRun}, err
}

func (o *gcOptions) policy(flag string) (p history.Policy, err error) {
	if o.keep != "" {
		p.Keep, err = parseRetention(flag, o.keep)
	}
	if o.grace != "" && err == nil {
		p.Grace, err = parseSpan("--grace", o.grace)
	}
	if o.deleted != "" && err == nil {
		p.Deleted, err = parseSpan("--deleted", o.deleted)
	}
	return p, err
}

// parseSpan parses a time span. It returns -1 for 0, because options of the library take a
// negative span for none.
func parseSpan(what, s string) (time.Duration, error) {
	text, factor := s, time.Duration(1)
	for unit, hours := range map[string]time.Duration{"d": 24, "w": 7 * 24} {
		if n, ok := strings.CutSuffix(s, unit); ok {
			text, factor = n+"h", hours
		}
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil || d < 0 || d*factor/factor != d:
		return 0, usagef("%s %s: want a time such as 90m, 36h, 14d or 3w", what, s)
	case d == 0:
		return -1, nil
	}
	return d * factor, nil
}

// parseRetention parses which versions to keep. Errors name the flag.
func parseRetention(flag, s string) (history.Retention, error) {
	if s == "all" {
		return history.Retention{All: true}, nil
	}
	r := history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}
	for part := range strings.SplitSeq(s, ",") {
		what, value, _ := strings.Cut(part, "=")
		to := map[string]*time.Duration{"hourly": &r.Hourly, "daily": &r.Daily, "monthly": &r.Monthly}[what]
		var err error
		switch {
		case to != nil:
			*to, err = parseSpan(flag+" "+what, value)
		case what == "newest":
			if r.Newest, err = strconv.Atoi(value); err != nil || r.Newest < 1 {
				err = usagef("%s newest=%s: want 1 or more", flag, value)
			}
		default:
			err = usagef("%s %s: want all, or newest=, hourly=, daily=, monthly=", flag, part)
		}
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

func (c collected) print(out io.Writer) {
	if c.Collected == (history.Collected{}) {
		fmt.Fprintln(out, "nothing to delete")
		return
	}
	t := console.NewColumns(out)
	if c.DryRun {
		fmt.Fprintln(out, "nothing is deleted; gc would delete, besides stones:")
	}
	t.Row("deleted worlds gone for good", console.Count(c.Worlds))
	t.Row("versions dropped", console.Count(c.Commits))
	if c.DryRun {
		t.Flush()
		return
	}
	t.Row("stones condemned", console.Count(c.Condemned))
	t.Row("stones deleted", console.Count(c.Stones), table.Size(c.Bytes))
	t.Flush()
}

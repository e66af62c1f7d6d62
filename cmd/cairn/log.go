package main

import (
	"context"
	"io"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/cobra"
)

// worldLog is the result of log.
type worldLog struct {
	World   string     `json:"world"`
	Commits []*version `json:"commits"`
}

func newLog(sf *storeFlag) *cobra.Command {
	var n int
	c := printing(&cobra.Command{
		Use:   "log @name[@version]",
		Short: "Lists the versions of a world, newest first",
		Long: `log lists the versions of a world, newest first: number, id, time, author, stones and
bytes that the version added, message. Times are UTC.`,
		Example: "  cairn log @hub -n 10",
		Args:    takes(1, 1),
	}, func(ctx context.Context, args []string) (result, error) { return logOf(ctx, sf, args[0], n) })
	c.Flags().IntVarP(&n, "number", "n", 0, "list at most this many; 0 lists all")
	return c
}

func logOf(ctx context.Context, sf *storeFlag, arg string, n int) (*worldLog, error) {
	a, err := parseAddress(arg)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, usagef("-n %d: 1 or more, or 0 for all", n)
	}
	st, err := sf.open(ctx)
	if err != nil {
		return nil, err
	}
	h := &worldLog{World: "@" + a.name, Commits: []*version{}}
	var limit uint64 // no commit with a larger number is listed
	if a.version != "" {
		c, err := a.commit(ctx, st)
		if err != nil {
			return nil, err
		}
		limit = c.Number
	}
	for c, err := range world.Commits(ctx, st, a.name) {
		if err != nil {
			return nil, err
		}
		if limit != 0 && c.Number > limit {
			continue
		}
		if h.Commits = append(h.Commits, versionOf(c)); len(h.Commits) == n {
			break
		}
	}
	return h, nil
}

func (h *worldLog) print(out io.Writer) {
	t := console.NewColumns(out)
	for _, v := range h.Commits {
		t.Row(console.Count(int64(v.Number)), v.short(), v.stamp(), console.Line(v.Author), console.Counted(v.Stones, "stone"), table.Size(v.Bytes), console.Line(v.Message))
	}
	t.Flush()
}

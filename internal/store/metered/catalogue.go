package metered

import (
	"context"

	"github.com/cairnvoxel/cairn/store/history"
)

// Catalogue returns a Catalogue whose calls are counted. It is a history.Clock and a
// history.Pinger if to is.
func (c *Calls) Catalogue(to history.Catalogue) history.Catalogue {
	counted := catalogue{records{to, c}, to}
	t, p := c.optional(to, ping)
	switch {
	case t != nil && p != nil:
		return struct {
			catalogue
			history.Clock
			*pinger
		}{counted, t, p}
	case t != nil:
		return struct {
			catalogue
			history.Clock
		}{counted, t}
	case p != nil:
		return struct {
			catalogue
			*pinger
		}{counted, p}
	}
	return counted
}

type records struct {
	of history.Records
	c  *Calls
}

func (r records) Get(ctx context.Context, keys ...string) ([][]byte, error) {
	began := r.c.now()
	values, err := r.of.Get(ctx, keys...)
	r.c.observe(get, began, 0, err)
	return values, err
}

func (r records) Scan(ctx context.Context, from, to string, n int, back bool) ([]history.Record, error) {
	began := r.c.now()
	found, err := r.of.Scan(ctx, from, to, n, back)
	r.c.observe(scan, began, 0, err)
	return found, err
}

type catalogue struct {
	records
	of history.Catalogue
}

// Snapshot is for history.Catalogue. Reads of the snapshot are counted too.
func (t catalogue) Snapshot(ctx context.Context) (history.Records, func(), error) {
	began := t.c.now()
	r, release, err := t.of.Snapshot(ctx)
	t.c.observe(snapshot, began, 0, err)
	if err != nil {
		return nil, nil, err
	}
	return records{r, t.c}, release, nil
}

func (t catalogue) Swap(ctx context.Context, conditions, changes []history.Record) error {
	began := t.c.now()
	err := t.of.Swap(ctx, conditions, changes)
	t.c.observe(swap, began, 0, err)
	return err
}

func (t catalogue) Close() error { return t.of.Close() }

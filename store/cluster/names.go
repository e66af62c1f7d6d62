package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/blob/seaweed"
	"github.com/cairnvoxel/cairn/store/history"
)

// nameKind is the first byte of the keys of records that say where SeaweedFS has the
// bytes of the bucket's keys. No record of package pair begins with it, and its Check
// knows it.
const nameKind = "w"

// names is a seaweed.Records in a catalogue.
type names struct{ of history.Catalogue }

func (n names) Get(ctx context.Context, key string) ([]byte, error) {
	values, err := n.of.Get(ctx, nameKind+key)
	if err != nil {
		return nil, asBlob(err)
	}
	return values[0], nil
}

func (n names) Scan(ctx context.Context, prefix, after string, most int) (out []seaweed.Name, err error) {
	from, to := nameKind+max(prefix, after+"\x00"), nameKind+prefix+"\xff"
	found, err := n.of.Scan(ctx, from, to, most, false) // keys are ASCII
	for _, r := range found {
		out = append(out, seaweed.Name{Key: r.Key[len(nameKind):], Value: r.Value})
	}
	return out, asBlob(err)
}

func (n names) Swap(ctx context.Context, conditions, changes []seaweed.Name) error {
	return asBlob(n.of.Swap(ctx, asRecords(conditions), asRecords(changes)))
}

func asRecords(list []seaweed.Name) []history.Record {
	out := make([]history.Record, len(list))
	for i, r := range list {
		out[i] = history.Record{Key: nameKind + r.Key, Value: r.Value}
	}
	return out
}

// asBlob adds the error of package blob or seaweed that says the same.
func asBlob(err error) error {
	switch {
	case errors.Is(err, history.ErrChanged):
		return seaweed.ErrChanged
	case errors.Is(err, history.ErrAway):
		return fmt.Errorf("%w: %w", blob.ErrAway, err)
	}
	return err
}

// timedNames is names in a catalogue that has a clock.
type timedNames struct {
	names
	history.Clock
}

func (n timedNames) Time(ctx context.Context) (time.Time, error) {
	t, err := n.Clock.Time(ctx)
	return t, asBlob(err)
}

// namesIn returns the Names in a catalogue.
func namesIn(c history.Catalogue) seaweed.Records {
	if clock, ok := c.(history.Clock); ok {
		return timedNames{names{c}, clock}
	}
	return names{c}
}

// Collect is for history.Store. It also tidies up in SeaweedFS: it deletes files that
// no key names, and makes the copies that are missing.
func (s *joined) Collect(ctx context.Context, p history.Policy) (history.Collected, error) {
	done, err := s.Pair.Collect(ctx, p)
	if err != nil || s.seaweed == nil {
		return done, err
	}
	_, sweep := s.seaweed.Sweep(ctx)
	_, repair := s.seaweed.Repair(ctx)
	if err := errors.Join(sweep, repair); err != nil && !errors.Is(err, blob.ErrAway) { // the next Collect does it
		return done, fmt.Errorf("cluster: collect: %w", err)
	}
	return done, nil
}

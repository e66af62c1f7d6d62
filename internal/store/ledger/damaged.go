package ledger

import (
	"context"
	"fmt"
	"strconv"

	"github.com/cockroachdb/pebble/v2"
)

// maxFaults bounds what Faults lists.
const maxFaults = 100

// Faults says which objects of a damaged ledger are lost.
func (l *Ledger) Faults() []string { return l.faults }

func (l *Ledger) fault(format string, args ...any) {
	if len(l.faults) < maxFaults {
		l.faults = append(l.faults, fmt.Sprintf(format, args...))
	}
}

// openDamaged makes the state of the newest checkpoint that can be read, and of all entries
// after it that can.
func (l *Ledger) openDamaged(ctx context.Context) error {
	newest, err := l.newest(ctx, 0)
	if err != nil {
		return err
	}
	older, err := l.older(ctx, newest)
	if err != nil {
		return err
	}
	l.Cache = ""
	for _, m := range append(append([]mark{newest}, older...), mark{}) {
		err := l.begin(ctx, m, nil)
		if err == nil {
			break
		}
		if !damaged(err) {
			return err
		}
		l.fault("the checkpoint %s: %v", m.stem(), err)
	}
	s := l.state
	for after := l.entryKey(s.at.number)[len(l.Prefix):]; ; {
		keys, err := l.list(ctx, logKeys, after, keysListed)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := l.applyLoose(ctx, s, key); err != nil {
				return err
			}
		}
		if len(keys) < keysListed {
			return nil
		}
		after = keys[len(keys)-1]
	}
}

// applyLoose applies an entry to the state, whatever was lost before it.
func (l *Ledger) applyLoose(ctx context.Context, s *state, key string) error {
	b, err := l.get(ctx, l.Prefix+key)
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(key[len(logKeys):], 10, 63)
	if err != nil || b == nil {
		return nil // a stranger
	}
	for lost := s.at.number + 1; lost < n; lost++ {
		if l.fault("%s: it is lost", l.entryKey(lost)); len(l.faults) == maxFaults {
			break
		}
	}
	batch := s.db.NewBatch()
	defer batch.Close()
	e, err := decodeEntry(l.Prefix+key, b, func(c change) error {
		k := append([]byte(recordPrefix), c.key...)
		if c.deleted {
			return batch.Delete(k, nil)
		}
		return batch.Set(k, c.value, pebble.NoSync)
	})
	if err != nil || e.number != n {
		l.fault("%s: %v, number %d", l.Prefix+key, err, e.number)
		s.at.number = n
		return nil
	}
	at := s.at.follows(e, b)
	err = s.save(batch, at)
	s.at = at
	return err
}

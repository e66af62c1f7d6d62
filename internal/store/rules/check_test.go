package rules_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/store/history"
)

var errDisk = errors.New("input/output error")

// rows are records. Those without a value cannot be read.
type rows map[string][]byte

func (r rows) Get(key []byte) ([]byte, error) {
	v, ok := r[string(key)]
	if ok && v == nil {
		return nil, errDisk
	}
	return v, nil
}

func (r rows) Each(prefix []byte, what func(key, value []byte) (bool, error)) error {
	for _, k := range slices.Sorted(maps.Keys(r)) {
		if !bytes.HasPrefix([]byte(k), prefix) {
			continue
		}
		if r[k] == nil {
			return errDisk
		}
		if on, err := what([]byte(k), r[k]); err != nil || !on {
			return err
		}
	}
	return nil
}

func (r rows) Keys(prefix []byte, what func(key []byte) error) error {
	return r.Each(prefix, func(key, _ []byte) (bool, error) { return true, what(key) })
}

func (r rows) Back(from, to []byte, what func(key, value []byte) (bool, error)) error {
	keys := slices.Sorted(maps.Keys(r))
	for _, k := range slices.Backward(keys) {
		if k < string(from) || k >= string(to) {
			continue
		}
		if r[k] == nil {
			return errDisk
		}
		if on, err := what([]byte(k), r[k]); err != nil || !on {
			return err
		}
	}
	return nil
}

// A disk that cannot read a log hurts its world and no other, and does not end the check.
func TestCheckUnread(t *testing.T) {
	all := rows{
		string(record.NameKey("a")): record.NumberValue(1),
		string(record.NameKey("b")): record.NumberValue(2),
		string(record.HeadKey(1)):   record.HeadValue(history.Head{}),
		string(record.HeadKey(2)):   record.HeadValue(history.Head{}),
		string(record.LogKey(2, 1)): nil,
	}
	c := rules.Check{Walk: rules.Walk{Reads: record.Reads{Rows: all}, Ctx: t.Context()}}
	c.Walk.Each = func(kind byte, what func(key, value []byte) error) error { // what cannot be read is a fault
		for _, k := range slices.Sorted(maps.Keys(all)) {
			if k[0] == kind && all[k] != nil {
				if err := what([]byte(k), all[k]); err != nil {
					return err
				}
			} else if k[0] == kind {
				c.Report.Fault("%q: %v", k, errDisk)
			}
		}
		return nil
	}
	if err := errors.Join(c.Records(), c.Hurt()); err != nil {
		t.Fatal(err)
	}
	if want := []record.Hurt{{World: "b", Newest: true}}; !slices.Equal(c.Report.Hurt, want) || len(c.Report.Faults) != 1 {
		t.Errorf("got %+v", c.Report)
	}
}

package disk

import (
	"bytes"
	"context"

	"github.com/cairnvoxel/cairn/internal/store/record"
)

func (s *Store) List(ctx context.Context, prefix, after string, n int) (out []string, err error) {
	err = s.calls.OnStore(ctx, "list", func() error {
		o := span(record.NameKey(prefix)...)
		if low := append(record.NameKey(after), 0); bytes.Compare(low, o.LowerBound) > 0 {
			o.LowerBound = low
		}
		if bytes.Compare(o.LowerBound, o.UpperBound) >= 0 {
			return nil
		}
		it, err := s.db.NewIter(o)
		if err != nil {
			return err
		}
		for more := n > 0 && it.First(); more; more = len(out) < n && it.Next() {
			out = append(out, string(it.Key()[1:]))
		}
		return damaged(it.Close())
	})
	return out, err
}

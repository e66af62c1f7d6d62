package pair

import (
	"context"
	"crypto/sha256"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Salvage copies what can be read of the Store into another one, as rules.Salvage says. It
// returns what is lost of worlds, and what could not be read, at most 100 lines.
func (s *Pair) Salvage(ctx context.Context, to history.ArchiveWriter) (lost []record.Hurt, unread []string, err error) {
	v := rules.Salvage{Walk: rules.Walk{Ctx: ctx}, To: to}
	err = s.calls.OnStore(ctx, "salvage", func() error {
		return s.atSnapshot(ctx, func(r record.Reads) error {
			v.Reads, v.Each = r, eachOf(r)
			v.Read = func(ref history.StoneRef) (history.Stone, error) { return s.verified(ctx, r, ref) }
			return v.Run()
		})
	})
	v.Report.End()
	return v.Report.Hurt, v.Report.Faults, err
}

// verified returns a stone whose bytes have the hash that names it.
func (s *Pair) verified(ctx context.Context, r record.Reads, ref history.StoneRef) (history.Stone, error) {
	in, data, err := locate(r, ref.ID)
	if err == nil && in.Size != ref.Size {
		err = history.ErrGone
	}
	if err == nil && data == nil {
		data, err = s.whole(ctx, ref.ID, in)
	}
	if err == nil && sha256.Sum256(data) != ref.ID {
		err = &stone.CorruptError{Part: "stone", Err: errOtherBytes}
	}
	return history.Stone{ID: ref.ID, Data: data}, err
}

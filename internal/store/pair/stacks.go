package pair

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// maxFetch is how often Fetch reads a stack again because stones of it were
// collected meanwhile.
const maxFetch = 3

func (s *Pair) Fetch(ctx context.Context, name string, at history.ID, room int64) (f history.Fetched, err error) {
	for range maxFetch {
		if f, err = s.fetch(ctx, name, at, room); !errors.Is(err, history.ErrGone) {
			break
		}
	}
	return f, err
}

func (s *Pair) fetch(ctx context.Context, name string, at history.ID, room int64) (f history.Fetched, err error) {
	var p *parts
	err = s.calls.OnWorld(ctx, "fetch", name, func() error {
		err := s.ask(ctx, func(r record.Reads) error {
			if f, err = rules.Layers(r, name, at); err != nil {
				return err
			}
			if s.cache == nil { // no call costs anything
				f.Data, err = history.DataOf(f.Layers, room, func(l history.Layer) ([]byte, error) {
					in, data, err := locate(r, l.Stone.ID)
					if data == nil && err == nil {
						data, err = s.read(ctx, bytesKey(l.Stone.ID, in.Number), 0, in.Size)
					}
					return data, err
				})
				return err
			}
			p = &parts{Pair: s, data: make(map[stone.ID][]byte)}
			if _, err = history.DataOf(f.Layers, room, p.want); err == nil {
				err = p.find(r)
			}
			return err
		})
		if err != nil || p == nil {
			return err
		}
		if err := p.read(ctx); err != nil {
			return err
		}
		f.Data, err = history.DataOf(f.Layers, room, func(l history.Layer) ([]byte, error) { return p.data[l.Stone.ID], nil })
		return err
	})
	return f, err
}

// parts gathers the bytes of stones.
type parts struct {
	*Pair
	wanted []history.StoneRef
	data   map[stone.ID][]byte
	infos  map[stone.ID]record.Info // of stones whose bytes are in the bucket
}

// want takes the bytes of a layer's stone from the cache or wants them. They are
// needed, so they are there.
func (p *parts) want(l history.Layer) ([]byte, error) {
	if data := p.cache.stone(l.Stone.ID); data != nil {
		p.data[l.Stone.ID] = data
	} else {
		p.wanted = append(p.wanted, l.Stone)
	}
	return []byte{}, nil
}

// find finds out where the wanted bytes are. It takes those that are in the
// catalogue.
func (p *parts) find(r record.Reads) error {
	if len(p.wanted) == 0 {
		return nil
	}
	var keys [][]byte
	for _, ref := range p.wanted {
		keys = append(keys, p.placeKeys(ref)...)
	}
	if err := r.Ahead(keys...); err != nil {
		return err
	}
	for _, ref := range p.wanted {
		in, data, err := locate(r, ref.ID)
		if err != nil {
			return fmt.Errorf("stone %v: %w", ref.ID, err)
		}
		if data != nil {
			p.data[ref.ID] = data
		} else {
			if p.infos == nil {
				p.infos = make(map[stone.ID]record.Info)
			}
			p.infos[ref.ID] = in
		}
	}
	return nil
}

// placeKeys returns the keys of the records that are likely needed to read a stone.
func (s *Pair) placeKeys(ref history.StoneRef) [][]byte {
	keys := [][]byte{record.StoneKey(ref.ID)}
	if s.small(ref.Size) {
		keys = append(keys, []byte(smallKey(ref.ID)))
	}
	return keys
}

// locate returns what is known of a stone, and its bytes if they are in the
// catalogue. The error is ErrGone if there is no such stone.
func locate(r record.Reads, id stone.ID) (in record.Info, data []byte, err error) {
	in, ok, err := r.Info(id)
	if err == nil && !ok {
		err = history.ErrGone
	}
	if err != nil || in.Number != 0 {
		return in, nil, err
	}
	data, err = r.Get([]byte(smallKey(id)))
	if err == nil && int64(len(data)) != in.Size {
		err = &stone.CorruptError{Part: "small stone", Err: fmt.Errorf("%d bytes: want %d", len(data), in.Size)}
	}
	return in, data, err
}

// read gets the wanted bytes that are in the bucket.
func (p *parts) read(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ids := slices.Collect(maps.Keys(p.infos))
	data := make([][]byte, len(ids))
	one := func(i int) (err error) {
		if data[i], err = p.whole(ctx, ids[i], p.infos[ids[i]]); err != nil {
			cancel(fmt.Errorf("stone %v: %w", ids[i], err))
		}
		return err
	}
	if len(ids) == 1 {
		_ = one(0) // the cause of ctx says it
	} else {
		each(len(ids), one)
	}
	for i, id := range ids {
		p.data[id] = data[i]
	}
	return context.Cause(ctx)
}

// whole returns the bytes of a stone that is in the bucket, or remembered.
func (s *Pair) whole(ctx context.Context, id stone.ID, in record.Info) ([]byte, error) {
	if data := s.cache.stone(id); data != nil {
		return data, nil
	}
	data, err := s.read(ctx, bytesKey(id, in.Number), 0, in.Size)
	if err != nil || s.cache == nil {
		return data, err
	}
	if sha256.Sum256(data) != id { // what is remembered is believed
		return nil, &stone.CorruptError{Part: "stone in the bucket", Err: errOtherBytes}
	}
	s.cache.putStone(id, data)
	return data, nil
}

// Open reads a stone of up to 1 MiB whole.
func (s *Pair) Open(ctx context.Context, name string, id stone.ID) (o *history.Opened, err error) {
	err = s.calls.OnWorld(ctx, "open", name, func() error {
		if o, err = s.openStone(ctx, name, id); err != nil {
			return fmt.Errorf("stone %v: %w", id, err)
		}
		return nil
	})
	return o, err
}

func (s *Pair) openStone(ctx context.Context, name string, id stone.ID) (*history.Opened, error) {
	var in record.Info
	var data []byte
	err := s.ask(ctx, func(r record.Reads) error {
		// The stone's size is not known, so its bytes may be in the catalogue.
		err := r.Ahead(record.NameKey(name), record.StoneKey(id), []byte(smallKey(id)))
		if err == nil {
			_, err = r.World(name)
		}
		if err == nil {
			in, data, err = locate(r, id)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	key := bytesKey(id, in.Number)
	if data == nil && in.Size <= wholeBytes {
		if data, err = s.whole(ctx, id, in); err != nil {
			return nil, err
		}
	}
	if data != nil {
		r, err := stone.Open(bytes.NewReader(data), in.Size)
		return &history.Opened{Reader: r, Closer: io.NopCloser(nil)}, err
	}
	b := s.hold(ctx, key, in.Size)
	r, err := stone.Open(b, in.Size)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return &history.Opened{Reader: r, Closer: b}, nil
}

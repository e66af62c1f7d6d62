package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
)

// Stack is for world.Shelf. The stones that come with it are kept for Open.
func (s *Store) Stack(ctx context.Context, name string, at world.ID) ([]world.Layer, error) {
	if at == (world.ID{}) {
		_, err := s.Head(ctx, name) // there is nothing, if there is the world
		return nil, err
	}
	_, layers, stones, err := s.stack(ctx, name, at, s.o.Inline)
	s.keepAll(name, stones)
	return layers, err
}

// Latest returns the head of a world and its stack, of one moment and in one
// call. The stones that come with it are kept for Open.
func (s *Store) Latest(ctx context.Context, name string) (world.Head, []world.Layer, error) {
	h, layers, stones, err := s.stack(ctx, name, world.ID{}, s.o.Inline)
	s.keepAll(name, stones)
	return h, layers, err
}

// maxFetch is how many bytes of stones a Fetch asks for at most.
const maxFetch = 64 << 20

// Fetch is for world.Fetcher. The server may send less than there is room for. The
// stones are not kept.
func (s *Store) Fetch(ctx context.Context, name string, at world.ID, room int64) (world.Fetched, error) {
	h, layers, stones, err := s.stack(ctx, name, at, max(0, min(room, maxFetch)))
	if err != nil {
		return world.Fetched{}, err
	}
	f := world.Fetched{Head: h, Layers: layers, Data: make([][]byte, len(layers))}
	for i, l := range layers {
		if j := slices.IndexFunc(stones, func(st world.Stone) bool { return st.ID == l.Stone.ID }); j >= 0 {
			f.Data[i] = stones[j].Data
		}
	}
	return f, nil
}

// stack asks for a stack and up to inline bytes of its stones, which it checks.
func (s *Store) stack(ctx context.Context, name string, at world.ID, inline int64) (h world.Head, layers []world.Layer, stones []world.Stone, err error) {
	c, err := named(ctx, "stack", http.MethodGet, "stack/", name)
	if err != nil {
		return h, nil, nil, err
	}
	c.query = "inline=" + strconv.FormatInt(inline, 10)
	if at != (world.ID{}) {
		c.query += "&at=" + at.String()
	}
	c.repeat, c.accept, c.carries = always, RecordsType, inline
	c.read = func(answer *http.Response) error {
		return s.readRecords(maxHeading+inline+1<<16, func(r *Records) error {
			var stack Stack
			stack, stones, err = ReadStack(r, inline)
			if err != nil {
				return err
			}
			layers, h.Commit = stack.World(), world.ID(stack.At)
			if at != (world.ID{}) {
				if h.Commit != at {
					err = fmt.Errorf("%w: the stack of another commit", errAnswer)
				}
				return err
			}
			h.Fence, err = strconv.ParseUint(answer.Header.Get(FenceHeader), 10, 64)
			if err != nil {
				return fmt.Errorf("%w: no fence", errAnswer)
			}
			return nil
		})(answer)
	}
	if err := s.do(ctx, c); err != nil {
		return world.Head{}, nil, nil, err
	}
	for _, st := range stones {
		if err := checkWhole(st.ID, st.Data); err != nil {
			return world.Head{}, nil, nil, fmt.Errorf("client: stack %s: %w", name, err)
		}
	}
	return h, layers, stones, nil
}

// keepAll keeps whole stones for Open.
func (s *Store) keepAll(name string, stones []world.Stone) {
	for _, st := range stones {
		s.kept.put(place{name, st.ID, whole}, st.Data)
	}
}

// checkWhole returns an error unless data is what id names.
func checkWhole(id stone.ID, data []byte) error {
	if got := stone.ID(sha256.Sum256(data)); got != id {
		return &stone.CorruptError{Part: "stone", Err: fmt.Errorf("%v came for %v", got, id)}
	}
	return nil
}

// Open is for world.Shelf. A large stone is read when it is asked for something,
// in blocks: then an error of the network is an error of the read.
func (s *Store) Open(ctx context.Context, name string, id stone.ID) (*world.Opened, error) {
	c, err := named(ctx, "open", http.MethodGet, "stones/"+id.String()+"/", name)
	if err != nil {
		return nil, err
	}
	if data, ok := s.kept.get(place{name, id, whole}); ok {
		return openWhole(c, data)
	}
	end, size, err := s.fetch(ctx, c, "bytes=-"+strconv.Itoa(wholeBytes), -1, wholeBytes)
	if err != nil {
		return nil, err
	}
	if int64(len(end)) == size {
		if err := checkWhole(id, end); err != nil {
			return nil, fmt.Errorf("client: open %s: %w", name, err)
		}
		s.kept.put(place{name, id, whole}, end)
		return openWhole(c, end)
	}
	b := &blocks{store: s, call: *c, id: id, size: size, end: end}
	b.ctx, b.cancel = context.WithCancel(s.life)
	r, err := stone.Open(b, size)
	b.keepEnd()
	if err != nil {
		b.cancel()
		return nil, fmt.Errorf("client: open %s: stone %v: %w", name, id, err)
	}
	return &world.Opened{Reader: r, Closer: b}, nil
}

func openWhole(c *call, data []byte) (*world.Opened, error) {
	r, err := stone.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("client: open %s: %w", c.name, err)
	}
	return &world.Opened{Reader: r, Closer: io.NopCloser(nil)}, nil
}

// fetch asks for a range of a stone, and returns its bytes and the size of the
// stone. The range must begin at off and have n bytes, or if off is -1 be the
// last n of the stone.
func (s *Store) fetch(ctx context.Context, c *call, ranged string, off, n int64) (data []byte, size int64, err error) {
	f := *c
	f.accept, f.ranged, f.repeat, f.carries = "application/octet-stream", ranged, always, n
	f.read = func(answer *http.Response) (err error) {
		var from, upto int64
		from, upto, size, err = parseRange(answer)
		if err != nil {
			return err
		}
		want := off
		if off < 0 {
			want = max(size-n, 0)
		}
		if from != want || upto-from != min(n, size-want) {
			return fmt.Errorf("%w: bytes %d to %d of %d", errAnswer, from, upto, size)
		}
		data = make([]byte, upto-from)
		_, err = io.ReadFull(answer.Body, data)
		return err
	}
	if err := s.do(ctx, &f); err != nil {
		return nil, 0, err
	}
	return data, size, nil
}

// parseRange returns which bytes an answer has, of how many.
func parseRange(answer *http.Response) (from, upto, size int64, err error) {
	text := answer.Header.Get("Content-Range")
	span, of, ok := strings.Cut(strings.TrimPrefix(text, "bytes "), "/")
	first, last, ok2 := strings.Cut(span, "-")
	var errs [3]error
	from, errs[0] = strconv.ParseInt(first, 10, 64)
	upto, errs[1] = strconv.ParseInt(last, 10, 63)
	size, errs[2] = strconv.ParseInt(of, 10, 64)
	upto++
	bad := answer.StatusCode != http.StatusPartialContent || !ok || !ok2 || errs != [3]error{}
	if bad || from < 0 || from >= upto || upto > size {
		return 0, 0, 0, fmt.Errorf("%w: status %d, range %.80q", errAnswer, answer.StatusCode, text)
	}
	return from, upto, size, nil
}

// PutPack is for world.Shelf.
func (s *Store) PutPack(ctx context.Context, name string, p world.Pack, st world.Stone) error {
	c, err := named(ctx, "pack", http.MethodPost, "packs/", name)
	if err == nil {
		err = p.Admit(st) // the server names the stone by its bytes
	}
	if err != nil {
		return err
	}
	if c.body, err = PackBody(p, st.Data); err != nil {
		return err
	}
	c.bodyType, c.repeat, c.carries = RecordsType, always, c.body.Size()
	return s.do(ctx, c)
}

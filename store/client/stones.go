package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

func (s *store) Stack(ctx context.Context, name string, at history.ID) ([]history.Layer, error) {
	if at == (history.ID{}) {
		_, err := s.Head(ctx, name) // an empty stack, if the world exists
		return nil, err
	}
	f, err := s.Fetch(ctx, name, at, 0)
	return f.Layers, err
}

// maxFetch is the largest number of bytes of stones that one Fetch asks for.
const maxFetch = 64 << 20

// Fetch is for history.Fetcher. It makes one call. The server may send fewer bytes
// of stones than room allows.
func (s *store) Fetch(ctx context.Context, name string, at history.ID, room int64) (f history.Fetched, err error) {
	c, err := named(ctx, "fetch", http.MethodGet, "stack/", name)
	if err != nil {
		return f, err
	}
	room = max(0, min(room, maxFetch))
	c.query = "inline=" + strconv.FormatInt(room, 10)
	if at != (history.ID{}) {
		c.query += "&at=" + at.String()
	}
	c.repeat, c.stale, c.accept, c.carries = always, true, wire.RecordsType, room
	c.read = func(answer *http.Response) error {
		err := s.readRecords(wire.MaxHeading+room+1<<16, func(r *wire.RecordReader) (err error) {
			f, err = wire.ReadStack(r, room)
			return err
		})(answer)
		switch {
		case err != nil:
		case at == (history.ID{}):
			if f.Head.Fence, err = strconv.ParseUint(answer.Header.Get(wire.FenceHeader), 10, 64); err != nil {
				err = fmt.Errorf("%w: no fence", errAnswer)
			}
		case f.Head.Commit != at:
			err = fmt.Errorf("%w: the stack of another commit", errAnswer)
		}
		return err
	}
	if err := s.do(ctx, c); err != nil {
		return history.Fetched{}, err
	}
	return f, nil
}

// Open is for history.Stacks. A large stone is read in blocks when it is used, so a
// read may fail because of the network.
func (s *store) Open(ctx context.Context, name string, id stone.ID) (*history.Opened, error) {
	c, err := named(ctx, "open", http.MethodGet, "stones/"+id.String()+"/", name)
	if err != nil {
		return nil, err
	}
	end, size, err := s.readRange(ctx, c, "bytes=-"+strconv.Itoa(wholeBytes), -1, wholeBytes)
	if err != nil {
		return nil, err
	}
	b := &blocks{store: s, call: *c, id: id, size: size, end: end}
	o := &history.Opened{Closer: b}
	b.ctx, b.cancel = context.WithCancel(s.life)
	if whole := int64(len(end)) == size; !whole {
		o.Reader, err = stone.Open(b, size)
		b.end = nil
	} else if err = wire.CheckStone(id, end); err == nil {
		o.Reader, err = stone.Open(bytes.NewReader(end), size)
	}
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("client: open %s: stone %v: %w", name, id, err)
	}
	return o, nil
}

// readRange reads a range of a stone and returns its bytes and the size of the
// stone. The range must have n bytes from off, or be the last n bytes of the stone
// if off is -1.
func (s *store) readRange(ctx context.Context, c *call, ranged string, off, n int64) (data []byte, size int64, err error) {
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

// parseRange returns the range of bytes in an answer, and the size of the stone.
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

func (s *store) PutPack(ctx context.Context, name string, p history.Pack, st history.Stone) error {
	c, err := named(ctx, "pack", http.MethodPost, "packs/", name)
	if err == nil {
		err = p.Admit(st) // the server computes the ID from the bytes
	}
	var data []byte
	if err == nil {
		data, err = st.Bytes()
	}
	if err != nil {
		return err
	}
	c.body = wire.PackBody(p, data)
	c.bodyType, c.repeat, c.carries = wire.RecordsType, always, c.body.Size()
	return s.do(ctx, c)
}

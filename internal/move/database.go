package move

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cairnvoxel/cairn/internal/port"
)

// files keeps bytes by name. get, sign and put have the error fs.ErrNotExist for a name that is not there.
type files interface {
	list(ctx context.Context) ([]string, error)
	// sign returns a text that is another whenever the bytes are.
	sign(ctx context.Context, name string) (string, error)
	// get returns bytes and their sign. It refuses more than most.
	get(ctx context.Context, name string, most int64) ([]byte, string, error)
	// put returns when the bytes are as durable as the database makes them.
	put(ctx context.Context, name string, data []byte) error
	// holds is the most bytes that a name can have.
	holds() int64
	close() error
}

// database is a place of Slime files, one for each name.
type database struct {
	files
	name string
}

func (d *database) String() string                             { return d.name }
func (d *database) List(ctx context.Context) ([]string, error) { return d.list(ctx) }
func (d *database) Close() error                               { return d.close() }

func (d *database) Sign(ctx context.Context, name string) (string, error) {
	sign, err := d.sign(ctx, name)
	if err != nil {
		return "", d.wrap(name, err)
	}
	return sign, nil
}

func (d *database) wrap(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noWorld(d, name)
	case err != nil:
		return fmt.Errorf("move: %s: world %q: %w", d.name, name, err)
	}
	return nil
}

// mostBytes is how many bytes of a world are read into memory if the options do not say it.
const mostBytes = 512 << 20

// Open reads the bytes into memory.
func (d *database) Open(ctx context.Context, name string, o port.Options) (*Loaded, error) {
	most := o.Memory
	if most <= 0 {
		most = mostBytes
	}
	data, sign, err := d.get(ctx, name, most)
	if err != nil {
		return nil, d.wrap(name, err)
	}
	src, err := port.OpenReader(bytes.NewReader(data), int64(len(data)), o)
	if err != nil {
		return nil, d.wrap(name, err)
	}
	return &Loaded{Opened: src, Sign: sign}, nil
}

// Make makes a Slime file in memory.
func (d *database) Make(ctx context.Context, name string, w *Loaded, o Wanted) (*Made, error) {
	if o.Format != "" && o.Format != port.Slime {
		return nil, fmt.Errorf("move: %s keeps Slime files, no %s", d.name, o.Format)
	}
	most := min(d.holds(), mostBytes)
	to := &bounded{most: most}
	m := &Made{Lost: map[string]int{}, drop: func() {}}
	if err := m.file(ctx, w, to, port.Target{Format: port.Slime, Version: o.Version, Name: name}); err != nil {
		return nil, err
	}
	data := to.Bytes()
	m.open = func(o port.Options) (*Loaded, error) {
		src, err := port.OpenReader(bytes.NewReader(data), int64(len(data)), o)
		return &Loaded{Opened: src}, err
	}
	m.put = func(ctx context.Context, was string) (string, error) {
		if err := unchanged(ctx, d, name, was); err != nil {
			return "", err
		}
		if err := d.put(ctx, name, data); err != nil {
			return "", d.wrap(name, err)
		}
		back, sign, err := d.get(ctx, name, int64(len(data)))
		if err == nil && !bytes.Equal(back, data) {
			err = errOther
		}
		return sign, d.wrap(name, err)
	}
	return m, nil
}

// errOther says that a place gave other bytes back.
var errOther = errors.New("what was read back is not what was written")

// unchanged fails unless a world has the sign was, or is not there if that is empty.
func unchanged(ctx context.Context, p Depot, name, was string) error {
	is, err := p.Sign(ctx, name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case is != was:
		return fmt.Errorf("move: %v: world %q: %w", p, name, ErrChanged)
	}
	return nil
}

// bounded is a buffer that refuses more than most bytes.
type bounded struct {
	bytes.Buffer
	most int64
}

// Write fails when the bytes are too many.
func (b *bounded) Write(p []byte) (int, error) {
	if int64(b.Len()+len(p)) > b.most {
		return 0, fmt.Errorf("the file has more than the %d bytes that fit there", b.most)
	}
	return b.Buffer.Write(p)
}

// signOf is the sign of bytes where the database makes none. Redis can compute it, too.
func signOf(data []byte) string {
	sum := sha1.Sum(data)
	return hex.EncodeToString(sum[:])
}

// tooLarge is the error of bytes above a bound.
func tooLarge(size, most int64) error {
	return fmt.Errorf("%d bytes are more than the %d that it may take; --memory allows more", size, most)
}

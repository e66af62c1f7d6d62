// Package move carries worlds in bulk between a store and the places where servers keep them: Redis, MySQL, MongoDB,
// folders, and other stores. Each world is read back and compared after it was written.
//
// What both sides were when they were last equal is a file in a world of the store, StateName. So a repeated move passes
// over what has not changed, and Mirror knows which side changed.
package move

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/stone"
)

// Depot is a place: where worlds are kept under names, which are any text. One goroutine uses it at a time.
type Depot interface {
	// String names the place without its secrets. It is the same for all ways to write the place.
	String() string
	// List returns the names of the worlds that are there, in ascending order.
	List(ctx context.Context) ([]string, error)
	// Sign returns a text that is another whenever the world is, without reading all of it where that can be avoided. The
	// error is fs.ErrNotExist if there is no world of that name.
	Sign(ctx context.Context, name string) (string, error)
	// Open opens a world. The error is fs.ErrNotExist if there is none.
	Open(ctx context.Context, name string, o port.Options) (*Loaded, error)
	// Make brings a world into the form in which the place keeps it, and does not put it there yet.
	Make(ctx context.Context, name string, w *Loaded, o Wanted) (*Made, error)
	Close() error
}

// Loaded is an open world of a place.
type Loaded struct {
	*port.Opened
	Content stone.Content // by Parts; nil until then
	Sign    string
	close   func() error // nil, or closes what Opened does not
}

// Close closes the world.
func (w *Loaded) Close() error {
	err := w.Opened.Close()
	if w.close != nil {
		err = errors.Join(err, w.close())
	}
	return err
}

// Wanted says how a place is to keep a world that is new there.
type Wanted struct {
	// Format is the name of a format of port.Formats, and Version its own version. Default: the format that the world was
	// read from, if the place takes that.
	Format  string
	Version int
	// Note is for a version in a store.
	Note port.ImportOptions
}

// Made is a world in the form in which a place keeps it.
type Made struct {
	Lost    map[string]int // what that form does not hold
	content stone.Content  // what of the world was to be written
	// open reads it back. It is nil where only Put can tell.
	open func(o port.Options) (*Loaded, error)
	// put puts it there, on stable storage, in place of a world that has the sign was, or of none, and returns its sign.
	put func(ctx context.Context, was string) (string, error)
	// drop removes it unless it was put.
	drop func()
}

// ErrChanged says that a world at a place is not what it was when it was looked at.
var ErrChanged = errors.New("someone changed the world meanwhile: repeat the command")

// errNotWritten says that a place keeps worlds in a form that is not written.
var errNotWritten = errors.New("cairn reads this and does not write it")

// IsURL reports whether text names a place that is a database.
func IsURL(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	return ok && openers[scheme] != nil
}

// openers open places by the scheme of their URL.
var openers = map[string]func(context.Context, *url.URL) (files, error){
	"redis": openRedis, "rediss": openRedis, "mysql": openMySQL, "mongodb": openMongo, "mongodb+srv": openMongo,
}

// Open opens a place: a URL of IsURL, or a folder. make makes a folder that is not there.
func Open(ctx context.Context, text string, make bool) (Depot, error) {
	if !IsURL(text) {
		return openFolder(text, make)
	}
	u, err := url.Parse(text)
	if err != nil { // it may have a password in it
		return nil, fmt.Errorf("move: %s: not a URL: a password in it is written with %%HH for what is not a letter or a digit", strings.SplitN(text, "://", 2)[0])
	}
	of, err := openers[u.Scheme](ctx, u)
	if err != nil {
		return nil, fmt.Errorf("move: %s: %w", u.Redacted(), err)
	}
	public := url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/"), Fragment: u.Fragment}
	if strings.HasPrefix(u.Scheme, "redis") {
		public.Scheme, public.Path = "redis", strings.TrimSuffix(public.Path, "/0")
	}
	return &database{of, public.String()}, nil
}

// absolute returns a path that is the same for all ways to write it.
func absolute(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err == nil {
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			return real, nil
		}
	}
	return abs, err
}

// noWorld is the error of a world that is not there.
func noWorld(place fmt.Stringer, name string) error {
	return fmt.Errorf("move: %v: world %q: %w", place, name, fs.ErrNotExist)
}

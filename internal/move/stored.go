package move

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// Worlds are the worlds of a store below a prefix. The name of such a world is what history.Unescape makes of the parts
// behind the prefix. One that is new gets the part that history.Escape makes of its name.
type Worlds struct {
	Store  history.Store
	Prefix string // "" or parts that each end with a slash
	URL    string // names the store
	Cache  stone.PageCache
	names  map[string]string
}

func (s *Worlds) String() string { return s.URL + "@" + s.Prefix }

// Close leaves the store open.
func (s *Worlds) Close() error { return nil }

// hidden are parts of names of worlds that belong to another world.
var hidden = []string{".snapshots", ".inbox", record.Moved}

// List lists the worlds, also those without a version, for which Sign fails.
func (s *Worlds) List(ctx context.Context) ([]string, error) {
	s.names = map[string]string{}
	var cut []string // names that do not say what they were made of
	const page = 1000
	for after := ""; ; {
		names, err := s.Store.List(ctx, s.Prefix, after, page)
		if err != nil {
			return nil, err
		}
		for _, full := range names {
			parts := strings.Split(strings.TrimPrefix(full, s.Prefix), "/")
			if slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(hidden, p) }) {
				continue
			}
			whole := true
			for i, part := range parts {
				ok := false
				parts[i], ok = history.Unescape(part)
				whole = whole && ok
			}
			name := strings.Join(parts, "/")
			if _, taken := s.names[name]; taken {
				name = strings.TrimPrefix(full, s.Prefix)
			}
			if s.names[name] = full; !whole {
				cut = append(cut, name)
			}
		}
		if len(names) < page {
			break
		}
		after = names[len(names)-1]
	}
	if len(cut) > 0 {
		if err := s.uncut(ctx, cut); err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(s.names)), nil
}

// uncut renames worlds whose names were cut as they are called at the places that they came from.
func (s *Worlds) uncut(ctx context.Context, cut []string) error {
	states, err := s.Store.List(ctx, s.Prefix+record.Moved+"/", "", 1000)
	if err != nil {
		return err
	}
	for _, name := range states {
		known, err := s.stateIn(ctx, name)
		if err != nil {
			return err
		}
		for _, name := range cut {
			full := s.names[name]
			if was := known.Worlds[full].Name; full == s.Prefix+history.Escape(was) {
				delete(s.names, name)
				s.names[was] = full
			}
		}
	}
	return nil
}

// Name returns the name in the store of a world, which need not be there.
func (s *Worlds) Name(name string) string {
	if full, ok := s.names[name]; ok {
		return full
	}
	return s.Prefix + history.Escape(name)
}

// Sign is the id of the newest version.
func (s *Worlds) Sign(ctx context.Context, name string) (string, error) {
	head, err := s.Store.Head(ctx, s.Name(name))
	if errors.Is(err, history.ErrNoWorld) || err == nil && head.Commit == (history.ID{}) {
		return "", noWorld(s, name)
	}
	return head.Commit.String(), err
}

// Open opens the newest version.
func (s *Worlds) Open(ctx context.Context, name string, _ port.Options) (*Loaded, error) {
	sign, err := s.Sign(ctx, name)
	if err != nil {
		return nil, err
	}
	id, err := history.ParseID(sign)
	if err != nil {
		return nil, err
	}
	return s.openAt(ctx, name, id)
}

func (s *Worlds) openAt(ctx context.Context, name string, id history.ID) (*Loaded, error) {
	snap, err := world.OpenSnapshot(ctx, s.Store, s.Name(name), id, world.Options{Cache: s.Cache})
	if err != nil {
		return nil, err
	}
	return &Loaded{Opened: port.FromContent(snap), Content: snap, Sign: id.String(), close: snap.Close}, nil
}

// Make returns the world as it is.
func (s *Worlds) Make(_ context.Context, name string, w *Loaded, o Wanted) (*Made, error) {
	if o.Format != "" {
		return nil, fmt.Errorf("move: %v keeps worlds of every format as they are", s)
	}
	if _, there := s.names[name]; !there && strings.HasPrefix(name, ".") && history.Escape(name) == name {
		return nil, fmt.Errorf("move: %q: %w: one that begins with a dot is hidden", name, history.ErrName)
	}
	m := &Made{content: w.Content, drop: func() {}}
	m.put = func(ctx context.Context, was string) (string, error) {
		on, err := history.ID{}, error(nil)
		if was != "" {
			on, err = history.ParseID(was)
		}
		if err != nil {
			return "", err
		}
		o.Note.On = &on
		done, err := w.Import(ctx, func(context.Context) (history.Store, error) { return s.Store, nil }, s.Name(name), w.Content, o.Note)
		switch {
		case errors.Is(err, history.ErrConflict):
			return "", fmt.Errorf("move: %v: world %q: %w", s, name, ErrChanged)
		case err != nil:
			return "", err
		case done.Same:
			return done.Commit.ID().String(), nil
		}
		back, err := s.openAt(ctx, name, done.Commit.ID())
		if err != nil {
			return "", err
		}
		why, err := compare(ctx, w.Content, back.Content, nil)
		if err = errors.Join(err, back.Close()); err == nil && why != "" {
			err = fmt.Errorf("%w: %s", errOther, why)
		}
		return back.Sign, err
	}
	return m, nil
}

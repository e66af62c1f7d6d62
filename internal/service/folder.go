package service

import (
	"context"
	"log/slog"

	"github.com/cairnvoxel/cairn/internal/living"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
)

// folder is one of Settings.Folders, while its history is kept. One look or one put has it at a time: a look during a put
// would make a version of half of it, and a second put would give up the first one's lock of session.lock by closing that file.
type folder struct {
	*living.History
	s    *service
	log  *slog.Logger
	busy chan struct{} // holds one while somebody has the folder
}

// watchedFolders makes the folders of the settings, by their worlds.
func (s *service) watchedFolders() map[string]server.GameFolder {
	all := map[string]server.GameFolder{}
	for i := range s.Folders {
		f := &folder{History: &s.Folders[i], s: s, busy: make(chan struct{}, 1)}
		f.log = s.log.With("folder", f.Dir, "world", f.World)
		s.looks, all[f.World] = append(s.looks, f), f
	}
	return all
}

// watch keeps the history of the folder until ctx ends.
func (f *folder) watch(ctx context.Context) {
	err := living.Run(ctx, f.Dir, f.s.Living, func(ctx context.Context) error {
		err := f.alone(ctx, func() error { return f.version(ctx) })
		if err != nil && ctx.Err() == nil {
			f.log.Error("watch: no version was made", "err", err)
		}
		return nil
	})
	if err != nil {
		f.log.Error("watch has ended", "err", err)
	}
}

// alone calls do while nobody else has the folder.
func (f *folder) alone(ctx context.Context, do func() error) error {
	select {
	case f.busy <- struct{}{}:
		defer func() { <-f.busy }()
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// version makes what changed the next version.
func (f *folder) version(ctx context.Context) error {
	l, err := f.Look(ctx, func(context.Context) (history.Store, error) { return f.s.store, nil })
	if err == nil && !l.Untouched && !l.Same {
		f.log.Info("watch", "version", l.Number, "columns", l.Columns, "bytes", l.Bytes, "torn", l.Torn)
		f.s.keeper.Saved(f.World, l.Number)
	}
	return err
}

// Put is for server.GameFolder.
func (f *folder) Put(ctx context.Context, dry bool, put func(dir string) error) error {
	return f.alone(ctx, func() error {
		if dry {
			return put(f.Dir)
		}
		err := f.version(ctx)
		if err == nil {
			err = put(f.Dir)
		}
		if err != nil {
			return err
		}
		if err := f.version(ctx); err != nil { // the next look makes it
			f.log.Error("watch: no version was made of what was put back", "err", err)
		}
		return nil
	})
}

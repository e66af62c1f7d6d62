package port

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// sparse is a part of a world of which only the columns count: the chunk of each, and nothing of what other region files
// have of it. Files and properties are those of base.
type sparse struct {
	stone.Content
	base *world.Snapshot
}

func (s sparse) About() stone.About {
	about, have := s.Content.About(), s.base.About()
	about.Properties, about.Files = have.Properties, have.Files
	about.Dimensions = slices.Clone(about.Dimensions)
	for i, d := range about.Dimensions {
		for _, was := range have.Dimensions {
			if was.Name == d.Name {
				about.Dimensions[i].Folder = was.Folder
			}
		}
	}
	return about
}

func (s sparse) ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		for c, err := range s.Content.ReadColumns(ctx, dim) {
			var was *voxel.Column
			if err == nil {
				was, err = s.base.ReadColumn(ctx, dim, c.Pos)
			}
			if err == nil {
				c, err = anvil.Patch(was, c, []string{voxel.PartChunk})
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// importSparse puts the columns of a part over the newest version of a world, which is base, and commits that.
func importSparse(ctx context.Context, st history.Store, name string, base *world.Snapshot, c stone.Content, n Note) (done Imported, err error) {
	if err := openable(ctx, st, name, n.MaxBytes); err != nil {
		return done, err
	}
	at, err := everywhere(ctx, nil, c)
	var over *changes
	if err == nil {
		over, err = changesOf(ctx, base, sparse{c, base}, at)
	}
	if err != nil {
		return done, &SourceError{err}
	}
	over.same = map[string]bool{}
	for _, f := range over.about.Files {
		over.same[f.Path] = true
	}
	w, err := world.Open(ctx, st, name, world.Options{Author: n.Author, Time: n.Time, Fence: n.Fence, Cache: n.Cache})
	if err != nil {
		return done, err
	}
	if w.Head() != base.ID() {
		err = history.ErrConflict
	} else {
		done, err = over.commit(ctx, w, n)
	}
	return done, errors.Join(err, w.Close())
}

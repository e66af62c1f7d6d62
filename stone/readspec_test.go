package stone_test

import (
	"context"
	"io"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// readSpec reads the whole stone, as a Spec equal to the one that Write wrote.
func readSpec(r *stone.Reader) (stonetest.Spec, error) {
	s := stonetest.Spec{Properties: r.Properties()}
	for _, d := range r.Dimensions() {
		spec := stonetest.DimensionSpec{Name: d.Name, Folder: d.Folder, Rules: r.Rules(d.Name), Matters: r.Matters(d.Name)}
		for _, v := range d.Volumes {
			vs := stonetest.VolumeSpec{Volume: v.Volume, Names: v.Names}
			for _, level := range v.Levels {
				l := stonetest.LevelSpec{Level: level}
				for c, err := range r.Chunks(context.Background(), d.Name, v.Volume.Name, level) {
					if err != nil {
						return s, err
					}
					l.Chunks = append(l.Chunks, c)
				}
				vs.Levels = append(vs.Levels, l)
			}
			spec.Volumes = append(spec.Volumes, vs)
		}
		for c, err := range r.ReadColumns(context.Background(), d.Name) {
			if err != nil {
				return s, err
			}
			spec.Columns = append(spec.Columns, *c)
		}
		var err error
		if spec.Lists, err = readLists(r, d); err != nil {
			return s, err
		}
		for pos, there := range r.ColumnEntries(d.Name) {
			if !there {
				spec.Gone = append(spec.Gone, pos)
			}
		}
		s.Dimensions = append(s.Dimensions, spec)
	}
	return s, readFiles(&s, r)
}

// readLists reads the lists of columns of which the stone says nothing else.
func readLists(r *stone.Reader, d stone.DimensionInfo) (specs []stonetest.ListsSpec, err error) {
	lists := make(map[geom.ColumnPos][]voxel.List)
	for _, name := range d.Lists {
		for pos := range r.ListEntries(d.Name, name) {
			objects, _, err := r.List(context.Background(), d.Name, name, pos)
			if err != nil {
				return nil, err
			}
			lists[pos] = append(lists[pos], voxel.List{Name: name, Objects: objects})
		}
	}
	for pos := range r.ColumnEntries(d.Name) {
		delete(lists, pos)
	}
	for _, pos := range slices.SortedFunc(maps.Keys(lists), geom.ColumnPos.Compare) {
		specs = append(specs, stonetest.ListsSpec{Pos: pos, Lists: lists[pos]})
	}
	return specs, nil
}

func readFiles(s *stonetest.Spec, r *stone.Reader) error {
	for path, there := range r.FileEntries() {
		if !there {
			s.Files = append(s.Files, stonetest.FileSpec{Path: path, Gone: true})
			continue
		}
		from, err := r.OpenFile(path)
		if err != nil {
			return err
		}
		data, err := io.ReadAll(from)
		if err != nil {
			return err
		}
		s.Files = append(s.Files, stonetest.FileSpec{Path: path, Data: data})
	}
	return nil
}

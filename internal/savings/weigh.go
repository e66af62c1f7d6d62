package savings

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/voxel"
)

// weigh reads the world once and makes every form of it from memory.
func weigh(ctx context.Context, p Place, o Options) (*Weighed, error) {
	if p.Format != "" {
		return weighOther(ctx, p, o)
	}
	src, err := anvil.Open(p.Path, anvil.Options{})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if src.Head().Format == "mcregion" {
		return nil, errors.New("a McRegion world, not an Anvil world")
	}
	l := convert.NewLoader(src.Head())
	l.Bound(o.Memory)
	if err := src.Read(ctx, l); err != nil {
		return nil, err
	}
	w := l.World()
	stats := src.Stats()
	out := &Weighed{Path: p.Path, Kind: p.Kind, Chunks: stats.Chunks}
	out.Bytes.Live = stats.StoredBytes
	for _, d := range slices.Backward(w.Dimensions) {
		if v := d.Volume(voxel.Block); v != nil {
			out.Cells += v.Count()
		}
		if len(d.Columns) > 0 {
			out.DataVersion = d.Columns[0].Version
		}
	}
	if err = out.Bytes.fill(ctx, w, o); err == nil {
		out.Bytes.Folder, out.Bytes.Zip, err = folderBytes(ctx, p.Path)
	}
	return out, err
}

// weighOther weighs a world that no Slime file can hold.
func weighOther(ctx context.Context, p Place, o Options) (*Weighed, error) {
	k, _ := port.Format(p.Format)
	src, err := k.OpenFolder(p.Path, format.ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	l := convert.NewLoader(src.Head())
	l.Bound(o.Memory)
	if err := src.Read(ctx, l); err != nil {
		return nil, err
	}
	w := l.World()
	out := &Weighed{Path: p.Path, Kind: p.Kind}
	for _, d := range w.Dimensions {
		if v := d.Volume(voxel.Block); v != nil {
			out.Cells += v.Count()
		}
		out.Chunks += len(d.Columns)
	}
	if _, out.Bytes.Full, err = convert.WriteStone(ctx, w, io.Discard, o.Stone); err == nil {
		out.Bytes.Folder, out.Bytes.Zip, err = folderBytes(ctx, p.Path)
	}
	return out, err
}

// fill fills in the sizes of the forms that are made from memory.
func (b *Bytes) fill(ctx context.Context, w *convert.Loaded, o Options) error {
	slim, err := slimWorld(ctx, w)
	if err == nil {
		b.Slime, err = slimeBytes(ctx, w, slim, 0)
	}
	if err == nil {
		_, b.Full, err = convert.WriteStone(ctx, w, io.Discard, o.Stone)
	}
	if err == nil {
		_, b.Slim, err = convert.WriteStone(ctx, slim, io.Discard, o.Stone)
	}
	if err != nil || o.Short {
		return err
	}
	if b.SlimeBest, err = slimeBytes(ctx, w, slim, bestLevel); err != nil {
		return err
	}
	dark, err := reduce(ctx, slim, convert.Filter{NoLight: true})
	if err == nil {
		_, b.NoLight, err = convert.WriteStone(ctx, dark, io.Discard, o.Stone)
	}
	return err
}

// bestLevel is zstd's own number for its strongest level, one above the one that
// stones have.
const bestLevel = 22

// slimWorld returns w without everything that a Slime file of each dimension cannot hold.
func slimWorld(ctx context.Context, w *convert.Loaded) (*convert.Loaded, error) {
	hold := func(d *format.Dimension) func(*format.Column) bool {
		return slime.Hold(slime.ContainerOptions{}, d, nil)
	}
	slim, err := reduce(ctx, w, convert.Filter{Hold: hold, Keep: func(string) bool { return false }})
	if err == nil && !slices.ContainsFunc(slim.Dimensions, func(d *convert.LoadedDimension) bool { return len(d.Columns) > 0 }) {
		err = errors.New("no column with blocks")
	}
	return slim, err
}

// reduce returns w after a filter.
func reduce(ctx context.Context, w *convert.Loaded, f convert.Filter) (*convert.Loaded, error) {
	l := convert.NewLoader(w.Head)
	f.Sink = l
	if err := w.Source().Read(ctx, &f); err != nil {
		return nil, err
	}
	return l.World(), nil
}

// slimeBytes is the size of Slime files of the dimensions of w that have columns in
// slim.
func slimeBytes(ctx context.Context, w, slim *convert.Loaded, level int) (int64, error) {
	var n Count
	for i, d := range w.Dimensions {
		if len(slim.Dimensions[i].Columns) == 0 {
			continue
		}
		out, err := slime.Create(&n, slime.ContainerOptions{Level: level})
		if err != nil {
			return 0, err
		}
		one := convert.Loaded{Head: w.Head, Dimensions: []*convert.LoadedDimension{d}}
		if err = one.Source().Read(ctx, out); err == nil {
			err = out.Close()
		}
		if err != nil {
			return 0, err
		}
	}
	return int64(n), nil
}

// folderBytes is the size of the files of a folder, and of the folder in a zip archive.
func folderBytes(ctx context.Context, dir string) (files, zipped int64, err error) {
	var n Count
	z := zip.NewWriter(&n)
	root := os.DirFS(dir)
	err = fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		if err = cmp.Or(err, ctx.Err()); err != nil || !e.Type().IsRegular() {
			return err
		}
		to, err := z.Create(name)
		if err != nil {
			return err
		}
		from, err := os.Open(filepath.Join(dir, name)) // a name need not be UTF-8
		if err != nil {
			return err
		}
		defer from.Close()
		size, err := io.Copy(to, from)
		files += size
		return err
	})
	if err == nil {
		err = z.Close()
	}
	return files, int64(n), err
}

// Count is an io.Writer that counts bytes.
type Count int64

// Write counts p.
func (c *Count) Write(p []byte) (int, error) {
	*c += Count(len(p))
	return len(p), nil
}

package crowd

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/cairnvoxel/cairn/bench/island"
	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/world"
)

// pool is the data that saves are made of. It is prepared before the measurement.
type pool struct {
	Templates []template
}

// template is an island that others are forked from, and the saves of a player on it.
type template struct {
	Stone []byte // all of it
	Saves []stamped
	// Files are the island as a .slime file, first as it is and then as every so
	// many saves left it.
	Files [][]byte
}

// file returns the .slime file of an island after the save of a number.
func (t *template) file(save int) []byte { return t.Files[1+save*(len(t.Files)-1)/len(t.Saves)] }

// poolSize says how much a pool holds.
type poolSize struct{ Templates, Saves, Files int }

const (
	poolTemplates = 20
	poolFiles     = 8 // of each template
	weekOfSaves   = 7 * island.WeekSaves
	playerFile    = "player" // is in each save, and differs
)

// templatesFor returns the number of templates for a number of islands.
func templatesFor(worlds int) int { return min(poolTemplates, max(worlds/10, 1)) }

// makePool makes islands of several seeds and versions, and builds on them.
func makePool(ctx context.Context, n poolSize, o lab.Options) (*pool, error) {
	p := &pool{Templates: make([]template, n.Templates)}
	err := inParallel(ctx, n.Templates, runtime.GOMAXPROCS(0), func(i int) error {
		o.Step(i, n.Templates, "preparing islands and saves")
		return p.Templates[i].make(ctx, islandOf(o.Seed, i), n)
	})
	return p, err
}

func islandOf(seed uint64, i int) terrain.Options {
	return terrain.Options{Seed: seed*1000 + uint64(i), Version: terrain.Modern * int32(i%2)}
}

const templateName = "template"

func (t *template) make(ctx context.Context, o terrain.Options, n poolSize) error {
	st := &catcher{Store: memory.New(memory.Options{})}
	if _, err := island.ImportSource(ctx, st, templateName, terrain.Island(o)); err != nil {
		return err
	}
	t.Stone = st.last
	w, err := world.Open(ctx, st, templateName, world.Options{Whole: true, Manual: true})
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }() // nothing of it is needed any more
	if err := t.addFile(ctx, w, n); err != nil {
		return err
	}
	b := island.NewBuilder(w)
	for i := range n.Saves {
		if err := play(ctx, b, i); err != nil {
			return err
		}
		s, err := stampable(st.last)
		if err != nil {
			return err
		}
		t.Saves = append(t.Saves, s)
		if n.Files > 0 && (i+1)*n.Files/n.Saves > len(t.Files)-1 {
			if err := t.addFile(ctx, w, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// play is a save with a file of the player's.
func play(ctx context.Context, b *island.Builder, save int) error {
	_, err := b.W.Update(func(tx *world.Tx) error {
		tx.SetFile(playerFile, mark(uint64(save)))
		return nil
	})
	if err != nil {
		return err
	}
	return b.Save(ctx, 40)
}

// addFile adds the island as it is as a .slime file.
func (t *template) addFile(ctx context.Context, w *world.World, n poolSize) error {
	if n.Files == 0 {
		return nil
	}
	var b, out bytes.Buffer
	if _, err := w.WriteStone(ctx, &b, stone.Options{Effort: stone.Quick}); err != nil {
		return err
	}
	r, err := stone.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return err
	}
	whole, err := convert.FromContent(ctx, r, 0)
	if err != nil {
		return err
	}
	s, err := slime.Create(&out, slime.ContainerOptions{})
	if err == nil {
		err = whole.Source().Read(ctx, s)
	}
	if err == nil {
		err = s.Close()
	}
	t.Files = append(t.Files, out.Bytes())
	return err
}

// catcher is a Store that shows the last stone committed to it.
type catcher struct {
	history.Store
	last []byte
}

func (c *catcher) Commit(ctx context.Context, name string, base history.Head, what history.Commit, stones ...history.Stone) (history.Commit, error) {
	for _, s := range stones {
		c.last = s.Data
	}
	return c.Store.Commit(ctx, name, base, what, stones...)
}

// write keeps the pool in a file, for other processes.
func (p *pool) write(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(gob.NewEncoder(f).Encode(p), f.Close())
}

func readPool(path string) (*pool, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := new(pool)
	if err := gob.NewDecoder(f).Decode(p); err != nil {
		return nil, fmt.Errorf("crowd: %s: %w", path, err)
	}
	return p, nil
}

// means returns the mean sizes of a save and of a file.
func (p *pool) means() (save, file int64) {
	var saves, files int64
	for i := range p.Templates {
		t := &p.Templates[i]
		for _, s := range t.Saves {
			save, saves = save+int64(len(s.Data)), saves+1
		}
		for _, f := range t.Files {
			file, files = file+int64(len(f)), files+1
		}
	}
	return save / max(saves, 1), file / max(files, 1)
}

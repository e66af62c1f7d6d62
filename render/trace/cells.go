package trace

import (
	"context"
	"fmt"
	"sync"

	"github.com/cairnvoxel/cairn/tile"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// liquidVolume is what a terrain calls the volume of its liquid.
const liquidVolume = "liquid"

// land is a world as rays meet it. Goroutines share it.
type land struct {
	from   Scene
	rule   voxel.Rule
	looks  []look       // by cell of matter, in a terrain by material
	media  []*look      // by number
	water  []look       // of the liquid, by cell; of cells beyond, the last
	wet    voxel.Rule   // of the liquid
	left   []voxel.Cell // by cell: what of it rays meet; nil: all
	liquid bool         // it has a volume of liquid
	lamps  bool         // it has the light of lamps
	low    vec          // the corners of the land
	high   vec
	trees  []*tree // of the levels 0, 3, 6, ... as far as the land has them
	table  int     // entries of the table of a goroutine
	nodes  tile.Pages[tile.Deep]

	mu sync.Mutex // of from, which is for one goroutine
}

// nodeBytes is about what a node takes.
const nodeBytes = 16 << 10

// newLand gets a land ready. Nodes take at most memory bytes, for so many goroutines.
func newLand(from Scene, memory int64, goroutines int) *land {
	l := &land{from: from, liquid: from.Level(liquidVolume, 0) == 0, lamps: from.Level(voxel.Light, 0) == 0}
	l.low, l.high = corners(from.Bounds())
	l.see()
	l.plant(from.Chunks())
	l.table = 1
	for entries := memory / 4 / int64(goroutines) / nodeBytes; l.table < 1<<16 && int64(l.table) < entries; {
		l.table *= 2
	}
	l.nodes = tile.NewPages[tile.Deep](tile.Options{Budget: memory - memory/4})
	return l
}

// fluid returns the look of a cell of the liquid.
func (l *land) fluid(c voxel.Cell) *look { return &l.water[min(int(c), len(l.water)-1)] }

func (l *land) look(c voxel.Cell) *look {
	n := int(c)
	if l.rule.Schema == voxel.Terrain {
		n = int(c.Material())
	}
	if n < len(l.looks) {
		return &l.looks[n]
	}
	return &l.looks[len(l.looks)-1]
}

// load reads the node of a chunk.
func (l *land) load(ctx context.Context, t *tree, chunk uint32) (*node, error) {
	pos := t.chunks[chunk]
	v, err := l.nodes.Page(ctx, tile.Deep{Level: uint32(t.base), Code: geom.CodeOf(pos, t.base)}, func() (any, int64, error) {
		var matter, liquid *voxel.Chunk
		err := l.read(l.from.Matter(), t.base, pos, &matter)
		if matter != nil && l.left != nil {
			matter = matter.Translate(l.left)
		}
		if err == nil && l.liquid {
			err = l.read(liquidVolume, t.base, pos, &liquid)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("trace: chunk %v of level %d: %w", pos, t.base, err)
		}
		n := newNode(matter, liquid)
		return n, n.bytes(), nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*node), nil
}

func (l *land) read(volume string, level int, pos geom.ChunkPos, c **voxel.Chunk) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.from.Level(volume, level) != level {
		return nil
	}
	return l.from.Read(volume, level, []geom.ChunkPos{pos}, func(_ geom.ChunkPos, got *voxel.Chunk) { *c = got })
}

// cells gives the nodes of a land to one goroutine. It keeps some of those that it gave last.
type cells struct {
	*land
	ctx  context.Context
	kept []keptNode
	err  error // the first of reading
}

type keptNode struct {
	tree  *tree
	chunk uint32
	node  *node
}

func newCells(ctx context.Context, l *land) *cells {
	return &cells{land: l, ctx: ctx, kept: make([]keptNode, l.table)}
}

// node returns the node of a chunk, or nil if it has nothing to show or cannot be read.
func (c *cells) node(t *tree, chunk uint32) *node {
	k := &c.kept[int(chunk)&(len(c.kept)-1)]
	if k.tree == t && k.chunk == chunk {
		return k.node
	}
	n, err := c.load(c.ctx, t, chunk)
	switch {
	case err != nil:
		if c.err == nil {
			c.err = err
		}
		return nil
	case len(n.bricks) == 0:
		n = nil
	}
	*k = keptNode{t, chunk, n}
	return n
}

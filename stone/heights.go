package stone

import (
	"encoding/binary"
	"errors"
	mathbits "math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/voxel"
)

const (
	maxRules = 16
	// maxTower bounds the chunks above a column that a rule looks at.
	maxTower = 4096
)

// Heights gives the Writer rules for the height maps of the dimension's
// columns, in cells of the volume voxel.Block as written, and the towers to
// apply them to, which must hold what was written of that volume. It comes
// after the volumes and before the columns. Maps are then stored as what
// differs from the rule where that is less.
func (w *Writer) Heights(rules []light.Rule, towers light.Towers) error {
	w.flush()
	d := w.dimension()
	if d == nil || len(d.columns) > 0 || len(d.rules) > 0 || len(rules) > maxRules {
		return w.misuse("%d rules of height maps: not between volumes and columns, or more than %d", len(rules), maxRules)
	}
	d.rules = rules
	w.columns.heights = newHeights(rules, towers)
	return w.err
}

// heights applies rules to one column after the other, when asked.
type heights struct {
	rules  []light.Rule
	towers light.Towers
	h      *light.Heights
	maps   [][256]int32
	pos    geom.ColumnPos // that maps are of, if known
	known  bool
	high   bool // the column's tower is higher than maxTower
}

func newHeights(rules []light.Rule, towers light.Towers) *heights {
	return &heights{rules: rules, towers: towers, h: light.NewHeights(rules), maps: make([][256]int32, len(rules))}
}

// of returns what the rule says of a map of the column at pos, nil if there is
// no rule for it.
func (h *heights) of(pos geom.ColumnPos, name string) *[256]int32 {
	if h == nil {
		return nil
	}
	i := slices.IndexFunc(h.rules, func(r light.Rule) bool { return r.Map == name })
	if i < 0 {
		return nil
	}
	if !h.known || h.pos != pos {
		tower := h.towers(pos.X>>1, pos.Z>>1)
		h.known, h.pos, h.high = true, pos, len(tower) > maxTower
		if !h.high {
			h.h.Column(pos, tower, h.maps)
		}
	}
	if h.high {
		return nil
	}
	return &h.maps[i]
}

// appendRules appends rules: for each the map's name, the base, and a bit for
// each cell (least bit first), as what differs from the rule before it.
func appendRules(dst []byte, rules []light.Rule) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(rules)))
	var prev []byte
	for _, r := range rules {
		dst = appendString(dst, r.Map)
		dst = binary.AppendVarint(dst, int64(r.Base))
		bits := make([]byte, len(prev))
		for _, c := range r.Cells {
			for int(c)/8 >= len(bits) {
				bits = append(bits, 0)
			}
			bits[c/8] |= 1 << (c % 8)
		}
		dst = binary.AppendUvarint(dst, uint64(len(bits)))
		for i, b := range bits {
			if i < len(prev) {
				b ^= prev[i]
			}
			dst = append(dst, b)
		}
		prev = bits
	}
	return dst
}

func (p *parser) rules() []light.Rule {
	rules := make([]light.Rule, p.atMost(maxRules))
	var prev []byte
	for i := range rules {
		rules[i] = light.Rule{Map: p.string(), Base: int32(p.varint())}
		bits := slices.Clone(p.bytes(p.atMost((int(voxel.MaxCell) + 1) / 8)))
		if len(bits) < len(prev) {
			p.fail(errors.New("a rule shorter than the one before it"))
			return nil
		}
		for n := range bits {
			if n < len(prev) {
				bits[n] ^= prev[n]
			}
			for b := bits[n]; b != 0; b &= b - 1 {
				rules[i].Cells = append(rules[i].Cells, voxel.Cell(n*8+mathbits.TrailingZeros8(b)))
			}
		}
		prev = bits
	}
	return rules
}

// towers returns the towers of a dimension's blocks, read from the stone page
// by page; the last few pages are kept. The first error is kept in *err and
// ends the towers.
func (s *Reader) towers(d *dimension, err *error) light.Towers {
	v, entries := s.entries(d.name, voxel.Block, 0)
	type place struct {
		entry, bit int
		y          int32
	}
	type foot struct{ x, z int32 }
	places := map[foot][]place{}
	for i, e := range entries {
		for m := e.mask; m != 0; m &= m - 1 {
			bit := mathbits.TrailingZeros64(m)
			at := cubeChunk(e.key, bit)
			places[foot{at.X, at.Z}] = append(places[foot{at.X, at.Z}], place{i, bit, at.Y})
		}
	}
	for _, ps := range places {
		slices.SortFunc(ps, func(a, b place) int { return int(b.y) - int(a.y) })
	}
	pages := pageCache{}
	var last foot
	var tower light.Tower
	return func(x, z int32) light.Tower {
		if at := (foot{x, z}); at != last || tower == nil {
			last, tower = at, nil
			for _, p := range places[at] {
				c, e := pages.chunk(s, v, entries, p.entry, p.bit)
				if e != nil {
					if *err == nil {
						*err = e
					}
					return nil
				}
				if c != nil {
					tower = append(tower, light.Floor{Y: p.y, Chunk: c})
				}
			}
		}
		return tower
	}
}

// pageCache keeps the chunks of the pages of cells that were read last.
type pageCache struct {
	pages  map[int]map[geom.ChunkPos]*voxel.Chunk
	recent []int
}

const cachedPages = 16

func (p *pageCache) chunk(s *Reader, v *volume, entries []entry, i, bit int) (*voxel.Chunk, error) {
	e := entries[i]
	if e.page == constPage {
		return voxel.Uniform(e.value), nil
	}
	at := cubeChunk(e.key, bit)
	if c, ok := p.pages[e.page][at]; ok {
		return c, nil
	}
	chunks := map[geom.ChunkPos]*voxel.Chunk{}
	for pos, r := range s.chunks(v, s.group(entries, i)) {
		if r.err != nil {
			return nil, r.err
		}
		chunks[pos] = r.chunk
	}
	if p.pages == nil {
		p.pages = map[int]map[geom.ChunkPos]*voxel.Chunk{}
	}
	if len(p.recent) == cachedPages {
		delete(p.pages, p.recent[0])
		p.recent = p.recent[1:]
	}
	p.pages[e.page] = chunks
	p.recent = append(p.recent, e.page)
	return chunks[at], nil
}

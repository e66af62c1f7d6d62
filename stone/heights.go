package stone

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	mathbits "math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/stone/column"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/voxel"
)

const (
	maxRules = 16
	maxTower = column.MaxTower
	// maxRuleNames is the most bytes of the names of a dimension's rules. They are compared with
	// the names of all maps.
	maxRuleNames = light.MaxNames
)

type (
	// HeightRule says which cells a height map counts. The map holds the height just above the
	// topmost of them, minus Base, or 0 if there is none.
	HeightRule = light.Rule
	// Towers returns the chunks at a chunk's x and z, topmost first. Missing chunks are empty.
	Towers = light.Towers
	// Matters say how each cell affects light, by its number. Cells beyond the end are opaque.
	Matters = light.Matters
)

// Heights sets the rules for the height maps of the dimension's columns, in cells of
// the volume voxel.Block as written. towers must return the chunks written to that
// volume. It comes after the volumes and before the columns. Maps are then stored as
// differences from the rule where that is smaller.
func (w *Writer) Heights(rules []HeightRule, towers Towers) error {
	w.flush()
	if err := w.step(atVolumes, atVolumes, atRules, "Heights"); err != nil {
		return err
	}
	if len(rules) > maxRules {
		return w.misuse("%d rules of height maps, at most %d", len(rules), maxRules)
	}
	for i, r := range rules {
		if err := checkRule(r, rules[:i]); err != nil {
			return w.misuse("rule of height maps %q: %w", r.Map, err)
		}
		w.rules += len(r.Cells)
	}
	if w.rules > maxRuleCells {
		return w.misuse("rules of %d cells, at most %d", w.rules, maxRuleCells)
	}
	w.dimension().rules = rules
	if len(rules) > 0 {
		w.indexBlocks()
		w.columns.towers = towers
	}
	return w.err
}

// checkRule returns an error if a rule is invalid after the rules before it.
func checkRule(r light.Rule, before []light.Rule) error {
	names := len(r.Map)
	for _, b := range before {
		names += len(b.Map)
	}
	if names > maxRuleNames {
		return fmt.Errorf("names of %d bytes, at most %d", names, maxRuleNames)
	}
	for i, c := range r.Cells {
		if c == voxel.Empty || c > voxel.MaxCell || i > 0 && c <= r.Cells[i-1] {
			return fmt.Errorf("cell %d cannot count, or is not after the one before it", c)
		}
	}
	if slices.ContainsFunc(before, func(b light.Rule) bool { return b.Map == r.Map }) {
		return errors.New("a second one")
	}
	return nil
}

// Rules returns the rules of a dimension's height maps, in cells of the stone's
// volume voxel.Block. The caller must not change them.
func (s *Reader) Rules(dim string) []HeightRule {
	return s.dimension(dim).rules
}

// Matters returns how the cells of a dimension's volume voxel.Block affect light. It
// is nil if no page of light follows from blocks. The caller must not change it.
func (s *Reader) Matters(dim string) Matters {
	return s.dimension(dim).matters
}

// appendRules appends rules as differences from the previous rule: the map's name,
// the base, and a bit for each cell, least bit first.
func appendRules(dst []byte, s pages.Spelling, rules []light.Rule) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(rules)))
	var prev []byte
	for _, r := range rules {
		dst = s.Append(dst, r.Map)
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
	rules := pages.Some[light.Rule](p.AtMost(maxRules))
	var prev []byte
	for i := range rules {
		rules[i] = light.Rule{Map: p.string(), Base: int32(p.Within(p.Varint(), math.MinInt32, math.MaxInt32))}
		bits := slices.Clone(p.Bytes(p.AtMost((int(voxel.MaxCell) + 1) / 8)))
		if len(bits) < len(prev) {
			p.Fail(errors.New("a rule shorter than the one before it"))
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
		if err := checkRule(rules[i], rules[:i]); err != nil {
			p.Fail(err)
		}
		if p.ruleCells += len(rules[i].Cells); p.ruleCells > maxRuleCells {
			p.Fail(fmt.Errorf("rules of more than %d cells", maxRuleCells))
		}
		if p.Err() != nil {
			return nil
		}
		prev = bits
	}
	return rules
}

package polar

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// spaced returns a name with the namespace that it leaves out.
func spaced(name string) string {
	if strings.Contains(name, ":") {
		return name
	}
	return block.Space + name
}

// cell returns the cell of a palette entry: a biome, or a block such as "oak_stairs[facing=east,half=top]".
func (d *decoder) cell(of int, text string) (voxel.Cell, error) {
	if !utf8.ValidString(text) {
		return 0, fmt.Errorf("a name that is no UTF-8: %.40q", text)
	}
	if of == 1 {
		return d.biomes.Biome(nbt.AppendStringPayload(nil, spaced(text))[2:])
	}
	base, list, has := strings.Cut(text, "[")
	list, closed := strings.CutSuffix(list, "]")
	entry := nbt.AppendString(nil, "Name", spaced(base))
	if has && list != "" {
		entry = nbt.AppendCompound(entry, "Properties")
		for p := range strings.SplitSeq(list, ",") {
			key, value, ok := strings.Cut(p, "=")
			if closed = closed && ok; !closed {
				return 0, fmt.Errorf("block %.100q", text)
			}
			entry = nbt.AppendString(entry, key, value)
		}
		entry = nbt.AppendEnd(entry)
	}
	c, _, err := d.blocks.Cell(nbt.AppendEnd(entry))
	return c, err
}

// blockText is the inverse of cell for a block.
func blockText(name string) (string, error) {
	entry, err := block.AppendEntry(nil, name, false)
	if err != nil {
		return "", fmt.Errorf("%w: %w", err, format.ErrHolds)
	}
	var base, list string
	r := nbt.NewPayload(entry, nbt.Limits{})
	for t, key := r.Next(); t != nbt.End; t, key = r.Next() {
		switch {
		case t == nbt.String && string(key) == "Name":
			base, err = nbt.DecodeString(r.String())
		case t == nbt.Compound && string(key) == "Properties":
			list, err = properties(&r)
		default:
			return "", fmt.Errorf("block %.100q has other tags: %w", name, format.ErrHolds)
		}
		if err != nil {
			return "", fmt.Errorf("block %.100q: %w: %w", name, err, format.ErrHolds)
		}
	}
	if list != "" {
		list = "[" + list + "]"
	}
	return base + list, nil
}

// properties returns the entries of a compound of strings as text.
func properties(r *nbt.Reader) (string, error) {
	var list []string
	for t, key := r.Next(); t != nbt.End; t, key = r.Next() {
		if t != nbt.String {
			return "", fmt.Errorf("a property of type %v", t)
		}
		k, err := nbt.DecodeString(key)
		if err != nil {
			return "", err
		}
		v, err := nbt.DecodeString(r.String())
		if err != nil {
			return "", err
		}
		list = append(list, k+"="+v)
	}
	return strings.Join(list, ","), nil
}

// biomeText is the inverse of cell for a biome.
func biomeText(name string) (string, error) {
	raw, err := block.AppendBiome(nil, name)
	if err != nil {
		return "", fmt.Errorf("%w: %w", err, format.ErrHolds)
	}
	return nbt.DecodeString(raw[2:])
}

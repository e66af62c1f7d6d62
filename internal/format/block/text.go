package block

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// Spaced returns a name with the space of the game if it has none.
func Spaced(name string) string {
	if strings.Contains(name, ":") {
		return name
	}
	return Space + name
}

// AppendText appends the palette entry of a block as the game's commands say it, such as
// "oak_stairs[facing=east,half=top]". A text of another form is all name.
func AppendText(dst []byte, text string) []byte {
	base, list, has := strings.Cut(text, "[")
	list, closed := strings.CutSuffix(list, "]")
	words := strings.Split(list, ",")
	if list == "" {
		words = nil
	}
	odd := func(p string) bool { return !strings.Contains(p, "=") }
	if base == "" || has != closed || slices.ContainsFunc(words, odd) {
		base, words = text, nil
	}
	dst = nbt.AppendString(dst, "Name", Spaced(base))
	if len(words) > 0 {
		dst = nbt.AppendCompound(dst, "Properties")
		for _, p := range words {
			key, value, _ := strings.Cut(p, "=")
			dst = nbt.AppendString(dst, key, value)
		}
		dst = nbt.AppendEnd(dst)
	}
	return nbt.AppendEnd(dst)
}

// Text returns how the game's commands say a block. It is the inverse of AppendText and Name, and fails, with
// format.ErrHolds, where the block has a number or other tags.
func Text(name string) (string, error) {
	entry, err := AppendNamed(nil, name)
	if err != nil {
		return "", err
	}
	var base string
	var list []string
	r := nbt.NewPayload(entry, nbt.Limits{})
	for t, key := r.Next(); t != nbt.End; t, key = r.Next() {
		switch {
		case t == nbt.String && string(key) == "Name":
			base, err = nbt.DecodeString(r.String())
		case t == nbt.Compound && string(key) == "Properties":
			list, err = properties(&r)
		default:
			err = fmt.Errorf("a tag %s", key)
		}
		if err != nil {
			return "", fmt.Errorf("block %.100q: %w: %w", name, err, format.ErrHolds)
		}
	}
	if base = Spaced(base); len(list) > 0 {
		base += "[" + strings.Join(list, ",") + "]"
	}
	return base, nil
}

// properties returns the entries of a compound of strings.
func properties(r *nbt.Reader) (list []string, err error) {
	for t, key := r.Next(); t != nbt.End; t, key = r.Next() {
		if t != nbt.String {
			return nil, fmt.Errorf("a property of type %v", t)
		}
		k, err := nbt.DecodeString(key)
		if err != nil {
			return nil, err
		}
		v, err := nbt.DecodeString(r.String())
		if err != nil {
			return nil, err
		}
		list = append(list, k+"="+v)
	}
	return list, nil
}

// BiomeText returns the game's name of a biome, the inverse of BiomeName. It fails with format.ErrHolds for a number.
func BiomeText(name string) (string, error) {
	payload, err := AppendBiome(nil, name)
	if err != nil {
		return "", fmt.Errorf("%w: %w", format.ErrHolds, err)
	}
	return nbt.DecodeString(payload[2:])
}

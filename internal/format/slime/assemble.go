package slime

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// positions returns the columns by z, then x: the order of the file.
func (w *ContainerWriter) positions() []geom.ColumnPos {
	return slices.SortedFunc(maps.Keys(w.columns), byPlace)
}

// byPlace is the order of columns by z, then x.
func byPlace(a, b geom.ColumnPos) int { return cmp.Or(cmp.Compare(a.Z, b.Z), cmp.Compare(a.X, b.X)) }

// appendOrder appends the file of OrderPath of columns, nothing if they are in the order of positions.
func appendOrder(order []geom.ColumnPos) (dst []byte) {
	if slices.IsSortedFunc(order, byPlace) {
		return nil
	}
	for _, p := range order {
		dst = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(dst, uint32(p.X)), uint32(p.Z))
	}
	return dst
}

// ordered returns the columns in the order of the file of OrderPath. Those that it does not name follow.
func (w *ContainerWriter) ordered() []geom.ColumnPos {
	all := w.positions()
	at := map[geom.ColumnPos]int{}
	for i, f := 0, w.files[OrderPath]; len(f) >= 8; i, f = i+1, f[8:] {
		p := geom.ColumnPos{X: int32(binary.BigEndian.Uint32(f)), Z: int32(binary.BigEndian.Uint32(f[4:]))}
		at[p] = i - math.MaxInt32
	}
	slices.SortStableFunc(all, func(a, b geom.ColumnPos) int { return cmp.Compare(at[a], at[b]) })
	return all
}

// appendOld makes a file of versions 1 to 9.
func (w *ContainerWriter) appendOld(d *deflater) ([]byte, error) {
	dst := binary.BigEndian.AppendUint16(nil, magic)
	dst = append(dst, byte(w.enc.version))
	switch {
	case w.enc.version >= 6:
		dst = append(dst, byte(w.enc.world))
	case w.enc.version >= 4 && w.enc.world >= worldNames:
		dst = append(dst, 1)
	case w.enc.version >= 4:
		dst = append(dst, 0)
	}
	all := w.positions()
	dst, err := appendBox(dst, all)
	if err != nil {
		return nil, err
	}
	var raw []byte
	for _, p := range all {
		raw = append(raw, w.columns[p].body...)
	}
	if dst, err = d.appendBlob(dst, raw, "chunks"); err != nil {
		return nil, err
	}
	tiles, entities := w.globals(0), w.globals(1)
	if dst, err = d.appendBlob(dst, appendObjects(nil, kinds[0].all, tiles), "tile entities"); err != nil {
		return nil, err
	}
	if w.enc.version < 3 { // Hold left none
	} else if len(entities) == 0 {
		dst = append(dst, 0)
	} else if dst, err = d.appendBlob(append(dst, 1), appendObjects(nil, kinds[1].all, entities), "entities"); err != nil {
		return nil, err
	}
	extra, err := w.extra(0)
	if err != nil {
		return nil, err
	}
	if w.enc.version < 2 {
		w.loseExtra(extra)
		return dst, nil
	}
	if dst, err = d.appendBlob(dst, extra, "extra"); err != nil || w.enc.version < 7 {
		if w.files[MapsPath] != nil {
			w.lost.add("file "+MapsPath, 1)
		}
		return dst, err
	}
	return d.appendBlob(dst, w.files[MapsPath], "maps")
}

// loseExtra counts what version 1 has no place for: the extra tags, or of tags that would be made the properties.
func (w *ContainerWriter) loseExtra(extra []byte) {
	for path := range w.files {
		if path != OrderPath { // it has only one
			w.lost.add("file "+path, 1)
		}
	}
	if w.files[ExtraPath] != nil {
		return
	}
	props := map[string]string{}
	_, _ = readEnvironment(extra, props) // it was just made
	for name := range props {
		w.lost.add("property "+name, 1)
	}
}

// globals returns the payloads of objects whose column is in the file. Servers refuse a world
// with other objects.
func (w *ContainerWriter) globals(i int) [][]byte {
	objects := w.objects[i]
	slices.SortStableFunc(objects, func(a, b placed) int { return a.from.Compare(b.from) })
	var out [][]byte
	for _, o := range objects {
		if w.columns[o.at] != nil {
			out = append(out, o.payload)
		} else {
			w.lost.add(kinds[i].list+" outside of all columns", 1)
		}
	}
	return out
}

// appendBox appends the rectangle of the columns and the mask of those that
// are there; all is by z, then x.
func appendBox(dst []byte, all []geom.ColumnPos) ([]byte, error) {
	var low, high geom.ColumnPos // without columns: one missing column
	if len(all) > 0 {
		low, high = all[0], all[len(all)-1]
	}
	for _, p := range all {
		low.X, high.X = min(low.X, p.X), max(high.X, p.X)
	}
	width, depth := int(high.X)-int(low.X)+1, int(high.Z)-int(low.Z)+1
	if low.X < math.MinInt16 || low.Z < math.MinInt16 || high.X > math.MaxInt16 || high.Z > math.MaxInt16 ||
		width > math.MaxInt16 || depth > math.MaxInt16 {
		return nil, fmt.Errorf("slime: columns from %v to %v: more than 16 bits hold", low, high)
	}
	for _, v := range [...]int{int(low.X), int(low.Z), width, depth} {
		dst = binary.BigEndian.AppendUint16(dst, uint16(v))
	}
	mask := make([]byte, (width*depth+7)/8)
	for _, p := range all {
		i := int(p.Z-low.Z)*width + int(p.X-low.X)
		mask[i/8] |= 1 << (i % 8)
	}
	return append(dst, mask...), nil
}

// appendNew makes a file of versions 10 to 13.
func (w *ContainerWriter) appendNew(d *deflater) ([]byte, error) {
	if w.files[MapsPath] != nil {
		w.lost.add("file "+MapsPath, 1)
	}
	var flags byte
	for _, b := range w.columns {
		for i, doc := range b.flagged {
			if len(doc) > 0 {
				flags |= 1 << i
			}
		}
	}
	extra, err := w.extra(flags)
	if err == nil {
		err = w.checkEnvironment(extra)
	}
	if err != nil {
		return nil, err
	}
	all := w.ordered()
	// Some readers do not accept a block without bytes as an empty compound.
	nothing := [...][]byte{nbt.AppendEnd(nbt.AppendHeader(nil, nbt.Compound, "")), objectDocument(kinds[2].tag, nil), objectDocument(kinds[3].tag, nil)}
	raw := binary.BigEndian.AppendUint32(nil, uint32(len(all)))
	for _, p := range all {
		b := w.columns[p]
		raw = append(raw, b.body...)
		for i, doc := range b.flagged {
			if len(doc) == 0 {
				doc = nothing[i]
			}
			if flags>>i&1 != 0 {
				raw = appendBlock(raw, doc)
			}
		}
		raw = append(raw, b.tail...)
	}
	dst := binary.BigEndian.AppendUint16(nil, magic)
	dst = append(dst, byte(w.enc.version))
	dst = binary.BigEndian.AppendUint32(dst, uint32(w.enc.data))
	if w.enc.version >= 13 {
		dst = append(dst, flags)
	}
	if dst, err = d.appendBlob(dst, raw, "chunks"); err != nil {
		return nil, err
	}
	for i, k := range kinds[:2] {
		if w.enc.version > 10 {
			break
		}
		if dst, err = d.appendBlob(dst, appendObjects(nil, k.all, w.globals(i)), k.list); err != nil {
			return nil, err
		}
	}
	return d.appendBlob(dst, extra, "extra")
}

// saves are the properties that have AdvancedSlimePaper keep, with its next save,
// what each flag of version 13 stands for.
var saves = [...]string{"savePOI", "saveBlockTicks", "saveFluidTicks"}

// extra returns the extra tags with the properties of the level, those that go with
// flags, and the environment if the tags do not say it.
func (w *ContainerWriter) extra(flags byte) ([]byte, error) {
	doc, set := w.files[ExtraPath], propertiesOf(w.o.Facts, w.enc.env)
	for i, name := range saves {
		if flags>>i&1 != 0 {
			set = append(set, nbt.Entry{Name: name, Value: int8(1)})
		}
	}
	props := map[string]string{}
	if _, err := readEnvironment(doc, props); err != nil {
		return nil, fmt.Errorf("slime: %s: %w", ExtraPath, err)
	}
	if env := w.enc.env.property; props["environment"] == "" && (len(set) > 0 || env != environments[0].property) {
		set = append(set, nbt.Entry{Name: "environment", Value: env})
	}
	return withProperties(doc, set), nil
}

// withProperties returns a document, which may be empty, with set among the entries
// of its compound "properties".
func withProperties(doc []byte, set nbt.Entries) []byte {
	if len(set) == 0 {
		return doc
	}
	out, done := nbt.AppendHeader(nil, nbt.Compound, ""), false
	_ = eachEntry(doc, func(r *nbt.Reader, t nbt.Type, name []byte) error { // it has been read before
		out = nbt.AppendRawHeader(out, t, name)
		if done || t != nbt.Compound || string(name) != "properties" {
			out = append(out, r.Raw(t)...)
			return nil
		}
		done = true
		for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
			raw := r.Raw(t)
			if i := slices.IndexFunc(set, func(e nbt.Entry) bool { return e.Name == string(name) }); i >= 0 {
				out = nbt.Append(out, set[i].Name, set[i].Value)
				set = slices.Delete(slices.Clone(set), i, i+1)
			} else {
				out = append(nbt.AppendRawHeader(out, t, name), raw...)
			}
		}
		out = appendEntries(out, set)
		return nil
	})
	if !done {
		out = appendEntries(nbt.AppendCompound(out, "properties"), set)
	}
	return nbt.AppendEnd(out)
}

// appendEntries appends the payload of a compound.
func appendEntries(dst []byte, entries nbt.Entries) []byte {
	for _, e := range entries {
		dst = nbt.Append(dst, e.Name, e.Value)
	}
	return nbt.AppendEnd(dst)
}

// checkEnvironment holds the extra tags to the dimension's name, since both
// say at which height the lowest section is.
func (w *ContainerWriter) checkEnvironment(extra []byte) error {
	env, err := readEnvironment(extra, map[string]string{})
	if err == nil && env.property != w.enc.env.property {
		err = fmt.Errorf("environment %q, but the dimension is %q", env.property, w.dim.Name)
	}
	if err != nil {
		return fmt.Errorf("slime: %s: %w", ExtraPath, err)
	}
	return nil
}

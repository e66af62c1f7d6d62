package dragonfly

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	cairn "github.com/cairnvoxel/cairn/world"
	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/chunk"
	bedrock "github.com/sandertv/gophertunnel/minecraft/nbt"
	"github.com/zeebo/xxh3"
)

// Volumes of a dimension besides those of block worlds, as an import of a Bedrock world makes them.
const (
	layerVolume = "layer"       // the second layer of blocks
	fineVolume  = "biome_block" // biomes of sections where they differ within 4x4x4 blocks
)

// What an import of a Bedrock world keeps of a column that is no cell.
const (
	partRest    = "bedrock"
	mapHeight   = "bedrock_height"
	keyVersion  = "2c"
	keySection  = "2f/"
	keyTicks    = "33"
	keyFinal    = "36"
	keyDigest   = "digp"
	keyVersions = "versions"
)

// Values that dragonfly writes into each column: the version of chunks, and that nothing is left to be made.
var (
	chunkVersion = []byte{42}
	finalised    = []byte{2, 0, 0, 0}
)

// known is what the provider knows of a column that dragonfly has: what it loaded or stored last.
type known struct {
	sections []xxh3.Uint128 // of the bytes of each; zero: to be written
	biomes   xxh3.Uint128
	column   *voxel.Column // as it is in the world
}

// storing is a column that is being stored.
type storing struct {
	*Provider
	pos      geom.ColumnPos
	dim      string
	low      int // the lowest section
	sections [][]byte
	biomes   []byte
	old, now known
	tx       *cairn.DimensionTx
}

// store writes what differs of a column into the open world.
func (p *Provider) store(at place, dim world.Dimension, col *chunk.Column) error {
	s := storing{Provider: p, pos: at.column(), dim: at.dim, low: dim.Range()[0] >> 4, old: p.knownOf(at)}
	for i := range col.Chunk.Sub() {
		b := chunk.EncodeSubChunk(col.Chunk, chunk.NetworkEncoding, i)
		s.sections, s.now.sections = append(s.sections, b), append(s.now.sections, xxh3.Hash128(b))
	}
	s.biomes = chunk.EncodeBiomes(col.Chunk, chunk.NetworkEncoding)
	s.now.biomes = xxh3.Hash128(s.biomes)
	c, err := s.column(col)
	if err != nil {
		return err
	}
	s.now.column = c
	if s.old.column != nil {
		s.now.column = s.merged(s.old.column, c)
		if slices.Equal(s.old.sections, s.now.sections) && s.old.biomes == s.now.biomes && sameColumn(s.old.column, s.now.column) {
			return nil
		}
	}
	if p.world.View().Dimension(at.dim) != nil {
		if err := p.hold(at); err != nil {
			return err
		}
	}
	_, err = p.world.UpdateContext(context.Background(), func(tx *cairn.Tx) error {
		s.tx = dimensionOf(tx, s.dim)
		err := s.write(c)
		p.ownNext(err == nil && !s.failed())
		return err
	})
	if err != nil {
		p.ownNext(false)
		return err
	}
	if err := p.hold(at); err != nil {
		return err
	}
	p.remember(at, s.now)
	return nil
}

// ownNext says whether the change that is told next is dragonfly's.
func (p *Provider) ownNext(own bool) {
	p.mu.Lock()
	p.storing = own
	p.mu.Unlock()
}

// failed reports whether a volume has an error: what is not in memory, of which the update is tried again.
func (s *storing) failed() bool {
	for _, name := range []string{voxel.Block, layerVolume, voxel.Biome, fineVolume} {
		if s.tx.Volume(name).Err() != nil {
			return true
		}
	}
	return false
}

// dimensionOf returns a dimension of a world with all volumes of Bedrock.
func dimensionOf(tx *cairn.Tx, name string) *cairn.DimensionTx {
	if d := tx.Dimension(name); d.Volume(layerVolume) != nil && d.Volume(fineVolume) != nil {
		return d
	}
	volumes := voxel.BlockVolumes()
	for _, v := range []string{layerVolume, fineVolume} {
		volumes = append(volumes, voxel.Volume{Name: v, Schema: voxel.Palette, Scale: 1})
	}
	return tx.AddDimension(name, volumes, nil)
}

// write writes what differs from what the provider knows.
func (s *storing) write(c *voxel.Column) error {
	s.tx.Lit()      // dragonfly computes light when it loads
	owning := false // blocks may have changed, and with one that does goes what it owned, unless it is set anew
	for i, b := range s.sections {
		if i < len(s.old.sections) && s.old.sections[i] == s.now.sections[i] {
			continue
		}
		if err := s.section(s.low+i, parseSection(b)); err != nil {
			return err
		}
		owning = owning || len(c.Objects(voxel.BlockEntities)) > 0
	}
	if s.old.biomes != s.now.biomes {
		if err := s.writeBiomes(); err != nil {
			return err
		}
	}
	there := s.tx.Column(s.pos)
	if s.now.column = s.merged(there, c); there == nil || s.old.column == nil || !sameColumn(there, s.now.column) || owning {
		s.tx.SetColumn(*s.now.column)
	}
	return nil
}

// box returns the cells of a section of a volume of a scale.
func (s *storing) box(y, scale int) geom.Box {
	at := geom.Point{X: int(s.pos.X) * edge / scale, Y: y * edge / scale, Z: int(s.pos.Z) * edge / scale}
	return geom.Box{Min: at, Max: geom.Point{X: at.X + edge/scale, Y: at.Y + edge/scale, Z: at.Z + edge/scale}}
}

// section writes the blocks of a section.
func (s *storing) section(y int, layers []storage) error {
	for i, name := range []string{voxel.Block, layerVolume} {
		v, layer := s.tx.Volume(name), storage{palette: []uint32{s.states.blocks.AirRuntimeID()}}
		if i < len(layers) {
			layer = layers[i]
		}
		table := make([]voxel.Cell, len(layer.palette))
		for j, id := range layer.palette {
			state, err := s.states.name(id)
			if err != nil {
				return err
			}
			table[j] = v.Named(state)
		}
		s.put(v, y, layer, table)
	}
	return nil
}

// put writes a storage into a volume of blocks.
func (s *storing) put(v *cairn.VolumeTx, y int, layer storage, table []voxel.Cell) {
	b := s.box(y, 1)
	if layer.bits == 0 {
		if c, ok := v.Chunk(b.Min.Chunk()); c == nil && ok && table[0] == v.Default {
			return
		}
		v.Fill(b, table[0])
		return
	}
	var c, was cells
	layer.unpack(table, &c)
	if !v.ReadBox(b, was[:]) {
		return
	}
	var differ []int
	for i := range c {
		if c[i] != was[i] {
			differ = append(differ, i)
		}
	}
	if len(differ) > sectionCells/8 {
		v.WriteBox(b, c[:])
		return
	}
	for _, i := range differ { // which copies fewer slices
		v.Set(b.Min.Add(geom.Point{X: i & 15, Y: i >> 8, Z: i >> 4 & 15}), c[i])
	}
}

// writeBiomes writes the biomes of all sections: one for 4x4x4 blocks, and all where these differ.
func (s *storing) writeBiomes() error {
	coarse, fine := s.tx.Volume(voxel.Biome), s.tx.Volume(fineVolume)
	var layer storage
	rest := s.biomes
	for i := range s.sections {
		before := layer
		if layer, rest = parseStorage(rest); layer.bits == sameBefore {
			layer = before
		}
		s.sectionBiomes(s.low+i, layer, coarse, fine)
	}
	return nil
}

func (s *storing) sectionBiomes(y int, layer storage, coarse, fine *cairn.VolumeTx) {
	table, names := make([]voxel.Cell, len(layer.palette)), make([]string, len(layer.palette))
	for j, id := range layer.palette {
		names[j] = biomeName(id)
		table[j] = coarse.Named(names[j])
	}
	none := storage{palette: []uint32{0}}
	if layer.bits == 0 {
		coarse.WriteBox(s.box(y, 4), slices.Repeat(table[:1], 64))
		s.put(fine, y, none, []voxel.Cell{0})
		return
	}
	var all cells
	layer.unpack(table, &all)
	corners, differ := make([]voxel.Cell, 64), false
	for i := range all {
		if i&0x333 == 0 {
			corners[corner(i)] = all[i]
		}
	}
	for i, cell := range all {
		differ = differ || cell != corners[corner(i)]
	}
	coarse.WriteBox(s.box(y, 4), corners)
	if !differ {
		s.put(fine, y, none, []voxel.Cell{0})
		return
	}
	for j, name := range names {
		table[j] = fine.Named(name)
	}
	s.put(fine, y, layer, table)
}

// corner returns the index of the 4x4x4 blocks around the i-th cell.
func corner(i int) int { return i>>10<<4 | i>>6&3<<2 | i>>2&3 }

// biomePrefix is before the number of a biome.
const biomePrefix = "bedrock:"

func biomeName(id uint32) string { return biomePrefix + strconv.Itoa(int(int32(id))) }

// column returns what is no cell of a column.
func (s *storing) column(col *chunk.Column) (*voxel.Column, error) {
	c := &voxel.Column{Pos: s.pos, Maps: []voxel.Map{{Name: mapHeight, Form: voxel.MapInts}}}
	rest := nbt.Entries{{Name: keyVersion, Value: chunkVersion}, {Name: keyFinal, Value: finalised}}
	used := false
	for i, b := range s.sections {
		has := voxel.HasBiome
		if b[1] > 0 {
			has |= voxel.HasBlock
			used = true
		}
		if b[1] > 2 {
			rest = append(rest, nbt.Entry{Name: fmt.Sprintf("%s%d", keySection, s.low+i), Value: chunk.EncodeSubChunk(col.Chunk, chunk.DiskEncoding, i)})
		}
		c.Sections = append(c.Sections, voxel.Section{Y: int8(s.low + i), Has: has})
	}
	if used {
		rest = append(rest, nbt.Entry{Name: keyVersions, Value: []int32{chunk.CurrentBlockVersion}})
	}
	ids, err := s.entities(c, col.Entities)
	if err == nil {
		err = s.blockEntities(c, col.BlockEntities)
	}
	if err != nil {
		return nil, err
	}
	if len(ids) > 0 {
		rest = append(rest, nbt.Entry{Name: keyDigest, Value: ids})
	}
	ticks, err := s.ticks(col)
	if err != nil {
		return nil, err
	}
	if ticks != nil {
		rest = append(rest, nbt.Entry{Name: keyTicks, Value: ticks})
	}
	c.Parts = []voxel.Part{{Name: partRest, Data: document(rest)}}
	return c, nil
}

// document returns entries as a document, in the order of a Bedrock world's keys.
func document(rest nbt.Entries) []byte {
	slices.SortStableFunc(rest, func(a, b nbt.Entry) int { return strings.Compare(order(a.Name), order(b.Name)) })
	return nbt.Append(nil, "", rest)
}

func order(name string) string {
	if name == keyDigest || name == keyVersions {
		return "z" + name
	}
	return name
}

// entities adds entities, and returns their numbers as they lie in a Bedrock world.
func (s *storing) entities(c *voxel.Column, all []chunk.Entity) (ids []byte, err error) {
	var list []voxel.Object
	for _, e := range all {
		entries, err := compound(e.Data)
		if err != nil {
			return nil, fmt.Errorf("entity %d: %w", e.ID, err)
		}
		list = append(list, placed(with(entries, nbt.Entry{Name: "UniqueID", Value: e.ID})))
		ids = binary.LittleEndian.AppendUint64(ids, uint64(e.ID))
	}
	addList(c, voxel.Entities, list)
	return ids, nil
}

// blockEntities adds block entities by their place: dragonfly gives them in any order.
func (s *storing) blockEntities(c *voxel.Column, all []chunk.BlockEntity) error {
	var list []voxel.Object
	for _, e := range all {
		entries, err := compound(e.Data)
		if err != nil {
			return fmt.Errorf("block entity at %v: %w", e.Pos, err)
		}
		entries = slices.DeleteFunc(entries, func(e nbt.Entry) bool { return e.Name == "x" || e.Name == "y" || e.Name == "z" })
		list = append(list, voxel.Object{Place: voxel.Moved, At: geom.Point{X: e.Pos[0], Y: e.Pos[1], Z: e.Pos[2]}, Payload: payload(entries)})
	}
	slices.SortFunc(list, func(a, b voxel.Object) int {
		return slices.Compare([]int{a.At.Y, a.At.Z, a.At.X}, []int{b.At.Y, b.At.Z, b.At.X})
	})
	addList(c, voxel.BlockEntities, list)
	return nil
}

func addList(c *voxel.Column, name string, list []voxel.Object) {
	if len(list) > 0 {
		c.Lists = append(c.Lists, voxel.List{Name: name, Objects: list})
	}
}

// with returns entries with another in its place.
func with(entries nbt.Entries, e nbt.Entry) nbt.Entries {
	i, found := slices.BinarySearchFunc(entries, e.Name, func(e nbt.Entry, name string) int { return strings.Compare(e.Name, name) })
	if found {
		entries[i] = e
		return entries
	}
	return slices.Insert(entries, i, e)
}

// pending are the updates of blocks that wait, as a Bedrock world keeps them.
type pending struct {
	Tick int32         `nbt:"currentTick"`
	List []pendingTick `nbt:"tickList"`
}

type pendingTick struct {
	State struct {
		Name    string `nbt:"name"`
		States  any    `nbt:"states"`
		Version int32  `nbt:"version"`
	} `nbt:"blockState"`
	Time int64 `nbt:"time"`
	X    int32 `nbt:"x"`
	Y    int32 `nbt:"y"`
	Z    int32 `nbt:"z"`
}

func (s *storing) ticks(col *chunk.Column) ([]byte, error) {
	if len(col.ScheduledBlocks) == 0 {
		return nil, nil
	}
	out := pending{Tick: int32(col.Tick)}
	for _, t := range sortedTicks(col.ScheduledBlocks) {
		name, properties, ok := s.states.blocks.RuntimeIDToState(t.Block)
		if !ok {
			return nil, fmt.Errorf("no block has the runtime id %d", t.Block)
		}
		tick := pendingTick{Time: t.Tick, X: int32(t.Pos[0]), Y: int32(t.Pos[1]), Z: int32(t.Pos[2])}
		tick.State.Name, tick.State.States, tick.State.Version = name, inOrder(properties), chunk.CurrentBlockVersion
		out.List = append(out.List, tick)
	}
	return bedrock.MarshalEncoding(out, bedrock.LittleEndian)
}

// inOrder returns a map as a struct, of which the fields have an order.
func inOrder(m map[string]any) any {
	var fields []reflect.StructField
	keys := slices.Sorted(maps.Keys(m))
	for i, k := range keys {
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeOf(m[k]), Tag: reflect.StructTag(fmt.Sprintf("nbt:%q", k))})
	}
	v := reflect.New(reflect.StructOf(fields)).Elem()
	for i, k := range keys {
		v.Field(i).Set(reflect.ValueOf(m[k]))
	}
	return v.Interface()
}

func sortedTicks(all []chunk.ScheduledBlockUpdate) []chunk.ScheduledBlockUpdate {
	return slices.SortedFunc(slices.Values(all), func(a, b chunk.ScheduledBlockUpdate) int {
		return slices.Compare([]int64{a.Tick, int64(a.Pos[1]), int64(a.Pos[2]), int64(a.Pos[0]), int64(a.Block)},
			[]int64{b.Tick, int64(b.Pos[1]), int64(b.Pos[2]), int64(b.Pos[0]), int64(b.Block)})
	})
}

// merged returns c with what the column that is there has besides.
func (s *storing) merged(there, c *voxel.Column) *voxel.Column {
	out := *c
	if there == nil {
		return &out
	}
	out.Version, out.Layout, out.Whole = there.Version, there.Layout, there.Whole
	high := s.low + len(s.sections)
	for _, other := range there.Sections {
		if y := int(other.Y); y < s.low || y >= high {
			out.Sections = append(slices.Clip(out.Sections), other)
		}
	}
	for _, m := range there.Maps {
		if m.Name != mapHeight {
			out.Maps = append(slices.Clip(out.Maps), m)
		}
	}
	for _, l := range there.Lists {
		if l.Name != voxel.Entities && l.Name != voxel.BlockEntities {
			out.Lists = append(slices.Clip(out.Lists), l)
		}
	}
	others := slices.DeleteFunc(restOf(there), func(e nbt.Entry) bool { return isOwn(e.Name) })
	if len(others) > 0 {
		out.Parts = []voxel.Part{{Name: partRest, Data: document(append(others, restOf(c)...))}}
	}
	for _, p := range there.Parts {
		if p.Name != partRest {
			out.Parts = append(slices.Clip(out.Parts), p)
		}
	}
	return &out
}

// sameColumn compares what dragonfly stores of a column, which of two of one place is all that can differ.
func sameColumn(a, b *voxel.Column) bool {
	object := func(a, b voxel.Object) bool {
		return a.Place == b.Place && a.At == b.At && bytes.Equal(a.Payload, b.Payload)
	}
	section := func(a, b voxel.Section) bool { return a.Y == b.Y && a.Has == b.Has }
	part := func(a, b voxel.Part) bool { return a.Name == b.Name && bytes.Equal(a.Data, b.Data) }
	for _, list := range []string{voxel.Entities, voxel.BlockEntities} {
		if !slices.EqualFunc(a.Objects(list), b.Objects(list), object) {
			return false
		}
	}
	return slices.EqualFunc(a.Sections, b.Sections, section) && slices.Equal(a.Maps, b.Maps) && slices.EqualFunc(a.Parts, b.Parts, part)
}

// isOwn reports whether dragonfly writes a value of the part of a column itself. All others stay.
func isOwn(key string) bool {
	switch key {
	case keyVersion, keyTicks, keyFinal, keyDigest, keyVersions:
		return true
	}
	return strings.HasPrefix(key, keySection)
}

// restOf returns the values of the part of a column.
func restOf(c *voxel.Column) nbt.Entries {
	i := slices.IndexFunc(c.Parts, func(p voxel.Part) bool { return p.Name == partRest && !p.Damaged })
	if i < 0 {
		return nil
	}
	_, v, _ := nbt.Parse(c.Parts[i].Data, nbt.Limits{})
	rest, _ := v.(nbt.Entries)
	return rest
}

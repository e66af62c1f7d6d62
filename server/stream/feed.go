package stream

import (
	"fmt"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// feed is what the sessions of a dimension and a list of volumes share: numbers of
// names, and cubes that are encoded. Numbers never change. A version whose names find no room beside those of
// the versions before is shown in a new feed, and the old one goes with the last version in it.
type feed struct {
	cache
	dimension string
	volumes   []ShownVolume
	hollow    bool // cells 0 hide nothing that can be seen
	lookOf    func(volume, name string) Look

	mu    sync.Mutex
	names []names // by volume
}

// names are the names of a volume by number. Number 0 is the empty cell, and 1 the default if that is another.
type names struct {
	list   []string
	looks  []Look
	hashes []uint64
	number map[string]voxel.Cell
}

// newFeed makes a feed of a dimension as it is in a state.
func newFeed(s State, dimension string, want []string, o *Options) (*feed, error) {
	d, err := dimensionOf(s, dimension)
	if err != nil {
		return nil, err
	}
	f := &feed{cache: newCache(o.Cache), dimension: d.Name, hollow: true, lookOf: o.Look}
	if len(want) == 0 {
		want = defaultVolumes(d)
	}
	for _, name := range want {
		i := slices.IndexFunc(d.Volumes, func(v stone.VolumeInfo) bool { return v.Volume.Name == name })
		if i < 0 {
			return nil, &Failure{"no_volume", fmt.Sprintf("there is no volume %q", name)}
		}
		v := d.Volumes[i].Volume
		if v.Scale != 1 && v.Scale != 2 && v.Scale != 4 {
			return nil, &Failure{"no_volume", fmt.Sprintf("volume %q has cells %d blocks wide", name, v.Scale)}
		}
		f.names = append(f.names, names{number: make(map[string]voxel.Cell)})
		f.volumes = append(f.volumes, ShownVolume{v.Name, v.Schema, v.Scale, v.Default})
		f.hollow = f.hollow && v.Default == 0
		if list := namesOf(d.Volumes[i]); v.Schema != voxel.Level && v.Default != 0 && nameIndex(v.Default, v.Schema) < len(list) {
			f.addName(len(f.names)-1, list[0])
			f.addName(len(f.names)-1, list[nameIndex(v.Default, v.Schema)])
		}
	}
	if len(f.volumes) == 0 {
		return nil, &Failure{"no_volume", "the dimension has no volume that can be streamed"}
	}
	to, err := f.translate(d)
	if err != nil {
		return nil, err
	}
	for i := range f.volumes {
		f.volumes[i].Default = to[i].cell(f.volumes[i].Default, f.volumes[i].Schema)
	}
	return f, nil
}

func dimensionOf(s State, name string) (stone.DimensionInfo, error) {
	for _, d := range s.Dimensions() {
		if (d.Name == name || name == "") && len(d.Name) <= maxWord {
			return d, nil
		}
	}
	return stone.DimensionInfo{}, &Failure{"no_dimension", fmt.Sprintf("there is no dimension %q", name)}
}

// defaultVolumes returns the volumes that are streamed if the client names none: the blocks of a
// block world, else all that are not light.
func defaultVolumes(d stone.DimensionInfo) (out []string) {
	for _, v := range d.Volumes {
		v := v.Volume
		if v.Name == voxel.Block {
			return []string{v.Name}
		}
		if !voxel.IsLight(v.Name) && v.Name != voxel.Biome && v.Scale <= 4 && v.Scale != 3 && len(v.Name) <= maxVolume && len(out) < maxVolumes {
			out = append(out, v.Name)
		}
	}
	return out
}

// translation leads from the cells of a state to the numbers of a feed. It is nil if they are the same.
type translation []voxel.Cell

func (t translation) cell(c voxel.Cell, s voxel.Schema) voxel.Cell {
	if t == nil {
		return c
	}
	if s == voxel.Terrain {
		return t[c>>8]<<8 | c&0xFF
	}
	if int(c) < len(t) {
		return t[c]
	}
	return 0
}

// translate finds numbers for the names of a dimension.
func (f *feed) translate(d stone.DimensionInfo) ([]translation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]translation, len(f.volumes))
	for i := range f.volumes {
		at := slices.IndexFunc(d.Volumes, func(v stone.VolumeInfo) bool { return v.Volume.Name == f.volumes[i].Name })
		if at < 0 {
			continue // the state has nothing there
		}
		v := d.Volumes[at]
		if v.Schema != f.volumes[i].Schema || v.Scale != f.volumes[i].Scale {
			return nil, &Failure{"no_volume", fmt.Sprintf("volume %q is of another kind in this version", v.Volume.Name)}
		}
		if v.Schema == voxel.Level {
			continue
		}
		t, err := f.numberNames(i, v)
		if err != nil {
			return nil, err
		}
		out[i] = t
	}
	return out, nil
}

// namesOf returns the names of a volume. The materials of a terrain all have one.
func namesOf(v stone.VolumeInfo) []string {
	if v.Schema != voxel.Terrain {
		return v.Names
	}
	list := make([]string, mostNames(v.Schema))
	copy(list, v.Names)
	for m := 1; m < len(list); m++ {
		if list[m] == "" {
			list[m] = fmt.Sprint("material ", m)
		}
	}
	return list
}

// mostNames is how many names the cells of a schema can have.
func mostNames(s voxel.Schema) int {
	if s == voxel.Terrain {
		return 64
	}
	return int(voxel.MaxCell) + 1
}

// nameIndex returns which name a cell has.
func nameIndex(c voxel.Cell, s voxel.Schema) int {
	if s == voxel.Terrain {
		return int(c >> 8)
	}
	return int(c)
}

// tooManyNames is the code of a failure for a version that has too many names.
const tooManyNames = "too_many_names"

// numberNames finds numbers for the names of a volume.
func (f *feed) numberNames(i int, v stone.VolumeInfo) (translation, error) {
	n, most, list := &f.names[i], mostNames(v.Schema), namesOf(v)
	same := true
	t := make(translation, len(list))
	for c, name := range list {
		num, ok := n.number[name]
		if c == 0 {
			num, ok = 0, len(n.list) > 0
		}
		if !ok {
			if len(n.list) == most {
				return nil, &Failure{tooManyNames, fmt.Sprintf("the versions of volume %q have more than %d names", v.Volume.Name, most)}
			}
			num = f.addName(i, name)
		}
		t[c] = num
		same = same && num == voxel.Cell(c)
	}
	if same {
		return nil, nil
	}
	return t, nil
}

// addName gives a name of a volume the next number.
func (f *feed) addName(i int, name string) voxel.Cell {
	n := &f.names[i]
	num := voxel.Cell(len(n.list))
	look, hash := Look{}, uint64(0)
	if num != 0 {
		look, hash = plainLook(name), hashName(name)
	}
	if f.lookOf != nil {
		look = f.lookOf(f.volumes[i].Name, name)
	}
	n.number[name] = num
	n.list, n.looks, n.hashes = append(n.list, name), append(n.looks, look), append(n.hashes, hash)
	return num
}

// withoutNames returns a feed of the same volumes without names but those that have the same number in each.
func (f *feed) withoutNames() *feed {
	f.mu.Lock()
	defer f.mu.Unlock()
	g := &feed{cache: newCache(f.most), dimension: f.dimension, volumes: f.volumes, hollow: f.hollow, lookOf: f.lookOf}
	for i := range f.volumes {
		g.names = append(g.names, names{number: make(map[string]voxel.Cell)})
		for c := range min(len(f.names[i].list), 1+nameIndex(f.volumes[i].Default, f.volumes[i].Schema)) {
			g.addName(i, f.names[i].list[c])
		}
	}
	return g
}

// nameOf returns the name and the look of a number.
func (f *feed) nameOf(i int, c voxel.Cell) (string, Look) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := &f.names[i]; int(c) < len(n.list) {
		return n.list[c], n.looks[c]
	}
	return "", Look{}
}

// plainLook is the look of a name without Options.Look: some opaque colour of its own, but for what worlds count as empty.
func plainLook(name string) Look {
	if name == "minecraft:cave_air" || name == "minecraft:void_air" {
		return Look{}
	}
	h := hashName(name)
	return Look{uint8(h)>>1 + 64, uint8(h>>8)>>1 + 64, uint8(h>>16)>>1 + 64, 255, Opaque}
}

package living

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// column is a column's place.
type column struct{ x, z int }

// begin is the time at which the player's hours begin, in seconds.
const begin = 1764000000

// server plays on a world folder, in place.
type server struct {
	dir     string
	rnd     *rand.Rand
	has     map[column]bool
	players [2]column
	people  [2]*value // the files of players
}

// newServer begins to play on the folder dir.
func newServer(dir string, seed uint64) (*server, error) {
	s := &server{dir: dir, rnd: rand.New(rand.NewPCG(seed, 7)), has: map[column]bool{}}
	files, err := filepath.Glob(filepath.Join(dir, "region", "r.*.mca"))
	if err != nil {
		return nil, err
	}
	var good []column
	for _, name := range files {
		r, err := openRegion(name)
		if err != nil {
			continue // an empty one
		}
		var x, z int
		if _, err := fmt.Sscanf(filepath.Base(name), "r.%d.%d.mca", &x, &z); err != nil {
			return nil, err
		}
		for slot := range 1024 {
			doc, err := r.get(slot)
			if err != nil {
				return nil, err
			}
			if doc == nil {
				continue
			}
			at := column{x<<5 | slot&31, z<<5 | slot>>5}
			s.has[at] = true
			if c, err := newChunk(doc); err == nil && c.whole() && len(doc) > 4000 {
				good = append(good, at)
			}
		}
	}
	if len(good) == 0 {
		return nil, fmt.Errorf("living: %s: no chunks to play in", dir)
	}
	slices.SortFunc(good, func(a, b column) int { return cmp.Or(a.x-b.x, a.z-b.z) })
	for i := range s.players {
		s.players[i] = good[s.rnd.IntN(len(good))]
		s.people[i] = s.newPlayer(i)
	}
	if _, err := os.Stat(s.level()); os.IsNotExist(err) {
		data := compound(named{"DataVersion", number(tInt, 3955)}, named{"LevelName", text("w")}, named{"Time", number(tLong, 100000)},
			named{"DayTime", number(tLong, 100000)}, named{"LastPlayed", number(tLong, begin*1000)}, named{"version", number(tInt, 19133)})
		return s, os.WriteFile(s.level(), gzipped(document("", compound(named{"Data", data}))), 0o644)
	}
	return s, nil
}

func (s *server) level() string { return filepath.Join(s.dir, "level.dat") }

func (s *server) chance(p float64) bool { return s.rnd.Float64() < p }

func (s *server) newPlayer(i int) *value {
	var inventory, recipes []*value
	for slot := range 27 {
		inventory = append(inventory, s.item(slot))
	}
	for n := range 120 {
		recipes = append(recipes, text(fmt.Sprintf("minecraft:recipe_%d", n)))
	}
	return compound(named{"DataVersion", number(tInt, 2865)}, named{"Pos", doubles(0, 70, 0)}, named{"Motion", doubles(0, -0.0784000015258789, 0)},
		named{"Dimension", text("minecraft:overworld")}, named{"foodLevel", number(tInt, 20)}, named{"XpTotal", number(tInt, 0)},
		named{"playerGameType", number(tInt, 0)}, named{"UUID", &value{kind: tInts, bytes: []byte{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, byte(i)}}},
		named{"Inventory", list(tCompound, inventory...)}, named{"EnderItems", list(tCompound)},
		named{"recipeBook", compound(named{"recipes", list(tString, recipes...)})})
}

func doubles(all ...float64) *value {
	v := list(tDouble)
	for _, f := range all {
		v.items = append(v.items, &value{kind: tDouble, bits: math.Float64bits(f)})
	}
	return v
}

var itemNames = []string{"cobblestone", "dirt", "oak_log", "bread", "iron_ingot", "coal", "raw_iron", "torch", "diamond", "redstone", "wheat_seeds"}

func (s *server) item(slot int) *value {
	return compound(named{"Slot", number(tByte, int64(slot))}, named{"id", text("minecraft:" + itemNames[s.rnd.IntN(len(itemNames))])}, named{"Count", number(tByte, int64(1+s.rnd.IntN(64)))})
}

// items changes what a chest holds.
func (s *server) items(l *value) {
	if n := len(l.items); n > 0 && s.chance(.7) {
		for _, name := range []string{"Count", "count"} {
			if t := l.items[s.rnd.IntN(n)].get(name); t != nil {
				t.bits = uint64(1 + s.rnd.IntN(64))
			}
		}
	} else if n < 27 {
		l.item, l.items = tCompound, append(l.items, s.item(n))
	}
}

// move moves an entity.
func (s *server) move(e *value) {
	p := e.get("Pos")
	if p == nil || len(p.items) != 3 {
		return
	}
	at := func(i int) float64 { return math.Float64frombits(p.items[i].bits) }
	e.set("Pos", doubles(at(0)+3*s.rnd.NormFloat64(), at(1), at(2)+3*s.rnd.NormFloat64()))
	if r := e.get("Rotation"); r != nil {
		turned := &value{kind: tFloat, bits: uint64(math.Float32bits(360 * s.rnd.Float32()))}
		e.set("Rotation", list(tFloat, turned, &value{kind: tFloat}))
	}
	if e.get("Motion") != nil && s.chance(.3) {
		e.set("Motion", doubles(.05*s.rnd.NormFloat64(), -0.0784000015258789, .05*s.rnd.NormFloat64()))
	}
	if age := e.get("Age"); age != nil && age.kind == tInt && age.int() < 0 {
		age.bits = uint64(min(0, age.int()+1200))
	}
}

var (
	air      = block("air")
	building = []*value{block("oak_planks"), block("cobblestone"), block("stone_bricks"), block("glass"), block("oak_log", "axis", "y"), block("dirt"),
		block("oak_stairs", "facing", "north", "half", "bottom", "shape", "straight", "waterlogged", "false")}
	torch = block("torch")
	chest = block("chest", "facing", "west", "type", "single", "waterlogged", "false")
)

// edit changes 1 to 60 blocks of a chunk: three of five times a builder or a miner does, else time.
func (s *server) edit(c *chunk, at column) int {
	changed := map[[2]int]bool{}
	n := 0
	if s.chance(.6) {
		n = s.build(c, at, changed)
	} else {
		for range 1 + s.rnd.IntN(8) {
			x, z := s.rnd.IntN(16), s.rnd.IntN(16)
			y, ok := c.top(x, z)
			if !ok {
				continue
			}
			to := air
			switch name := c.get(x, y, z); {
			case name == "dirt":
				to = block("grass_block", "snowy", "false")
			case name == "grass_block":
				to = block("dirt")
			case strings.HasSuffix(name, "leaves"):
				to = block("grass")
			}
			if c.set(x, y, z, to) {
				n++
				changed[[2]int{x, z}] = true
			}
		}
	}
	c.heights(changed)
	return n
}

// build lets somebody wander and set blocks, or take them.
func (s *server) build(c *chunk, at column, changed map[[2]int]bool) (n int) {
	want, x, z := 6+s.rnd.IntN(55), s.rnd.IntN(16), s.rnd.IntN(16)
	top, ok := c.top(x, z)
	if !ok {
		return 0
	}
	floor := c.lowest * 16
	y, mine := top, s.chance(.5)
	if s.chance(.5) {
		y = max(floor+5, top-3-s.rnd.IntN(28))
	}
	first, second := building[s.rnd.IntN(len(building))], building[s.rnd.IntN(len(building))]
	for tries := 0; n < want && tries < 400; tries++ {
		to, at := air, y
		if !mine {
			if to, at = first, min(y+1, 318); s.chance(.25) {
				to = second
			}
		}
		if c.set(x, at, z, to) {
			n++
			changed[[2]int{x, z}] = true
			sky := byte(0)
			if mine && y >= top {
				sky = 15
			}
			c.light("SkyLight", x, at, z, sky, false)
		} else if y--; y < floor {
			break
		}
		step := 1 - 2*s.rnd.IntN(2)
		switch s.rnd.IntN(3) {
		case 0:
			x = min(15, max(0, x+step))
		case 1:
			z = min(15, max(0, z+step))
		case 2:
			y = max(floor+1, y+step)
		}
	}
	if s.chance(.5) && c.set(x, y+1, z, torch) {
		s.shine(c, x, y+1, z)
	}
	if all := c.blockEntities(); all != nil && s.chance(.15) && c.set(x, y, z, chest) {
		var in []*value
		for i := range 2 + s.rnd.IntN(8) {
			in = append(in, s.item(i))
		}
		all.item = tCompound
		all.items = append(all.items, compound(named{"id", text("minecraft:chest")}, named{"keepPacked", number(tByte, 0)}, named{"x", number(tInt, int64(at.x*16+x))},
			named{"y", number(tInt, int64(y))}, named{"z", number(tInt, int64(at.z*16+z))}, named{"Items", list(tCompound, in...)}))
	}
	return n
}

// shine lights what is around a torch.
func (s *server) shine(c *chunk, x, y, z int) {
	abs := func(n int) int { return max(n, -n) }
	for dx := max(-13, -x); dx <= min(13, 15-x); dx++ {
		for dz := max(-13, -z); dz <= min(13, 15-z); dz++ {
			for dy := -13; dy <= 13; dy++ {
				level := 14 - abs(dx) - abs(dy) - abs(dz)
				if level > 0 && strings.HasSuffix(c.get(x+dx, y+dy, z+dz), "air") {
					c.light("BlockLight", x+dx, y+dy, z+dz, byte(level), true)
				}
			}
		}
	}
}

// walk returns the columns that the players load in an hour.
func (s *server) walk() []column {
	loaded := map[column]bool{}
	for tries := 0; len(loaded) < 10 && tries < 1000; tries++ {
		for i := range s.players {
			p := &s.players[i]
			for range 1 + s.rnd.IntN(4) {
				if q := (column{p.x + s.rnd.IntN(3) - 1, p.z + s.rnd.IntN(3) - 1}); s.has[q] {
					*p = q
				}
				for near := range 9 {
					if q := (column{p.x + near%3 - 1, p.z + near/3 - 1}); s.has[q] {
						loaded[q] = true
					}
				}
			}
		}
		if len(s.has) < 14 {
			break
		}
	}
	all := make([]column, 0, len(loaded))
	for c := range loaded {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b column) int { return cmp.Or(a.x-b.x, a.z-b.z) })
	if len(all) > 40 {
		s.rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:40]
	}
	return all
}

// hour plays for an hour and saves, as a server does: everything that was loaded is written anew.
func (s *server) hour(step int) error {
	now := begin + 3600*step
	ticks, err := s.saveLevel(now)
	if err != nil {
		return err
	}
	loaded := s.walk()
	chunks := &regions{filepath.Join(s.dir, "region"), map[string]*regionFile{}}
	creatures := &regions{filepath.Join(s.dir, "entities"), map[string]*regionFile{}}
	for _, at := range loaded {
		if err := s.saveChunk(chunks, at, ticks, now); err != nil {
			return err
		}
		if err := s.saveCreatures(creatures, at, now); err != nil {
			return err
		}
	}
	if err := cmp.Or(chunks.close(), creatures.close()); err != nil {
		return err
	}
	return s.savePlayers(step)
}

func (s *server) saveLevel(now int) (ticks int64, err error) {
	stored, err := os.ReadFile(s.level())
	if err != nil {
		return 0, err
	}
	doc, err := gunzip(stored)
	if err != nil {
		return 0, err
	}
	name, root, err := parse(doc)
	if err != nil {
		return 0, err
	}
	data := root.get("Data")
	for _, name := range []string{"Time", "DayTime"} {
		if t := data.get(name); t != nil {
			t.bits += 72000
		}
	}
	if t := data.get("LastPlayed"); t != nil {
		t.bits = uint64(now) * 1000
	}
	err = cmp.Or(os.WriteFile(s.level()+"_old", stored, 0o644), os.WriteFile(s.level(), gzipped(document(name, root)), 0o644))
	return data.get("Time").int(), err
}

func (s *server) saveChunk(in *regions, at column, ticks int64, now int) error {
	r, slot, err := in.at(at)
	if r == nil || err != nil {
		return err
	}
	doc, err := r.get(slot)
	if err != nil {
		return err
	}
	c, err := newChunk(doc)
	if err != nil {
		return err
	}
	if t := c.c.get("LastUpdate"); t != nil {
		t.bits = uint64(ticks - int64(s.rnd.IntN(6000)))
	}
	if t := c.c.get("InhabitedTime"); t != nil {
		t.bits += uint64(200 + s.rnd.IntN(39800))
	}
	if s.chance(.25) {
		s.edit(c, at)
	}
	if all := c.blockEntities(); all != nil {
		for _, b := range all.items {
			if l := b.get("Items"); l != nil && s.chance(.5) {
				s.items(l)
			}
		}
	}
	if all := c.c.get("Entities"); c.old && all != nil {
		for _, e := range all.items {
			s.move(e)
		}
	}
	r.put(slot, c.done(), uint32(now))
	return nil
}

func (s *server) saveCreatures(in *regions, at column, now int) error {
	r, slot, err := in.at(at)
	if r == nil || err != nil {
		return err
	}
	doc, err := r.get(slot)
	if doc == nil || err != nil {
		return err
	}
	name, root, err := parse(doc)
	if err != nil {
		return err
	}
	for _, e := range root.get("Entities").items {
		s.move(e)
	}
	r.put(slot, document(name, root), uint32(now))
	return nil
}

func (s *server) savePlayers(step int) error {
	for _, dir := range []string{"playerdata", "stats"} {
		if err := os.MkdirAll(filepath.Join(s.dir, dir), 0o755); err != nil {
			return err
		}
	}
	for i, p := range s.people {
		at := s.players[i]
		p.set("Pos", doubles(float64(at.x*16)+16*s.rnd.Float64(), 70, float64(at.z*16)+16*s.rnd.Float64()))
		for range 5 {
			p.get("Inventory").items[s.rnd.IntN(27)].set("Count", number(tByte, int64(1+s.rnd.IntN(64))))
		}
		p.get("XpTotal").bits += uint64(5 + s.rnd.IntN(76))
		p.get("foodLevel").bits = uint64(8 + s.rnd.IntN(13))
		id := fmt.Sprintf("3c9a3f5e-6a4b-4d0e-9d55-0000000000%02d", i)
		name := filepath.Join(s.dir, "playerdata", id+".dat")
		if was, err := os.ReadFile(name); err == nil {
			if err := os.WriteFile(name+"_old", was, 0o644); err != nil {
				return err
			}
		}
		if err := os.WriteFile(name, gzipped(document("", p)), 0o644); err != nil {
			return err
		}
		stats := fmt.Sprintf(`{"stats":{"minecraft:custom":{"minecraft:play_time":%d,"minecraft:walk_one_cm":%d,"minecraft:jump":%d},"minecraft:mined":{"minecraft:stone":%d,"minecraft:dirt":%d}},"DataVersion":2865}`,
			step*72000+i, step*91234+s.rnd.IntN(5000), step*321, step*40+s.rnd.IntN(9), step*17)
		if err := os.WriteFile(filepath.Join(s.dir, "stats", id+".json"), []byte(stats), 0o644); err != nil {
			return err
		}
	}
	return nil
}

package dragonfly

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/chunk"
)

const airState = "minecraft:air"

// states turns the runtime ids of a registry of blocks into names of cells and back. The names are those that an import of a
// Bedrock world makes, "minecraft:oak_stairs[upside_down_bit=false,weirdo_direction=2]".
type states struct {
	blocks world.BlockRegistry
	mu     sync.RWMutex
	names  map[uint32]string
	ids    map[spelled]state
}

// spelled is a name in a column, and the version of the game's names that it is of: 0 for today's.
type spelled struct {
	name    string
	version int32
}

// state is what a name means.
type state struct {
	id    uint32
	today bool // it is the name that id has
}

func newStates(blocks world.BlockRegistry) *states {
	return &states{blocks: blocks, names: map[uint32]string{}, ids: map[spelled]state{}}
}

// name returns the name of a runtime id.
func (s *states) name(id uint32) (string, error) {
	s.mu.RLock()
	name, ok := s.names[id]
	s.mu.RUnlock()
	if ok {
		return name, nil
	}
	base, properties, ok := s.blocks.RuntimeIDToState(id)
	if !ok {
		return "", fmt.Errorf("no block has the runtime id %d", id)
	}
	name, err := nameOf(base, properties)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	s.names[id] = name
	s.mu.Unlock()
	return name, nil
}

func nameOf(base string, properties map[string]any) (string, error) {
	if base == airState && len(properties) == 0 {
		return format.Air, nil
	}
	keys := make([]string, 0, len(properties))
	for k := range properties {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for i, k := range keys {
		value, ok := valueName(properties[k])
		if !ok || !isPlain(k) {
			return "", fmt.Errorf("block %s has the state %q = %v, for which cells have no name", base, k, properties[k])
		}
		keys[i] = k + "=" + value
	}
	if !isPlain(base) {
		return "", fmt.Errorf("block %q has a name that cells cannot have", base)
	}
	if len(keys) == 0 {
		return base, nil
	}
	return base + "[" + strings.Join(keys, ",") + "]", nil
}

// valueName returns the word for a state's value, from which its type follows.
func valueName(v any) (string, bool) {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v), true
	case uint8:
		return strconv.FormatBool(v == 1), v <= 1
	case int32:
		return strconv.Itoa(int(v)), true
	case string:
		_, isText := stateValue(v).(string)
		return v, isText && isPlain(v)
	}
	return "", false
}

// stateValue undoes valueName.
func stateValue(word string) any {
	switch word {
	case "true":
		return uint8(1)
	case "false":
		return uint8(0)
	}
	if n, err := strconv.Atoi(word); err == nil {
		return int32(n)
	}
	return word
}

// isPlain reports whether a word is printable ASCII without the marks of a name.
func isPlain(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("[],=", r) })
}

// id returns the runtime id of a name. Names of older versions are upgraded as dragonfly does it.
func (s *states) id(name string, version int32) (state, error) {
	if version >= chunk.CurrentBlockVersion {
		version = 0
	}
	key := spelled{name, version}
	s.mu.RLock()
	found, ok := s.ids[key]
	s.mu.RUnlock()
	if ok {
		return found, nil
	}
	id, err := s.find(name, version)
	if err != nil {
		return state{}, fmt.Errorf("block %s: %w", name, err)
	}
	own, err := s.name(id)
	found = state{id: id, today: err == nil && own == name}
	s.mu.Lock()
	s.ids[key] = found
	s.mu.Unlock()
	return found, nil
}

func (s *states) find(name string, version int32) (uint32, error) {
	if name == format.Air {
		return s.blocks.AirRuntimeID(), nil
	}
	base, list, has := strings.Cut(name, "[")
	values := map[string]any{}
	if has {
		for pair := range strings.SplitSeq(strings.TrimSuffix(list, "]"), ",") {
			key, word, _ := strings.Cut(pair, "=")
			values[key] = stateValue(word)
		}
	}
	entry := map[string]any{"name": base, "states": values, "version": max(version, 0)}
	if n, old := values["val"].(int32); old && len(values) == 1 {
		entry = map[string]any{"name": base, "val": int16(n)}
	} else if version == 0 {
		if id, ok := s.blocks.StateToRuntimeID(base, values); ok {
			return id, nil
		}
		entry["version"] = chunk.CurrentBlockVersion
	}
	return chunk.BlockPaletteEncoding{Blocks: s.blocks}.DecodeBlockState(entry)
}

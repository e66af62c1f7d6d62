package redis

import (
	"context"
	"strings"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// What a key stands for.
type kind int

const (
	isNothing kind = iota
	isWorld        // the file of a world
	isLock         // a lease of a world
	isList         // the names of all worlds
)

// listKey is the key of the names.
const listKey = "aswm:world:list"

// keySpaces are the beginnings of keys that end with the name of a world. The second ones are those of 2021.
var keySpaces = []struct {
	prefix string
	kind   kind
}{
	{"aswm:world:data:", isWorld}, {"aswm:world:lock:", isLock},
	{"aswm_world_data_", isWorld}, {"aswm_world_lock_", isLock},
}

// parse returns what a key stands for, and the world. The world is one that the caller may name.
func (c *session) parse(key []byte) (k kind, world string, err error) {
	if string(key) == listKey {
		return isList, "", nil
	}
	for _, space := range keySpaces {
		if name, ok := strings.CutPrefix(string(key), space.prefix); ok {
			world, err = c.world(name)
			return space.kind, world, err
		}
	}
	return isNothing, "", nil
}

// longestName bounds the texts that are looked at as names, patterns and names of clients. No name of a world is as long.
const longestName = 1 << 10

// world returns the world that has a name here.
func (c *session) world(name string) (string, error) {
	part := history.Escape(name[:min(len(name), longestName)])
	if back, ok := history.Unescape(part); !ok || back != name || name == "" || name[0] == '.' && part == name {
		return "", refusef("the name %.40q has no place in the store: it is too long, empty or begins with a dot", name)
	}
	world := c.s.o.Prefix + part
	if history.CheckName(record.InboxName(world)) != nil {
		return "", refusef("the name %.40q has no place in the store", name)
	}
	return world, c.reach(world)
}

// nameOf undoes world. ok is false for worlds that have no name here.
func (s *Door) nameOf(world string) (name string, ok bool) {
	part, ok := strings.CutPrefix(world, s.o.Prefix)
	if !ok || part == "" || strings.Contains(part, "/") {
		return "", false
	}
	return history.Unescape(part)
}

// listed is how many names are listed at a time.
const listed = 1000

// names returns the names of the worlds that have a version, or for which something waits, in the order of
// the store.
func (c *session) names(ctx context.Context) (names []string, err error) {
	last := ""
	for after := ""; ; {
		batch, err := c.s.st.List(ctx, c.s.o.Prefix, after, listed)
		if err != nil {
			return nil, err
		}
		for _, world := range batch {
			world, _ = record.InboxOf(world)
			name, ok := c.s.nameOf(world)
			if !ok || world == last || c.reach(world) != nil {
				continue
			}
			there, err := c.there(ctx, world)
			if err != nil {
				return nil, err
			}
			if there {
				last = world
				names = append(names, name)
			}
		}
		if len(batch) < listed {
			return names, nil
		}
		after = batch[len(batch)-1]
	}
}

func (c *session) members(ctx context.Context, args [][]byte) (any, error) {
	if string(args[0]) != listKey {
		return set{}, nil
	}
	names, err := c.names(ctx)
	out := make(set, 0, len(names))
	for _, name := range names {
		out = append(out, []byte(name))
	}
	return out, err
}

func (c *session) count(ctx context.Context, args [][]byte) (any, error) {
	all, err := c.members(ctx, args)
	if err != nil {
		return nil, err
	}
	return int64(len(all.(set))), nil
}

func (c *session) isMember(ctx context.Context, args [][]byte) (any, error) {
	if string(args[0]) != listKey {
		return int64(0), nil
	}
	world, err := c.world(string(args[1]))
	if err != nil {
		return nil, err
	}
	there, err := c.there(ctx, world)
	return number(there), err
}

// add is SADD: the list has what is there, so it adds nothing. A name that is no world's cannot be kept, and is told.
func (c *session) add(ctx context.Context, args [][]byte) (any, error) {
	if string(args[0]) != listKey {
		return nil, refusef("there is no set but %s", listKey)
	}
	for _, name := range args[1:] {
		world, err := c.world(string(name))
		if err != nil {
			return nil, err
		}
		there, err := c.there(ctx, world)
		if err != nil {
			return nil, err
		}
		if !there {
			return nil, refusef("there is no world %.100q: SET its data first", name)
		}
	}
	return int64(0), nil
}

// remove is SREM: a world that is there stays in the list until its data is deleted.
func (c *session) remove(_ context.Context, args [][]byte) (any, error) {
	if string(args[0]) != listKey {
		return int64(0), nil
	}
	for _, name := range args[1:] {
		if _, err := c.world(string(name)); err != nil {
			return nil, err
		}
	}
	return int64(0), nil
}

// allKeys returns the keys that match a pattern.
func (c *session) allKeys(ctx context.Context, pattern string) (array, error) {
	if len(pattern) > longestName {
		return nil, refusef("a pattern of %d bytes: at most %d", len(pattern), longestName)
	}
	names, err := c.names(ctx)
	out := array{}
	if err != nil {
		return nil, err
	}
	space := keySpaces[0].prefix
	if strings.HasPrefix(pattern, keySpaces[2].prefix) {
		space = keySpaces[2].prefix
	}
	for _, name := range names {
		if key := space + name; matches(pattern, key) {
			out = append(out, []byte(key))
		}
	}
	if len(names) > 0 && matches(pattern, listKey) {
		out = append(out, []byte(listKey))
	}
	return out, nil
}

func (c *session) keys(ctx context.Context, args [][]byte) (any, error) {
	all, err := c.allKeys(ctx, string(args[0]))
	return all, err
}

// scan is SCAN: the first answer has all.
func (c *session) scan(ctx context.Context, args [][]byte) (any, error) {
	pattern := "*"
	for i := 1; i+1 < len(args); i += 2 {
		switch strings.ToUpper(string(args[i])) {
		case "MATCH":
			pattern = string(args[i+1])
		case "COUNT":
		case "TYPE":
			if !strings.EqualFold(string(args[i+1]), "string") {
				return array{[]byte("0"), array{}}, nil
			}
		default:
			return nil, errSyntax
		}
	}
	if len(args)%2 == 0 {
		return nil, errSyntax
	}
	all, err := c.allKeys(ctx, pattern)
	return array{[]byte("0"), all}, err
}

// matches reports whether a pattern of * and ? is that of a text. Its time is that of both lengths.
func matches(pattern, text string) bool {
	star, from := -1, 0
	p := 0
	for i := 0; i < len(text); {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[i]):
			p++
			i++
		case star >= 0:
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

func number(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

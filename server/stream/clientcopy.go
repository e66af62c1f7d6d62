package stream

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// AppendCopy appends the copy and its names to dst, for LoadCopy in another process.
func (c *Client) AppendCopy(dst []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.names) == 0 {
		return dst
	}
	w := Welcome{Protocol: Protocol, Moment: c.moment}
	for i, n := range c.names {
		v := n.volume
		v.Default = c.ownDefault(i)
		w.Volumes = append(w.Volumes, v)
	}
	dst = Append(dst, &w, nil)
	for i, n := range c.names {
		for list := n.list; len(list) > 0 && n.volume.Schema != voxel.Level; {
			m := min(len(list), 200)
			dst = Append(dst, &NumberNames{uint8(i), list[:m]}, nil)
			list = list[m:]
		}
	}
	sequence := uint64(0)
	keys := slices.SortedFunc(maps.Keys(c.cubes), Key.Compare) // same copy, same bytes
	for _, k := range keys {
		x := c.cubes[k]
		f := Cube{Key: k, Version: x.version}
		for i := 0; i < len(c.names) && x.version != 0; i++ {
			f.Cells = append(f.Cells, c.expanded(x, i))
		}
		sequence++
		dst = Append(dst, &Cubes{sequence, []Cube{f}}, w.Volumes)
	}
	return dst
}

// LoadCopy makes the copy what AppendCopy wrote. Run claims it. The error is a *CorruptError, and the
// copy is then empty.
func (c *Client) LoadCopy(b []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.loadCopy(b)
	if err != nil {
		c.cubes, c.names, c.bytes = make(map[Key]*cube), nil, 0
	}
	c.endSession()
	c.changes.Add(1)
	return err
}

func (c *Client) loadCopy(b []byte) error {
	c.cubes, c.names, c.welcome, c.bytes, c.last = make(map[Key]*cube), nil, nil, 0, 0
	for at := 0; at < len(b); {
		var volumes []ShownVolume
		if c.welcome != nil {
			volumes = c.welcome.Volumes
		}
		f, n, err := DecodeServer(b[at:], volumes)
		if err != nil {
			return fmt.Errorf("stream: a copy, frame at byte %d: %w", at, err)
		}
		switch f.(type) {
		case *Welcome, *NumberNames, *Cubes:
		default:
			return &CorruptError{Offset: int64(at), Part: "copy", Err: errors.New("a frame that does not belong here")}
		}
		if _, ok := f.(*Welcome); !ok && c.welcome == nil {
			return &CorruptError{Offset: int64(at), Part: "copy", Err: errors.New("a frame before Welcome")}
		}
		if _, err := c.apply(f); err != nil {
			return err
		}
		at += n
	}
	return nil
}

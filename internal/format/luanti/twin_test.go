package luanti_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// unzstd is a decoder without bounds.
var unzstd, _ = zstd.NewReader(nil)

// twin says in words what a map block has, byte by byte as FORMAT.md describes it, without the package: its header, the lists,
// and the nodes, whose names have numbers in the order in which they come. It panics on bytes that are no map block.
func twin(data []byte) string {
	var out strings.Builder
	version := data[0]
	b := data[1:]
	if version == 29 {
		var err error
		b, err = unzstd.DecodeAll(b, nil)
		must(err)
	}
	take := func(n int) []byte {
		v := b[:n]
		b = b[n:]
		return v
	}
	u16 := func() int { return int(binary.BigEndian.Uint16(take(2))) }
	u32 := func() int { return int(int32(binary.BigEndian.Uint32(take(4)))) }
	inflate := func() []byte {
		src := bytes.NewReader(b)
		z, err := zlib.NewReader(src)
		must(err)
		v, err := io.ReadAll(z)
		must(err)
		b = b[len(b)-src.Len():]
		return v
	}
	names := map[int]string{}
	readNames := func() {
		fmt.Fprintf(&out, "timestamp %d version %d\n", u32(), take(1)[0])
		for range u16() {
			id := u16()
			names[id] = string(take(u16()))
		}
	}
	fmt.Fprintf(&out, "version %d flags %d\n", version, take(1)[0])
	if version >= 27 {
		fmt.Fprintf(&out, "lighting %d\n", u16())
	}
	if version == 29 {
		readNames()
	}
	fmt.Fprintf(&out, "widths %d\n", take(2))
	var nodes, rest []byte
	if version == 29 {
		nodes = take(16384)
	} else {
		nodes = inflate()
		meta := inflate()
		rest, b = b, meta
	}
	metaVersion := take(1)[0]
	fmt.Fprintf(&out, "metadata %d\n", metaVersion)
	if metaVersion > 0 {
		for range u16() {
			fmt.Fprintf(&out, "node %d:", u16())
			for range u32() {
				key := string(take(u16()))
				fmt.Fprintf(&out, " %q=%q", key, take(u32()))
				if metaVersion == 2 {
					fmt.Fprintf(&out, "(%d)", take(1)[0])
				}
			}
			end := "EndInventory\n"
			i := strings.Index("\n"+string(b), "\n"+end)
			fmt.Fprintf(&out, " %q\n", take(i+len(end)))
		}
	}
	if version != 29 {
		if len(b) > 0 {
			panic("bytes behind metadata")
		}
		b = rest
	}
	fmt.Fprintf(&out, "statics %d\n", take(1)[0])
	for range u16() {
		fmt.Fprintf(&out, "%d at %d %d %d", take(1)[0], u32(), u32(), u32())
		fmt.Fprintf(&out, " %q\n", take(u16()))
	}
	if version != 29 {
		readNames()
	}
	fmt.Fprintf(&out, "timers of %d\n", take(1)[0])
	var timers []string
	for range u16() {
		timers = append(timers, fmt.Sprintf("timer %d %d %d\n", u16(), u32(), u32()))
	}
	slices.Sort(timers) // one for each node: their order says nothing
	out.WriteString(strings.Join(timers, ""))
	if len(b) > 0 {
		panic("bytes behind the end")
	}
	number := map[string]byte{} // of names, in the order of the nodes
	var order []string
	for i := range 4096 {
		id := int(binary.BigEndian.Uint16(nodes[2*i:]))
		name, ok := names[id]
		if !ok {
			name = fmt.Sprint("id ", id)
		}
		n, ok := number[name]
		if !ok {
			n = byte(len(order))
			number[name], order = n, append(order, name)
		}
		out.WriteByte(n)
	}
	fmt.Fprintf(&out, "%q", order)
	out.Write(nodes[8192:])
	return out.String()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// zstdOf returns a frame.
func zstdOf(b []byte) []byte { return frames.EncodeAll(b, nil) }

var frames, _ = zstd.NewWriter(nil)

package texture

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
)

// Limits of the format.
const (
	mostChannels = 64
	mostTiles    = 1 << 24
	firstNumber  = 1001 // of the images of a set
	lastNumber   = 9999
)

// constant marks a ref to the pixel of a constant tile. Other refs are numbers of stored tiles.
const constant = 1 << 31

// directory says what a file has.
type directory struct {
	header   raster.Header // of all images, without levels
	pictures []picture
	refs     []uint32 // of all tiles: by image, by level, by row
	sizes    []uint32 // of the stored tiles, in the order of the file, without their checksums
	pixels   []byte   // of constant tiles
}

// pixel returns the pixel of a constant tile.
func (d *directory) pixel(ref uint32) []byte {
	size := d.header.Pixel()
	at := int(ref&^constant) * size
	return d.pixels[at : at+size : at+size]
}

// add adds an image whose tiles follow those that there are. It returns how many there are then.
func (d *directory) add(number int, size raster.Size, tiles int) (int, error) {
	if n := len(d.pictures); n > 0 && (d.pictures[0].number == 0 || number <= d.pictures[n-1].number) {
		return 0, fmt.Errorf("image %d behind image %d", number, d.pictures[n-1].number)
	}
	if number != 0 && (number < firstNumber || number > lastNumber) {
		return 0, fmt.Errorf("image %d of a set: they are %d to %d", number, firstNumber, lastNumber)
	}
	p := picture{number: number, header: d.header}
	p.header.Levels = levelSizes(size)
	for l := range p.header.Levels {
		p.first = append(p.first, tiles)
		x, y := p.header.Blocks(l)
		tiles += x * y
	}
	if tiles > mostTiles {
		return 0, fmt.Errorf("%d tiles: at most %d; larger ones are fewer", tiles, mostTiles)
	}
	d.pictures = append(d.pictures, p)
	return tiles, nil
}

// append appends the directory as the file has it.
func (d *directory) append(dst []byte) ([]byte, error) {
	h := &d.header
	head := []byte{byte(h.Type), 0, byte(bits.TrailingZeros(uint(h.Block.Width)))}
	if h.SRGB {
		head[1] = 1
	}
	head = binary.AppendUvarint(head, uint64(len(h.Channels)))
	for _, s := range slices.Concat(h.Channels, h.Wrap[:]) {
		head = append(binary.AppendUvarint(head, uint64(len(s))), s...)
	}
	head = binary.AppendUvarint(head, uint64(len(d.pictures)))
	for _, p := range d.pictures {
		for _, v := range []int{p.number, p.header.Levels[0].Width, p.header.Levels[0].Height} {
			head = binary.AppendUvarint(head, uint64(v))
		}
	}
	var refs, sizes []byte
	var next [2]int64 // of stored and of constant tiles
	for _, r := range d.refs {
		kind, v := r>>31, int64(r&^constant)
		diff := v - next[kind]
		refs = binary.AppendUvarint(refs, (uint64(diff)<<1^uint64(diff>>63))<<1|uint64(kind))
		next[kind] = v + 1 - int64(kind)
	}
	for _, s := range d.sizes {
		sizes = binary.AppendUvarint(sizes, uint64(s))
	}
	streams := [][]byte{head, refs, sizes, d.pixels}
	if n := pages.Size(streams); n > pages.MaxPage {
		return nil, fmt.Errorf("a directory of %d bytes: at most %d; larger tiles are fewer", n, pages.MaxPage)
	}
	return pages.NewEncoder(true).Append(dst, 0, streams), nil
}

// parse undoes append. The stored tiles have so many bytes.
func (d *directory) parse(b []byte, stored int64) error {
	form, streams, err := pages.Split(context.Background(), b)
	if err == nil && (form != 0 || len(streams) != 4) {
		err = &cursor.CorruptError{Part: "directory", Err: fmt.Errorf("form %d of %d streams", form, len(streams))}
	}
	if err != nil {
		return err
	}
	tiles, err := d.parseHead(streams[0])
	if err == nil {
		err = d.parseSizes(streams[2], stored)
	}
	if d.pixels = streams[3]; err == nil {
		err = d.parseRefs(streams[1], tiles)
	}
	return err
}

// parseHead returns the number of tiles.
func (d *directory) parseHead(b []byte) (tiles int, err error) {
	c := cursor.New(b, "directory")
	h := &d.header
	h.Type, h.SRGB = raster.Type(c.Byte()), c.Flags(1) == 1
	edge := 1 << c.Within(int64(c.Byte()), 4, 8)
	h.Block = raster.Size{Width: edge, Height: edge}
	for range c.Within(int64(c.Uvarint()&0xFFFF), 1, mostChannels) {
		h.Channels = append(h.Channels, c.Text())
	}
	if h.Wrap = [2]string{c.Text(), c.Text()}; !storable(h.Type) {
		c.Fail(fmt.Errorf("numbers of %v", h.Type))
	}
	for range c.Within(int64(c.Uvarint()&0xFFFF), 1, lastNumber) {
		number, edges := c.AtMost(lastNumber), [2]int64{}
		for i := range edges {
			edges[i] = c.Within(int64(c.AtMost(raster.MostEdge)), 1, raster.MostEdge)
		}
		if c.Err() != nil {
			break
		}
		if tiles, err = d.add(number, raster.Size{Width: int(edges[0]), Height: int(edges[1])}, tiles); err != nil {
			c.Fail(err)
		}
	}
	return tiles, c.End()
}

// storable says whether the format has a type.
func storable(t raster.Type) bool { return t <= raster.Float && t != raster.Uint32 }

func (d *directory) parseSizes(b []byte, stored int64) error {
	c := cursor.New(b, "directory")
	most := int64(d.header.Block.Width*d.header.Block.Height*d.header.Pixel() + 1) // pixels behind a head
	d.sizes = make([]uint32, 0, min(int64(len(b)), stored/(1+sumBytes))+1)         // one more is asked for by open
	for c.Left() > 0 && stored > 0 {
		size := c.Within(int64(c.Size()), 1, most)
		d.sizes = append(d.sizes, uint32(size))
		stored -= size + sumBytes
	}
	if stored != 0 {
		c.Fail(errors.New("the sizes of tiles are not those of the file"))
	}
	return c.End()
}

func (d *directory) parseRefs(b []byte, tiles int) error {
	c := cursor.New(b, "directory")
	if tiles > len(b) || len(d.pixels)%d.header.Pixel() != 0 {
		c.Fail(fmt.Errorf("%d tiles in %d bytes, and %d bytes of pixels", tiles, len(b), len(d.pixels)))
	}
	used := make([]bool, len(d.sizes))
	most := [2]int64{int64(len(d.sizes)) - 1, int64(len(d.pixels)/d.header.Pixel()) - 1}
	var next [2]int64
	for d.refs = make([]uint32, 0, min(tiles, len(b))); len(d.refs) < tiles && c.Err() == nil; {
		u := c.Uvarint()
		kind, z := u&1, u>>1
		v := c.Within(next[kind]+(int64(z>>1)^-int64(z&1)), 0, most[kind])
		if next[kind] = v + 1 - int64(kind); kind == 0 && c.Err() == nil {
			used[v] = true
		}
		d.refs = append(d.refs, uint32(v)|uint32(kind)<<31)
	}
	if slices.Contains(used, false) {
		c.Fail(errors.New("a tile that nothing names"))
	}
	return c.End()
}

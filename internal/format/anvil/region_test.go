package anvil_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// noSum stands for the checksum of a block whose checksum is not looked at.
func noSum([]byte) uint32 { return 0 }

// xxh32 is the checksum of lz4-java's blocks in the plainest way.
func xxh32(b []byte) uint32 {
	const p1, p2, p3, p4, p5 uint32 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
	const seed uint32 = 0x9747B28C
	rotate := func(x uint32, n int) uint32 { return x<<n | x>>(32-n) }
	word := func(i int) uint32 {
		return uint32(b[i]) | uint32(b[i+1])<<8 | uint32(b[i+2])<<16 | uint32(b[i+3])<<24
	}
	h, i := seed+p5, 0
	if len(b) >= 16 {
		s, p := seed, p1
		v1, v2, v3, v4 := s+p+p2, s+p2, s, s-p
		for ; i+16 <= len(b); i += 16 {
			v1 = rotate(v1+word(i)*p2, 13) * p1
			v2 = rotate(v2+word(i+4)*p2, 13) * p1
			v3 = rotate(v3+word(i+8)*p2, 13) * p1
			v4 = rotate(v4+word(i+12)*p2, 13) * p1
		}
		h = rotate(v1, 1) + rotate(v2, 7) + rotate(v3, 12) + rotate(v4, 18)
	}
	h += uint32(len(b))
	for ; i+4 <= len(b); i += 4 {
		h = rotate(h+word(i)*p3, 17) * p4
	}
	for ; i < len(b); i++ {
		h = rotate(h+uint32(b[i])*p5, 11) * p1
	}
	h = (h ^ h>>15) * p2
	h = (h ^ h>>13) * p3
	return (h ^ h>>16) & 0x0FFFFFFF
}

// bigChunk has a tag of random bytes, which no compression makes shorter.
func bigChunk(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, n)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	return chunk(2586, "noise", noise)
}

func TestCompression(t *testing.T) {
	plain, noise := chunk(2586, "zeros", make([]byte, 200_000)), bigChunk(70_000)
	for _, tt := range []struct {
		name string
		kind byte
		data []byte
		want []byte
	}{
		{"gzip", 1, gzipped(plain), plain},
		{"zlib", 2, deflated(plain), plain},
		{"none", 3, plain, plain},
		{"lz4", 4, lz4Stream(plain, 1<<16, xxh32), plain},
		{"lz4, small blocks", 4, lz4Stream(plain, 1000, xxh32), plain},
		{"lz4, not compressible", 4, lz4Stream(noise, 1<<16, xxh32), noise},
	} {
		t.Run(tt.name, func(t *testing.T) {
			world := folder(map[string][]byte{"region/r.0.0.mca": region(map[int][]byte{0: stored(tt.kind, tt.data)}, nil)})
			dir := mustWrite(t, mustReadAll(t, world), anvil.FolderOptions{})
			wantSame(t, docsOf(t, dir, "region/r.0.0.mca")[0], tt.want)
		})
	}
}

// TestZlibSums: chunks of many lengths have the sums that the standard library
// gave them.
func TestZlibSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	chunks := map[int][]byte{}
	for i := range 1024 {
		b := make([]byte, i+i/512*rng.IntN(5000))
		for j := range b {
			if b[j] = 0xFF; i%2 == 0 {
				b[j] = byte(rng.Uint32())
			}
		}
		chunks[i] = stored(2, deflated(chunk(2586, "noise", b)))
	}
	if _, st, err := read(t, folder(map[string][]byte{"region/r.0.0.mca": region(chunks, nil)}), anvil.Options{}); err != nil || st.Chunks != 1024 {
		t.Errorf("%d chunks, %v", st.Chunks, err)
	}
}

// TestCompressionOrder: what a reader of one kind leaves behind does not show
// in the next chunk.
func TestCompressionOrder(t *testing.T) {
	chunks, kinds := map[int][]byte{}, []func([]byte) []byte{
		func(d []byte) []byte { return stored(1, gzipped(d)) },
		func(d []byte) []byte { return stored(2, deflated(d)) },
		func(d []byte) []byte { return stored(2, deflated(d)[:20]) },
		func(d []byte) []byte { return stored(1, gzipped(d)[:7]) },
		func(d []byte) []byte { return stored(4, lz4Stream(d, 1000, xxh32)) },
	}
	doc := func(i int) []byte {
		return chunk(2586, "xPos", int32(i), "fill", bytes.Repeat([]byte{byte(i)}, 3000))
	}
	for i := range 32 {
		chunks[i] = kinds[i%5](doc(i))
	}
	s, st, err := read(t, folder(map[string][]byte{"region/r.0.0.mca": region(chunks, nil)}), anvil.Options{})
	var damage *format.DamageError
	if !errors.As(err, &damage) || len(damage.Columns) != 12 || st.Chunks != 20 {
		t.Fatalf("%d chunks, %v", st.Chunks, err)
	}
	for _, c := range s.columns {
		if i := int(c.Pos.X); !bytes.Contains(c.Parts[0].Data, bytes.Repeat([]byte{byte(i)}, 3000)) {
			t.Errorf("chunk %v has another's bytes", c.Pos)
		}
	}
}

// TestDamage: a chunk that cannot be read is named, the one beside it comes,
// and with salvage its bytes come back as they were.
func TestDamage(t *testing.T) {
	good := stored(2, deflated(chunk(2586, "xPos", int32(1))))
	doc := chunk(2586, "zeros", make([]byte, 10_000))
	flip := func(b []byte, i int) []byte {
		b[i] ^= 1
		return b
	}
	length := func(n uint32) []byte {
		b := stored(2, deflated(doc))
		binary.BigEndian.PutUint32(b, n)
		return b
	}
	short := stored(2, deflated(doc))
	binary.BigEndian.PutUint32(short, binary.BigEndian.Uint32(short)-2)
	for _, tt := range []struct {
		name string
		raw  []byte
		want string // in the error
	}{
		{"unknown compression", stored(9, doc), "unknown compression 9"},
		{"custom compression", stored(127, append([]byte{0, 3}, "my:x"...)), `"my:"`},
		{"custom without a name", stored(127, nil), "a nameless algorithm"},
		{"zlib, cut", stored(2, deflated(doc)[:30]), "unexpected EOF"},
		{"zlib, checksum", stored(2, flip(deflated(doc), len(deflated(doc))-1)), "checksum"},
		{"zlib, upper checksum", stored(2, flip(deflated(doc), len(deflated(doc))-4)), "checksum"},
		{"zlib, no checksum", stored(2, deflated(doc)[:len(deflated(doc))-1]), "unexpected EOF"},
		{"zlib, gzip", stored(2, gzipped(doc)), "header"},
		{"zlib, dictionary", stored(2, []byte{0x78, 0xBB, 0, 0, 0, 0}), "header"},
		{"zlib, large window", stored(2, []byte{0x88, 0x1C, 0, 0, 0, 0}), "header"},
		{"zlib, header check", stored(2, flip(deflated(doc), 1)), "header"},
		{"zlib, cut in the header", stored(2, []byte{0x78}), "unexpected EOF"},
		{"gzip, cut", stored(1, gzipped(doc)[:20]), "unexpected EOF"},
		{"no payload", stored(2, nil), "unexpected EOF"},
		{"length 0", length(0), "length is 0"},
		{"length beyond the sectors", length(5000), "length is 5000"},
		{"length too short", short, "unexpected EOF"},
		{"negative length", length(1 << 31), "length is 2147483648"},
		{"lz4, no magic", stored(4, []byte("LZ4Blick0123456789abcdef")), "magic"},
		{"lz4, cut in a header", stored(4, lz4Stream(doc, 1000, xxh32)[:20]), "unexpected EOF"},
		{"lz4, cut in a block", stored(4, lz4Stream(doc, 1000, xxh32)[:30]), "unexpected EOF"},
		{"lz4, no last block", stored(4, lz4Stream(doc, 1000, xxh32)[:21]), "unexpected EOF"},
		{"lz4, checksum", stored(4, lz4Stream(doc, 1000, noSum)), "checksum"},
		{"lz4, token", stored(4, flip(lz4Stream(doc, 1000, xxh32), 8+0)), "lengths"},
		{"not NBT", stored(3, []byte("hello")), "nbt"},
		{"cut NBT", stored(3, doc[:100]), "unexpected EOF"},
		{"a list for a root", stored(3, []byte{9, 0, 0, 1, 0, 0, 0, 0}), "not a compound"},
		{"external, missing", stored(0x82, nil), "c.0.0.mcc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "lz4, token" {
				tt.raw[5+8] = 0x10 // raw, of a length that packed bytes have not
			}
			b := region(map[int][]byte{0: tt.raw, 1: good}, map[int]uint32{0: 77})
			world := folder(map[string][]byte{"region/r.0.0.mca": b})
			s, st, err := read(t, world, anvil.Options{})
			var damage *format.DamageError
			if !errors.As(err, &damage) || len(damage.Columns) != 1 || len(s.columns) != 1 || st.Chunks != 1 {
				t.Fatalf("%d columns, error %v", len(s.columns), err)
			}
			d := damage.Columns[0]
			var corrupt *format.CorruptError
			if d.File != "region/r.0.0.mca" || d.Pos != (geom.ColumnPos{}) || !errors.As(d.Err, &corrupt) || corrupt.Offset != 8192 || !strings.Contains(d.Err.Error(), tt.want) {
				t.Errorf("damage %v, want %q", d, tt.want)
			}
			s, st, err = read(t, world, anvil.Options{Salvage: true})
			if err != nil || len(s.columns) != 2 || len(st.Damaged) != 1 {
				t.Fatalf("%d columns, %v", len(s.columns), err)
			}
			p := s.columns[0].Parts[0]
			if !p.Damaged || p.Stamp != 77 || !bytes.HasPrefix(p.Data, tt.raw) {
				t.Fatalf("part %v", p)
			}
			dir := mustWrite(t, s, anvil.FolderOptions{})
			if got := anviltest.Bytes(t, dir, "region/r.0.0.mca"); !bytes.HasPrefix(got[8192:], tt.raw) {
				t.Error("its bytes did not come back")
			}
			again, _, _ := read(t, os.DirFS(dir), anvil.Options{Salvage: true})
			if !reflect.DeepEqual(again.columns, s.columns) {
				t.Error("the columns changed")
			}
		})
	}
}

// TestLocations: what is wrong in the header.
func TestLocations(t *testing.T) {
	base := func() []byte {
		return region(map[int][]byte{0: stored(3, chunk(2586)), 1: stored(3, chunk(2586, "xPos", int32(1)))}, nil)
	}
	put := func(b []byte, slot int, v uint32) []byte {
		binary.BigEndian.PutUint32(b[4*slot:], v)
		return b
	}
	for _, tt := range []struct {
		name    string
		file    []byte
		columns int
		damaged []geom.ColumnPos
		want    string
	}{
		{"whole", base(), 2, nil, ""},
		{"within the header", put(base(), 2, 1<<8|1), 2, []geom.ColumnPos{{X: 2}}, "within the header"},
		{"beyond the end", put(base(), 2, 99<<8|1), 2, []geom.ColumnPos{{X: 2}}, "the file has 4"},
		{"no sectors", put(base(), 1, 3<<8), 1, []geom.ColumnPos{{X: 1}}, "too few"},
		{"another's sectors", put(base(), 5, 3<<8|1), 2, []geom.ColumnPos{{X: 5}}, "belong to another"},
		{"more sectors than needed", put(base(), 0, 2<<8|2), 2, nil, ""},
		{"no padding at the end", base()[:12288+100], 2, nil, ""},
		{"cut in the last chunk", base()[:12288+20], 1, []geom.ColumnPos{{X: 1}}, "length"},
		{"count of 255", put(base(), 1, 3<<8|255), 2, nil, ""},
		{"cut header", base()[:5000], 0, []geom.ColumnPos{{}}, "EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			world := folder(map[string][]byte{"region/r.0.0.mca": tt.file})
			s, st, _ := read(t, world, anvil.Options{})
			if len(s.columns) != tt.columns || len(st.Damaged) != len(tt.damaged) {
				t.Fatalf("%d columns, damaged %v", len(s.columns), st.Damaged)
			}
			for i, d := range st.Damaged {
				if d.Pos != tt.damaged[i] || !strings.Contains(d.Err.Error(), tt.want) {
					t.Errorf("damage %v, want %v: %q", d, tt.damaged[i], tt.want)
				}
			}
		})
	}
}

// TestLongChunk: a chunk of more than 255 sectors, with its length to tell.
func TestLongChunk(t *testing.T) {
	doc := bigChunk(1_100_000)
	raw := stored(3, doc)
	b := region(map[int][]byte{}, nil)
	binary.BigEndian.PutUint32(b, 2<<8|255)
	b = append(b, raw...)
	s := mustReadAll(t, folder(map[string][]byte{"region/r.0.0.mca": b}))
	if len(s.columns) != 1 {
		t.Fatalf("%d columns", len(s.columns))
	}
	// It is written beside the region file, and read from there.
	dir := mustWrite(t, s, anvil.FolderOptions{})
	if got := anviltest.Slots(t, dir+"/region/r.0.0.mca")[0].Raw; !bytes.Equal(got, []byte{0, 0, 0, 1, 0x82}) {
		t.Errorf("slot %x, want that of a file beside it", got)
	}
	if mcc := anviltest.Bytes(t, dir, "region/c.0.0.mcc"); len(mcc) < 1_044_475 {
		t.Errorf("c.0.0.mcc has %d bytes", len(mcc))
	}
	out := t.TempDir()
	roundTripLong(t, dir, out)
	if !bytes.Equal(anviltest.Bytes(t, out, "region/c.0.0.mcc"), anviltest.Bytes(t, dir, "region/c.0.0.mcc")) {
		t.Error("c.0.0.mcc changed")
	}
}

func roundTripLong(t *testing.T, dir, out string) {
	t.Helper()
	w, err := anvil.Open(dir, anvil.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c, err := anvil.Create(out, anvil.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Read(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestExternal: a file beside the region file comes as a file unless a chunk
// was read from it.
func TestExternal(t *testing.T) {
	doc := chunk(2586)
	for _, tt := range []struct {
		name  string
		slot  []byte
		mcc   []byte
		files int
	}{
		{"read", stored(0x82, nil), deflated(doc), 0},
		{"read, not compressed", stored(0x83, nil), doc, 0},
		{"damaged", stored(0x82, nil), deflated(doc)[:10], 1},
		{"stale", stored(3, doc), deflated(doc), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _, _ := read(t, folder(map[string][]byte{"region/r.0.0.mca": region(map[int][]byte{0: tt.slot}, nil), "region/c.0.0.mcc": tt.mcc}), anvil.Options{Salvage: true})
			if len(s.files) != tt.files || len(s.columns) != 1 {
				t.Errorf("%d files, %d columns, want %d, 1", len(s.files), len(s.columns), tt.files)
			}
		})
	}
}

// TestTruncations cuts a region file at every byte: what is lost is named.
func TestTruncations(t *testing.T) {
	whole := region(map[int][]byte{0: stored(2, deflated(chunk(1976, "Sections", sections(paletteSection(0, 20, 5, true)))))}, nil)
	last := 8192 + 4 + int(binary.BigEndian.Uint32(whole[8192:]))
	for n := range last {
		if n > 8 && n < 8180 {
			continue // zeros of the header
		}
		world := folder(map[string][]byte{"region/r.0.0.mca": whole[:n]})
		s, _, err := read(t, world, anvil.Options{})
		var damage *format.DamageError
		if n == 0 {
			if err != nil || len(s.files) != 1 {
				t.Errorf("an empty file: %v, %d files", err, len(s.files))
			}
		} else if !errors.As(err, &damage) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
}

package stone_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
)

// tallied is a stone of 32768 cells and two columns of version 0, with after behind the files.
func tallied(after []byte) []byte {
	d := dimension(
		[]plain{vol(lev(0, en(cube0, 3, next), en(1, 1, value, 2)))},
		[]plain{en(square0, 1, next), en(0, 4, page0+1)},
		[]plain{plain{}.s("l").list(en(square0, 1, next))},
	)
	pages := [][]byte{nothing, bare, empty}
	var sizes []plain
	for _, p := range pages {
		sizes = append(sizes, plain{}.n(uint64(len(p))))
	}
	return stone.Assemble(pages, append(plain{}.list(sizes...).n(0).list(d).list(), after...))
}

// tally is no matters, then cells, objects, damaged parts and versions with their columns.
func tally(cells, objects, damaged uint64, versions ...uint64) plain {
	return plain{}.n(0, cells, objects, damaged, uint64(len(versions)/2)).n(versions...)
}

func soundTally() plain { return tally(32768, 0, 0, 0, 2) }

func TestHostileTallies(t *testing.T) {
	b := tallied(soundTally())
	r := mustOpen(t, b)
	if err := r.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := r.Tally("d"); got == nil || got.Cells["block"] != 32768 || got.Versions[0] != 2 || len(got.Versions) != 1 {
		t.Errorf("tally %v", got)
	}
	for _, tt := range []struct {
		name  string
		after plain
		want  string
	}{
		{"too few cells", tally(32767, 0, 0, 0, 2), "said to hold 32767 cells"},
		{"too many objects", tally(32768, 1, 0, 0, 2), "1 objects"},
		{"damage", tally(32768, 0, 1, 0, 2), "1 damaged parts"},
		{"too many columns", tally(32768, 0, 0, 0, 3), "3 columns of 1 versions"},
		{"no version", tally(32768, 0, 0), "0 columns of 0 versions"},
		{"another version", tally(32768, 0, 0, 2, 2), "said to hold"},
		{"a version of no columns", tally(32768, 0, 0, 0, 0), "without columns"},
		{"a version twice", tally(32768, 0, 0, 0, 1, 0, 1), "data version 0 after 0"},
		{"versions descend", tally(32768, 0, 0, 2, 1, 0, 1), "data version 0 after 1"},
		{"a version of 33 bits", tally(32768, 0, 0, 1<<33, 2), "data version 4294967296"},
		{"very many cells", tally(1<<62, 0, 0, 0, 2), "is not within"},
		{"more cells than there are numbers", tally(1<<63, 0, 0, 0, 2), "is not within"},
		{"very many columns", tally(32768, 0, 0, 0, 1<<63), "is not within"},
		{"very many versions", plain{}.n(0, 32768, 0, 0, 1<<40), "things"},
		{"more versions than bytes", plain{}.n(0, 32768, 0, 0, 9, 0, 2), "things"},
		{"another dimension's", append(soundTally(), soundTally()[1:]...), "left over"},
		{"kept sections that are not there", append(soundTally(), 1), "1 kept sections"},
		{"no kept sections", append(soundTally(), 0), "all 0"},
		{"matters alone", plain{0}, "light of no dimension"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := mustRefuse(t, tallied(tt.after), tt.want); got > 1<<20 {
				t.Errorf("took %d bytes of memory", got)
			}
		})
	}
}

// TestTallyTruncations cuts a tally at every byte.
func TestTallyTruncations(t *testing.T) {
	whole := tally(32768, 0, 0, 0, 1, 2, 1)
	for n := 1; n < len(whole); n++ {
		b := tallied(whole[:n])
		_, err := stone.Open(bytes.NewReader(b), int64(len(b)))
		var c *stone.CorruptError
		if !errors.As(err, &c) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

package format_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func TestBlockDimension(t *testing.T) {
	d := format.BlockDimension("the_nether", "DIM-1")
	if d.Name != "the_nether" || d.Folder != "DIM-1" || len(d.Volumes) != 4 {
		t.Fatalf("got %+v", d)
	}
	for _, tt := range []struct {
		name  string
		want  voxel.Volume
		named bool
	}{
		{"block", voxel.Volume{Name: "block", Schema: voxel.Palette, Scale: 1}, true},
		{"biome", voxel.Volume{Name: "biome", Schema: voxel.Palette, Scale: 4}, true},
		{"sky", voxel.Volume{Name: "sky", Schema: voxel.Level, Scale: 1, Default: 15}, false},
		{"light", voxel.Volume{Name: "light", Schema: voxel.Level, Scale: 1}, false},
	} {
		v := d.Volume(tt.name)
		if v == nil || v.Volume != tt.want || (v.Names != nil) != tt.named {
			t.Errorf("volume %s: got %+v, want %+v, named: %v", tt.name, v, tt.want, tt.named)
		}
	}
	if v := d.Volume("solid"); v != nil {
		t.Errorf("volume solid: got %+v, want none", v)
	}
	if d.Volume("block").Names == format.BlockDimension("", "").Volume("block").Names {
		t.Error("two dimensions share names")
	}
}

func TestCorruptError(t *testing.T) {
	for _, tt := range []struct {
		err  format.CorruptError
		want string
	}{
		{format.CorruptError{Offset: 0, Part: "header", Err: io.ErrUnexpectedEOF}, "header at byte 0: unexpected EOF"},
		{format.CorruptError{Offset: 8192, Part: "chunk (3,-1)", Err: io.EOF}, "chunk (3,-1) at byte 8192: EOF"},
		{format.CorruptError{Offset: -1, Part: "extra", Err: io.EOF}, "extra: EOF"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
		if !errors.Is(&tt.err, tt.err.Err) {
			t.Errorf("%q hides its cause", tt.want)
		}
	}
}

func TestDamageErrorNamesColumns(t *testing.T) {
	damage := func(n int) *format.DamageError {
		e := new(format.DamageError)
		for i := range n {
			e.Columns = append(e.Columns, format.Damage{File: "region/r.0.-1.mca", Pos: geom.ColumnPos{X: int32(i), Z: -1}, Err: io.EOF})
		}
		return e
	}
	const three = "3 damaged chunks: region/r.0.-1.mca chunk (0,-1): EOF; region/r.0.-1.mca chunk (1,-1): EOF; region/r.0.-1.mca chunk (2,-1): EOF"
	if got := damage(3).Error(); got != three {
		t.Errorf("got %q, want %q", got, three)
	}
	if eight, nine, many := damage(8).Error(), damage(9).Error(), damage(1000).Error(); nine != "9"+eight[1:]+"; and 1 more" ||
		many != "1000"+eight[1:]+"; and 992 more" {
		t.Errorf("got %q and %q", nine, many)
	}
}

func TestIsPath(t *testing.T) {
	for path, want := range map[string]bool{
		"level.dat": true, "data/a b.dat": true, "": false, ".": false, "/a": false, "a/": false, "a//b": false, "../a": false,
		`a\b`: false, "a\x00": false, "a\xff": false, strings.Repeat("a", 255): true, "b/" + strings.Repeat("a", 256): false,
	} {
		if got := format.IsPath(path); got != want {
			t.Errorf("%.20q: %v, want %v", path, got, want)
		}
	}
}

func TestFitsSystem(t *testing.T) {
	for _, tt := range []struct {
		name string
		fits bool // Windows
	}{
		{"level.dat", true}, {"playerdata/069a79f4.dat", true}, {"a b/ä.json", true}, {"console/com10.txt", true}, {"nullable", true},
		{".hidden", true}, {"icon.png", true}, {"com.example/con-fig", true},
		{"C:/x", false}, {"a:b", false}, {"CON", false}, {"data/aux.txt", false}, {"Nul.tar.gz/x", false}, {"lpt1", false}, {"COM¹.txt", false}, {"con .txt", false},
		{"CONIN$", false}, {"a.", false}, {"a /b", false}, {"a./b", false}, {"..../x", false}, {"a?b", false}, {"a*", false}, {"<a>", false}, {"a|b", false}, {"a\"b", false}, {"a\nb", false},
	} {
		if got := format.FitsSystem(tt.name, "windows"); got != tt.fits || !format.IsPath(tt.name) {
			t.Errorf("%q: fits Windows: %v, is a path: %v", tt.name, got, format.IsPath(tt.name))
		}
		if !format.FitsSystem(tt.name, "linux") {
			t.Errorf("%q does not fit Linux", tt.name)
		}
	}
}

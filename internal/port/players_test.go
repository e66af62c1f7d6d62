package port_test

import (
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
)

func TestIsPlayer(t *testing.T) {
	for name, want := range map[string]bool{
		"playerdata/069a79f4.dat": true, "players/data/069a79f4.dat": true, "players/ann.dat": true,
		"playerdata/a.dat_old": false, "playerdata/.dat": false, "a/playerdata/a.dat": false, "playerdata/b/a.dat": false,
		"playerdata/../level.dat": false, "level.dat": false, "data/raids.dat": false,
	} {
		if got := port.IsPlayer(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestPlayerName(t *testing.T) {
	document := func(bukkit func([]byte) []byte) []byte {
		b := nbt.AppendCompound(nil, "")
		b = nbt.AppendInt(b, "DataVersion", 3953)
		b = nbt.AppendEnd(nbt.AppendString(nbt.AppendCompound(b, "other"), "lastKnownName", "Eve"))
		return nbt.AppendEnd(bukkit(b))
	}
	ann := document(func(b []byte) []byte {
		b = nbt.AppendInt(nbt.AppendCompound(b, "bukkit"), "newLevel", 1)
		return nbt.AppendEnd(nbt.AppendString(b, "lastKnownName", "Ann"))
	})
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(ann)
	z.Close()
	files := map[string]struct {
		data []byte
		want string
	}{
		"a": {ann, "Ann"}, "b": {zipped.Bytes(), "Ann"}, "c": {document(func(b []byte) []byte { return b }), ""}, "d": {[]byte("rich"), ""}, "e": {nil, ""},
		"f": {document(func(b []byte) []byte {
			return nbt.AppendEnd(nbt.AppendInt(nbt.AppendCompound(b, "bukkit"), "lastKnownName", 7))
		}), ""},
		"g": {document(func(b []byte) []byte { return nbt.AppendString(b, "bukkit", "Ann") }), ""},
	}
	spec := stonetest.Spec{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		spec.Files = append(spec.Files, stonetest.FileSpec{Path: name, Data: files[name].data})
	}
	var b bytes.Buffer
	if _, err := spec.Write(&b, stone.Options{}); err != nil {
		t.Fatal(err)
	}
	w, err := stone.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range files {
		if got, err := port.PlayerName(w, name); got != f.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, f.want)
		}
	}
	for n := range ann { // a file that is cut has a name or none
		var cut bytes.Buffer
		if _, err := (stonetest.Spec{Files: []stonetest.FileSpec{{Path: "a", Data: ann[:n]}}}).Write(&cut, stone.Options{}); err != nil {
			t.Fatal(err)
		}
		w, err := stone.Open(bytes.NewReader(cut.Bytes()), int64(cut.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := port.PlayerName(w, "a"); got != "" && got != "Ann" || err != nil {
			t.Errorf("cut at %d: %q, %v", n, got, err)
		}
	}
	if got, err := port.PlayerName(w, "none"); got != "" || err == nil {
		t.Errorf("no file: %q, %v", got, err)
	}
}

package bedrock_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/internal/format"
)

// tables returns a world with tables, of numbers from 5 on, and a log.
func tables(t testing.TB, each int, kind byte, log []change, lists ...[]change) fstest.MapFS {
	fsys := world(log...)
	var numbers []int
	for i, list := range lists {
		numbers = append(numbers, 5+i)
		fsys[fmt.Sprintf("db/%06d.ldb", 5+i)] = &fstest.MapFile{Data: madeTable(t, i+1, list, each, kind)}
	}
	fsys["db/MANIFEST-000001"] = &fstest.MapFile{Data: madeManifest(3, numbers...)}
	fsys["db/000003.log"] = &fstest.MapFile{Data: madeLog(madeBatch(99, log))}
	return fsys
}

// TestTables: a world in tables is that in a log, however it is compressed and cut into blocks.
func TestTables(t *testing.T) {
	list := puts(sample())
	want := mustTake(t, world(list...))
	for _, kind := range []byte{0, 2, 4} {
		for _, each := range []int{1, 5, 1000} {
			t.Run(fmt.Sprintf("%d, %d keys in a block", kind, each), func(t *testing.T) {
				got := mustTake(t, tables(t, each, kind, nil, list[:len(list)/2], list[len(list)/2:]))
				if fmt.Sprint(got.files, got.order) != fmt.Sprint(want.files, want.order) {
					t.Errorf("files %q, columns %v", got.files, got.order)
				}
				for k, c := range want.columns {
					if fmt.Sprintf("%+v", got.columns[k]) != fmt.Sprintf("%+v", c) {
						t.Errorf("column %s differs", k)
					}
				}
			})
		}
	}
}

// TestNewest: the newest change of a key counts, wherever it is.
func TestNewest(t *testing.T) {
	v := func(k, v string) change { return change{key: k, value: v} }
	chunk, chunk2 := key(0, 0, 0, 0x2c), key(0, 9, 9, 0x2c)
	fsys := tables(t, 1, 4, []change{v("d", "log"), {key: "e", gone: true}},
		[]change{v("a", "1"), v("b", "1"), v("c", "1"), v("d", "1"), v("e", "1"), v(chunk, "1"), v(chunk2, "1")},
		[]change{v("a", "2"), {key: "b", gone: true}, v(chunk, "2"), {key: chunk2, gone: true}})
	fsys["db/000077.ldb"] = &fstest.MapFile{Data: madeTable(t, 200, []change{v("a", "deleted table")}, 9, 4)}
	fsys["db/000002.log"] = &fstest.MapFile{Data: madeLog(madeBatch(300, []change{v("a", "old log")}))}
	fsys["db/000006.sst"] = fsys["db/000006.ldb"]
	delete(fsys, "db/000006.ldb")
	w := mustTake(t, fsys)
	want := "map[db.keys/a:2 db.keys/c:1 db.keys/d:log level.dat:facts levelname.txt:Made\n]"
	if got := fmt.Sprint(w.files); got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	if len(w.columns) != 1 {
		t.Errorf("%d columns", len(w.columns))
	}
	checkPart(t, w.columns["overworld(0,0)"], map[string]string{"2c": "2"}, nil)
}

// TestLongLog: records cross blocks, and a log may end within one.
func TestLongLog(t *testing.T) {
	chunk := change{key: key(0, 0, 0, 0x2c), value: strings.Repeat("v", 100000)}
	whole := madeLog(madeBatch(1, []change{chunk}), madeBatch(2, []change{{key: "second", value: "x"}}))
	fsys := world()
	log := func(b []byte) { fsys["db/000003.log"] = &fstest.MapFile{Data: b} }
	log(whole)
	if w := mustTake(t, fsys); len(w.columns) != 1 || w.files["db.keys/second"] != "x" {
		t.Errorf("files %q", w.files)
	}
	log(append(bytes.Clone(whole), make([]byte, 500)...)) // room that was reserved
	mustTake(t, fsys)
	log(whole[:len(whole)-1])
	w, lost, err := take(fsys, format.ReadOptions{})
	if err != nil || len(w.columns) != 1 || lost["the last change of a log, which is cut short"] != 1 {
		t.Errorf("%v, lost %v", err, lost)
	}
	log(madeLog(madeBatch(1, []change{chunk})[:50]))
	if _, _, err := take(fsys, format.ReadOptions{}); err == nil {
		t.Error("a record without its end is read")
	}
	for _, at := range []int{0, 7, 9, 40000} {
		bad := bytes.Clone(whole)
		bad[at] ^= 0x55
		log(bad)
		if corrupt := (*format.CorruptError)(nil); !isCorrupt(fsys, &corrupt) || !strings.HasPrefix(corrupt.Part, "db/000003.log") {
			t.Errorf("damage at %d: %v", at, corrupt)
		}
	}
}

func isCorrupt(fsys fstest.MapFS, corrupt **format.CorruptError) bool {
	_, _, err := take(fsys, format.ReadOptions{})
	return errors.As(err, corrupt)
}

// TestDamagedTable: each byte of a table counts; Salvage leaves out blocks, and names them.
func TestDamagedTable(t *testing.T) {
	list := []change{{key: key(0, 0, 0, 0x2c), value: "v"}, {key: "other", value: "x"}}
	fsys := tables(t, 1, 4, nil, list)
	whole := bytes.Clone(fsys["db/000005.ldb"].Data)
	table := fsys["db/000005.ldb"]
	mustTake(t, fsys)
	for n := range whole {
		table.Data = whole[:n]
		if corrupt := (*format.CorruptError)(nil); !isCorrupt(fsys, &corrupt) || corrupt.Part != "db/000005.ldb" {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), corrupt)
		}
	}
	table.Data = bytes.Clone(whole)
	table.Data[3] ^= 1
	if corrupt := (*format.CorruptError)(nil); !isCorrupt(fsys, &corrupt) || corrupt.Offset != 0 || corrupt.Part != "db/000005.ldb" {
		t.Errorf("a changed byte: %v", corrupt)
	}
	w, lost, err := take(fsys, format.ReadOptions{Salvage: true})
	if err != nil && !errors.Is(err, format.ErrNothing) || len(lost) != 1 || w.files["db.keys/other"] != "x" {
		t.Errorf("salvage: %v, lost %v", err, lost)
	}
}

// TestBadDatabases names what is wrong with a database.
func TestBadDatabases(t *testing.T) {
	none := func(fsys fstest.MapFS, name string) fstest.MapFS { delete(fsys, name); return fsys }
	with := func(fsys fstest.MapFS, name string, data []byte) fstest.MapFS {
		fsys[name] = &fstest.MapFile{Data: data}
		return fsys
	}
	one := []change{{key: key(0, 0, 0, 0x2c), value: "v"}}
	table := func() fstest.MapFS { return tables(t, 1, 4, nil, one) }
	for _, tt := range []struct {
		name, want string
		fsys       fstest.MapFS
	}{
		{"no CURRENT", "CURRENT", none(table(), "db/CURRENT")},
		{"no manifest", "MANIFEST-000001", none(table(), "db/MANIFEST-000001")},
		{"no table", "000005.ldb", none(table(), "db/000005.ldb")},
		{"CURRENT elsewhere", "no manifest", with(table(), "db/CURRENT", []byte("../level.dat"))},
		{"another order", "order", with(table(), "db/MANIFEST-000001", madeLog([]byte("\x01\x01x")))},
		{"another field", "unknown field", with(table(), "db/MANIFEST-000001", madeLog([]byte("\x0b\x01")))},
		{"a manifest cut", "MANIFEST-000001", with(table(), "db/MANIFEST-000001", madeLog([]byte("\x07\x00")))},
		{"another compression", "unknown compression 9", tables(t, 1, 9, nil, one)},
		{"a key without a number", "without a number", with(table(), "db/000005.ldb", tableOf(t, []byte("short")))},
		{"keys that take much memory", "keys of more than", with(table(), "db/000005.ldb", tableOf(t, bytes.Repeat([]byte{'k'}, 1<<16)))},
		{"a long key", "keys of no chunk", world(change{key: strings.Repeat("k", 2000)})},
		{"a bomb", "too large", tables(t, 1, 4, nil, []change{{key: "bomb", value: strings.Repeat("\x00", 80<<20)}})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, err := take(tt.fsys, format.ReadOptions{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("says %v, want %s", err, tt.want)
			}
		})
	}
	if _, _, err := take(none(table(), "db/CURRENT"), format.ReadOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// tableOf makes a table of one block with a key as it is, which 5,000 others begin with.
func tableOf(t testing.TB, key []byte) []byte {
	block := append(append(uvarint([]byte{0}, len(key)), 0), key...)
	for range 5000 {
		block = append(uvarint(block, len(key)), 0, 0)
	}
	block = append(block, 0, 0, 0, 0, 1, 0, 0, 0)
	out := append(block, 0)
	out = withSum(out, out)
	index := append(madeBlock([][]byte{[]byte("z")}, [][]byte{uvarint([]byte{0}, len(block))}), 0)
	foot := uvarint(uvarint([]byte{0, 0}, len(out)), len(index)-1)
	out = append(append(out, index...), withSum(nil, index)...)
	return append(append(out, append(foot, make([]byte, 40-len(foot))...)...), "\x57\xfb\x80\x8b\x24\x75\x47\xdb"...)
}

// TestMaxBytes: the bound of the caller is one of each block.
func TestMaxBytes(t *testing.T) {
	fsys := tables(t, 1, 4, nil, []change{{key: key(0, 0, 0, 0x2c), value: strings.Repeat("v", 5000)}})
	if _, _, err := take(fsys, format.ReadOptions{MaxBytes: 4000}); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("says %v", err)
	}
	mustTake(t, fsys)
}

// TestWork: chunks that cost much more than their bytes end the reading, and are no damage.
func TestWork(t *testing.T) {
	var list []change
	for z := range 30 {
		list = append(list, change{key: key(0, 0, z, 0x31), value: strings.Repeat("\x0a\x00\x00\x00", 20000)})
	}
	_, _, err := take(tables(t, 5, 4, nil, list), format.ReadOptions{})
	if damage := (*format.DamageError)(nil); err == nil || !strings.Contains(err.Error(), "more in it than a database") || errors.As(err, &damage) {
		t.Errorf("says %.200v", err)
	}
}

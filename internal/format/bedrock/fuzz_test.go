package bedrock_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/internal/format"
)

// checkErr fails for errors that say neither where bytes are wrong nor that something is missing.
func checkErr(t *testing.T, err error) {
	corrupt, damage := (*format.CorruptError)(nil), (*format.DamageError)(nil)
	if err != nil && !errors.As(err, &corrupt) && !errors.As(err, &damage) && !errors.Is(err, format.ErrNothing) && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

func FuzzSubChunk(f *testing.F) {
	f.Add([]byte("\x09\x02\x01" + stored(2, mark, air, stairs, logs) + stored(1, mark, air, water)))
	f.Add([]byte("\x01" + stored(1, mark, air, stone)))
	f.Add([]byte("\x07" + ids() + nibbles(mark)))
	f.Fuzz(func(t *testing.T, value []byte) {
		_, _, err := take(world(change{key: key(0, 0, 0, 0x2f, 1), value: string(value)}), format.ReadOptions{})
		checkErr(t, err)
	})
}

func FuzzColumn(f *testing.F) {
	f.Add([]byte(heights + "\x01\x05\x00\x00\x00" + "\xff" + stored(1, mark, "\x05\x00\x00\x00", "\x06\x00\x00\x00")))
	f.Add([]byte(heights + strings.Repeat("\x09", 256) + "rest"))
	f.Add([]byte(tags{}.text("id", "Chest").int("x", -15).int("y", 17).int("z", 34).root()))
	f.Fuzz(func(t *testing.T, value []byte) {
		for _, tag := range []byte{0x2b, 0x2d, 0x31, 0x32} {
			_, _, err := take(world(change{key: key(0, 0, 0, tag), value: string(value)}), format.ReadOptions{})
			checkErr(t, err)
		}
	})
}

func FuzzDatabase(f *testing.F) {
	list := puts(sample())
	f.Add(madeTable(f, 1, list[:5], 2, 0), madeLog(madeBatch(1, list[:3])), madeManifest(3, 5))
	f.Fuzz(func(t *testing.T, table, log, manifest []byte) {
		fsys := world()
		fsys["db/000005.ldb"], fsys["db/000003.log"], fsys["db/MANIFEST-000001"] = &fstest.MapFile{Data: table}, &fstest.MapFile{Data: log}, &fstest.MapFile{Data: manifest}
		_, _, err := take(fsys, format.ReadOptions{})
		checkErr(t, err)
	})
}

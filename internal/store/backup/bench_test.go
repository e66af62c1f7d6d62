package backup_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/store/local"
)

// What the islands of a server take: a first backup into a folder, and a restore of it, both
// of a store in a directory.
func BenchmarkIslands(b *testing.B) {
	made := newStore(newClock())
	r := rand.NewChaCha8([32]byte{})
	for i := range 10_000 {
		name := fmt.Sprintf("island/%d", i)
		create(b, made, name)
		for _, n := range []int{3000, 300} {
			data := make([]byte, n)
			r.Read(data)
			save(b, made, name, data)
		}
	}
	folder := openFolder(b, b.TempDir())
	mustRun(b, made, folder, backup.Options{})
	dir, n := b.TempDir(), 0
	fresh := func() string {
		n++
		return filepath.Join(dir, strconv.Itoa(n))
	}
	b.Run("restore", func(b *testing.B) {
		for b.Loop() {
			st := openLocal(b, fresh(), local.Options{})
			if _, err := mustOpen(b, folder, backup.Access{}).Restore(b.Context(), st, backup.RestoreOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("backup", func(b *testing.B) {
		st := openLocal(b, fresh(), local.Options{})
		if _, err := mustOpen(b, folder, backup.Access{}).Restore(b.Context(), st, backup.RestoreOptions{}); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			mustRun(b, st, openFolder(b, fresh()), backup.Options{})
		}
	})
}

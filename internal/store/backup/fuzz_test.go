package backup_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/backup"
)

// FuzzParse parses what could lie in a bucket.
func FuzzParse(f *testing.F) {
	b := backedUp(f, backup.Options{})
	for _, key := range keys(f, b.Bucket) {
		data, err := b.Bucket.Get(f.Context(), key, 0, -1)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		if len(data) > 20 {
			f.Add(data[10:]) // an item without what is before it
		}
	}
	f.Fuzz(func(_ *testing.T, b []byte) { backup.ParseAny(b) })
}

package disk_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/store/history"
)

// day is the first of a year in which backups are made.
var day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Backups are made at hours of the day, one after the other; after the last of
// them those of want stay.
func TestBackupKeep(t *testing.T) {
	for _, tt := range []struct {
		name string
		keep history.Keep
		at   []int
		want []int
	}{
		{"all", history.Keep{}, []int{0, 1, 2}, []int{0, 1, 2}},
		{"two", history.Keep{Newest: 2}, []int{0, 1, 2}, []int{1, 2}},
		{"an hour and a half", history.Keep{For: 90 * time.Minute}, []int{0, 1, 2}, []int{1, 2}},
		{"no older than two hours", history.Keep{For: 2 * time.Hour}, []int{0, 1, 2}, []int{0, 1, 2}},
		{"the new one is young enough always", history.Keep{For: 1}, []int{0, 1, 2}, []int{2}},
		{"either", history.Keep{Newest: 2, For: time.Hour}, []int{0, 3, 9}, []int{3, 9}},
		{"either, by age", history.Keep{Newest: 1, For: 6 * time.Hour}, []int{0, 3, 9}, []int{3, 9}},
		{"the clock went back", history.Keep{Newest: 1}, []int{8, 9, 2}, []int{2, 9}},
		{"back, by age", history.Keep{For: time.Hour}, []int{0, 9, 2}, []int{2, 9}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now, to := day, t.TempDir()
			s := mustOpen(t, filepath.Join(t.TempDir(), "store"), disk.Options{Now: func() time.Time { return now }})
			mustCreate(t, s, "w")
			var last disk.Backed
			for i, h := range tt.at {
				now = day.Add(time.Duration(h) * time.Hour)
				o := disk.BackupOptions{}
				if i == len(tt.at)-1 {
					o.Keep = tt.keep
				}
				var err error
				if last, err = s.Backup(t.Context(), to, o); err != nil {
					t.Fatal(err)
				}
			}
			mustClose(t, s)
			var want []time.Time
			for _, h := range tt.want {
				want = append(want, day.Add(time.Duration(h)*time.Hour))
			}
			got, err := disk.Backups(to, disk.Options{})
			if err != nil || !slices.EqualFunc(got, want, time.Time.Equal) {
				t.Errorf("there are %v (%v), want %v", got, err, want)
			}
			if len(last.Removed) != len(tt.at)-len(want) || slices.Contains(last.Removed, last.Name) {
				t.Errorf("removed %q of %d", last.Removed, len(tt.at))
			}
		})
	}
}

func TestBackups(t *testing.T) {
	dir := t.TempDir()
	if got, err := disk.Backups(filepath.Join(dir, "missing"), disk.Options{}); err != nil || got != nil {
		t.Errorf("of a missing folder: %v, %v", got, err)
	}
	for _, name := range []string{"20260102T000000.000Z", "20260101T000000.000Z", "20260103T000000.000Z.partial", "notes"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	want := []time.Time{day, day.AddDate(0, 0, 1)}
	if got, err := disk.Backups(dir, disk.Options{}); err != nil || !slices.EqualFunc(got, want, time.Time.Equal) {
		t.Errorf("got %v (%v), want %v", got, err, want)
	}
	if _, err := disk.Backups(filepath.Join(dir, "\x00"), disk.Options{}); err == nil {
		t.Error("of no name of a folder: got no error")
	}
}

package backup

import (
	"errors"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// over returns the indexes of the backups that are not kept, given their times, the
// oldest first. made is the time of the new backup; it is not the last of the list
// if the clock went back.
func over(k history.Keep, times []time.Time, made time.Time) (out []int) {
	if k.Newest <= 0 && k.For <= 0 {
		return nil
	}
	for i, t := range times {
		among := k.Newest > 0 && len(times)-i <= k.Newest
		young := k.For > 0 && made.Sub(t) <= k.For
		if !t.Equal(made) && !among && !young {
			out = append(out, i)
		}
	}
	return out
}

// ErrShrunk says that a Store has far fewer worlds than the backup before it, as a new one
// at a wrong address has.
var ErrShrunk = errors.New("is it the right store? cairn backup --force makes the backup all the same")

// shrunk returns an error if a backup of so many worlds, deleted ones too, must not follow
// one of so many: it has less than half.
func shrunk(worlds, before int64) error {
	if 2*worlds >= before {
		return nil
	}
	return fmt.Errorf("worlds of the store: %d, of the backup before: %d: %w", worlds, before, ErrShrunk)
}

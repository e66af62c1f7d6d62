package port

import (
	"regexp"
	"time"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
)

// dated finds a date in a name, and a time behind it.
var dated = regexp.MustCompile(`(?:^|\D)(\d{4})[-_.]?(\d\d?)[-_.]?(\d\d?)(?:(?:T|[-_. ]*|_at_| at )(\d\d)[-_:.h]?(\d\d)(?:[-_:.m]?(\d\d))?s?)?(?:Z|\D|$)`)

// DateIn returns the date in the name of a backup, such as 2019-03-04, 20190304-1000 or
// 2019_03_04_10-00-00, in UTC; the zero Time if there is none.
func DateIn(name string) time.Time {
	for _, m := range dated.FindAllStringSubmatch(name, -1) {
		for _, clock := range []string{m[4] + m[5] + (m[6] + "00")[:2], "000000"} { // what follows a date may be no time
			at, err := time.Parse("2006-1-2 150405", m[1]+"-"+m[2]+"-"+m[3]+" "+clock)
			if err == nil && at.UnixMilli() > 0 {
				return at
			}
		}
	}
	return time.Time{}
}

// Played returns when a game last saved the world, by its level.dat; the zero Time if that does not say it.
func (s *Opened) Played() time.Time {
	if w, ok := s.leaf.(*anvil.Folder); ok {
		return w.Played()
	}
	return time.Time{}
}

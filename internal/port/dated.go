package port

import (
	"regexp"
	"time"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
)

// dates find a date in a name, and a time behind it: with marks between their numbers, or without.
var dates = [...]*regexp.Regexp{
	regexp.MustCompile(`(?:^|\D)(\d{4})[-_.](\d{1,2})[-_.](\d{1,2})` + clockIn),
	regexp.MustCompile(`(?:^|\D)(\d{4})(\d\d)(\d\d)` + clockIn),
}

const clockIn = `(?:(?:T|[-_. ]*|_at_| at )(\d\d)[-_:.h]?(\d\d)(?:[-_:.m]?(\d\d))?s?)?(?:Z|\D|$)`

// DateIn returns the date in the name of a backup, such as 2019-03-04, 20190304-1000 or
// 2019_03_04_10-00-00, in UTC; ok is false if there is none.
func DateIn(name string) (at time.Time, ok bool) {
	for _, re := range dates {
		for _, m := range re.FindAllStringSubmatch(name, -1) {
			for _, clock := range []string{m[4] + m[5] + (m[6] + "00")[:2], "000000"} { // what follows a date may be no time
				at, err := time.Parse("2006-1-2 150405", m[1]+"-"+m[2]+"-"+m[3]+" "+clock)
				if err == nil && at.UnixMilli() > 0 {
					return at, true
				}
			}
		}
	}
	return at, false
}

// Played returns when a game last saved the world, by the LastPlayed of its level.dat; ok is false if
// that does not say it.
func (s *Opened) Played() (at time.Time, ok bool) {
	w, ok := s.leaf.(*anvil.Folder)
	if !ok {
		return at, false
	}
	return w.Played()
}

package port

import (
	"regexp"
	"strings"
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

// Undated returns the name of a backup without its extension, its date, and the numbers behind that.
func Undated(name string) string {
	name = TrimExt(name)
	if m := dated.FindStringSubmatchIndex(name); m != nil {
		name = name[:m[2]] + strings.TrimLeft(name[max(m[7], m[11], m[13]):], "-_.: 0123456789()")
	}
	return name
}

// Played returns when a game last saved the world, by its level.dat; the zero Time if that does not say it.
func (s *Opened) Played() time.Time {
	if w, ok := s.leaf.(*anvil.Folder); ok {
		return w.Played()
	}
	return time.Time{}
}

// Origin returns the name and the seed of a world in its level.dat; the seed is 0 if there is none.
func (s *Opened) Origin() (name string, seed int64) {
	if w, ok := s.leaf.(*anvil.Folder); ok {
		return w.Head().Properties["name"], w.Seed()
	}
	return "", 0
}

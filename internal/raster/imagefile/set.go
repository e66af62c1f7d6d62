package imagefile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The numbers of the members of a set: 1001 and on, ten in a row, as in UDIM.
const (
	firstMember = 1001
	lastMember  = 9999
)

// Members returns the files of a set by their numbers: 1001 + u + 10 v, for the square from u, v, with u
// from 0 to 9. The pattern is a path whose file name has one of these.
//
//	<UDIM> %(UDIM)d    1001
//	<u> <v> <uvtile>   u0 v0 u0_v0
//	<U> <V> <UVTILE>   u1 v1 u1_v1
//	_u##v##            _u00v00
//
// A name without them, and one that a file has as it is, is no set: Members returns nil. A set without
// a file is an fs.ErrNotExist. The folder is read once.
func Members(pattern string) (map[int]string, error) {
	dir, base := filepath.Split(pattern)
	if memberName(base, firstMember) == base {
		return nil, nil
	}
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return nil, fmt.Errorf("imagefile: set %s: %w", base, err)
	}
	files := make(map[string]bool)
	for _, e := range entries {
		files[e.Name()] = !e.IsDir()
	}
	if files[base] {
		return nil, nil
	}
	all := make(map[int]string)
	for n := firstMember; n <= lastMember; n++ {
		if name := memberName(base, n); files[name] {
			all[n] = filepath.Join(dir, name)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("imagefile: set %s: no file: %w", pattern, fs.ErrNotExist)
	}
	return all, nil
}

// memberName returns the name of the file of a member.
func memberName(base string, n int) string {
	u, v := (n-firstMember)%10, (n-firstMember)/10
	for _, p := range []struct {
		text, format string
		numbers      []any
	}{
		{"<UDIM>", "%d", []any{n}}, {"%(UDIM)d", "%d", []any{n}},
		{"<u>", "u%d", []any{u}}, {"<v>", "v%d", []any{v}}, {"<uvtile>", "u%d_v%d", []any{u, v}},
		{"<U>", "u%d", []any{u + 1}}, {"<V>", "v%d", []any{v + 1}}, {"<UVTILE>", "u%d_v%d", []any{u + 1, v + 1}},
		{"_u##v##", "_u%02dv%02d", []any{u, v}},
	} {
		if strings.Contains(base, p.text) {
			base = strings.ReplaceAll(base, p.text, fmt.Sprintf(p.format, p.numbers...))
		}
	}
	return base
}

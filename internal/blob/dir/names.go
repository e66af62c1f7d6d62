package dir

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// A key is cut into pieces. Each part between slashes gives a piece of its first 3
// bytes and then pieces of 100 bytes. The pieces but the last are directories, the
// last is a file. So a directory has thousands of names, not millions, where keys
// begin with hex digits. In the name of a piece a capital is ^ and its small letter,
// because some file systems take both for the same. The slash before a piece is a
// comma. A directory ends in + and a file in =.
//
//	stones/0A1b2c    sto+/nes+/,0^a1+/b2c=
const (
	firstPiece = 3
	otherPiece = 100
)

// path is where the bytes of a key are.
func (b *Folder) path(key string) string {
	var pieces []string
	for i, part := range strings.Split(key, "/") {
		most, mark := firstPiece, ""
		if i > 0 {
			mark = ","
		}
		for part != "" {
			n := min(len(part), most)
			pieces = append(pieces, mark+encode(part[:n])+"+")
			part, most, mark = part[n:], otherPiece, ""
		}
	}
	last := len(pieces) - 1
	pieces[last] = strings.TrimSuffix(pieces[last], "+") + "="
	return filepath.Join(b.root, filepath.Join(pieces...))
}

func encode(piece string) string {
	var out strings.Builder
	for _, c := range []byte(piece) {
		if c >= 'A' && c <= 'Z' {
			out.WriteByte('^')
			c += 'a' - 'A'
		}
		out.WriteByte(c)
	}
	return out.String()
}

// decode is the inverse of encode.
func decode(name string) string {
	var out strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == '^' && i+1 < len(name) {
			i++
			c = name[i] - ('a' - 'A')
		}
		out.WriteByte(c)
	}
	return out.String()
}

// entry is a name in a directory.
type entry struct {
	name string
	dir  bool
	key  string // of a file; the first bytes of all keys in a directory
	// order is greater than the keys in the entries before, and not greater than
	// the keys in this one.
	order string
}

// parse reads a name in a directory whose keys begin with base. It refuses what the
// bucket does not make.
func parse(name, base string) (entry, bool) {
	e := entry{name: name, dir: strings.HasSuffix(name, "+")}
	piece, ok := strings.CutSuffix(name, "=")
	if e.dir {
		piece, ok = name[:len(name)-1], true
	}
	if !ok {
		return e, false
	}
	most := otherPiece
	piece, slash := strings.CutPrefix(piece, ",")
	if slash || base == "" {
		most = firstPiece
	}
	bytes := decode(piece)
	if encode(bytes) != piece || bytes == "" || len(bytes) > most {
		return e, false
	}
	if slash {
		base += "/"
	}
	e.key = base + bytes
	e.order = e.key
	if e.dir && len(bytes) < most {
		e.order += "/" // what follows a short piece is the next part
	}
	return e, e.dir || blob.CheckKey(e.key) == nil
}

// compare orders entries by their keys. A file is before the directory of the same
// piece, whose keys are longer.
func (e entry) compare(f entry) int {
	if c := cmp.Compare(e.order, f.order); c != 0 || e.dir == f.dir {
		return c
	}
	if e.dir {
		return 1
	}
	return -1
}

// wants reports whether List may find something in the entry.
func (l *lister) wants(e entry) bool {
	if !e.dir {
		return e.key > l.after && strings.HasPrefix(e.key, l.prefix)
	}
	n := min(len(e.key), len(l.prefix))
	return e.key[:n] == l.prefix[:n] && (e.key > l.after || strings.HasPrefix(l.after, e.key))
}

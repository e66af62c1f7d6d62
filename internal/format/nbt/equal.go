package nbt

import (
	"bytes"
	"fmt"
)

// Equal compares two documents: names, types, values (floats by their bits), and the
// order and element types of lists. The order of a compound's entries does not
// matter, except among entries of the same name. path says where the documents
// differ, such as "Level.Sections[3].Palette"; "" is the root. A malformed document
// equals only the same bytes, and path names its error.
func Equal(a, b []byte) (path string, equal bool) {
	if bytes.Equal(a, b) {
		return "", true
	}
	tailA, err := tail(a)
	if err != nil {
		return "first: " + err.Error(), false
	}
	tailB, err := tail(b)
	if err != nil {
		return "second: " + err.Error(), false
	}
	ra, rb := NewReader(a, Limits{}), NewReader(b, Limits{})
	ta, na := ra.Root()
	tb, nb := rb.Root()
	if ta != tb || !bytes.Equal(na, nb) {
		return "", false
	}
	if path, equal := equalPayload(&ra, &rb, ta); !equal {
		return path, false
	}
	if !bytes.Equal(tailA, tailB) {
		return "bytes after the root", false
	}
	return "", true
}

// tail checks a document and returns the bytes after its root.
func tail(doc []byte) ([]byte, error) {
	r := NewReader(doc, Limits{})
	t, _ := r.Root()
	r.Skip(t)
	return r.doc[r.off:], r.Err()
}

// equalPayload and the functions it calls read from Readers that cannot fail.
func equalPayload(a, b *Reader, t Type) (path string, equal bool) {
	switch t {
	case List:
		return equalList(a, b)
	case Compound:
		return equalCompound(a, b)
	}
	return "", bytes.Equal(a.Raw(t), b.Raw(t))
}

func equalList(a, b *Reader) (path string, equal bool) {
	ta, na := a.List()
	tb, nb := b.List()
	if ta != tb || na != nb {
		return "", false
	}
	for i := range na {
		if path, equal := equalPayload(a, b, ta); !equal {
			return join(fmt.Sprintf("[%d]", i), path), false
		}
	}
	return "", true
}

func equalCompound(a, b *Reader) (path string, equal bool) {
	for {
		atA, atB := a.off, b.off
		ta, na := a.Next()
		tb, nb := b.Next()
		if ta != tb || !bytes.Equal(na, nb) {
			a.off, b.off = atA, atB
			return equalShuffled(a, b)
		}
		if ta == End {
			return "", true
		}
		if path, equal := equalPayload(a, b, ta); !equal {
			return join(string(na), path), false
		}
	}
}

// field is an entry that was not read yet.
type field struct {
	t       Type
	name    []byte
	payload []byte
}

// equalShuffled compares the rest of two compounds whose next entries differ.
func equalShuffled(a, b *Reader) (path string, equal bool) {
	fields, byName := index(b)
	for t, name := a.Next(); t != End; t, name = a.Next() {
		same := byName[string(name)]
		if len(same) == 0 || fields[same[0]].t != t {
			return string(name), false
		}
		f := &fields[same[0]]
		byName[string(name)] = same[1:]
		payload := NewPayload(f.payload, Limits{})
		if path, equal := equalPayload(a, &payload, t); !equal {
			return join(string(name), path), false
		}
		f.t = End
	}
	for _, f := range fields {
		if f.t != End {
			return string(f.name), false
		}
	}
	return "", true
}

// index reads the rest of a compound. It returns the entries, and their indexes by
// name.
func index(r *Reader) ([]field, map[string][]int) {
	var fields []field
	byName := make(map[string][]int)
	for t, name := r.Next(); t != End; t, name = r.Next() {
		byName[string(name)] = append(byName[string(name)], len(fields))
		fields = append(fields, field{t, name, r.Raw(t)})
	}
	return fields, byName
}

func join(step, path string) string {
	if path == "" || path[0] == '[' {
		return step + path
	}
	return step + "." + path
}

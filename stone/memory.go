package stone

import "unsafe"

// Memory returns about how many bytes of memory the Reader holds: those of the
// directory, of which a small stone may have thousands for each of its own.
func (s *Reader) Memory() int64 {
	n := memoryOf(s.dir.pages) + memoryOf(s.dir.files) + memoryOf(s.dir.properties)
	for _, p := range s.dir.properties {
		n += int64(len(p.Key) + len(p.Value))
	}
	for _, f := range s.dir.files {
		n += int64(len(f.path)) + memoryOf(f.pages)
	}
	for i := range s.dir.dims {
		n += s.dir.dims[i].memory()
	}
	return n
}

func (d *dimension) memory() int64 {
	n := int64(unsafe.Sizeof(*d)) + memoryOf(d.columns) + memoryOf(d.rules) + memoryOf(d.lists) + memoryOf(d.matters)
	for _, r := range d.rules {
		n += memoryOf(r.Cells) + int64(len(r.Map))
	}
	for _, v := range d.volumes {
		n += int64(unsafe.Sizeof(v)) + memoryOf(v.names)
		for _, name := range v.names {
			n += int64(len(name))
		}
		for _, l := range v.levels {
			n += int64(unsafe.Sizeof(l)) + memoryOf(l.entries)
		}
	}
	for _, l := range d.lists {
		n += memoryOf(l.entries)
	}
	return n
}

func memoryOf[T any](s []T) int64 { return int64(len(s)) * int64(unsafe.Sizeof(*new(T))) }

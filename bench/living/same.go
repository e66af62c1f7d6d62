package living

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// differing compares two folders of a world and returns how they first differ, "" if they are equal. It
// shares no code with cairn. Chunks are equal if their tags and time stamps are, whatever order compounds have; files of
// NBT if their tags are; all else by bytes. Where chunks lie in their file, and session.lock, do not count.
func differing(a, b string) (string, error) {
	names := map[string]bool{}
	for _, dir := range []string{a, b} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && e.Name() != "session.lock" {
				name, _ := filepath.Rel(dir, path)
				names[name] = true
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	for name := range names {
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			return name + " is only in the second", nil
		}
		y, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			return name + " is only in the first", nil
		}
		if bytes.Equal(x, y) {
			continue
		}
		if filepath.Ext(name) == ".mca" && len(x) >= 2*sectorBytes && len(y) >= 2*sectorBytes {
			diff, err := differingRegions(filepath.Join(a, name), filepath.Join(b, name))
			if diff != "" || err != nil {
				return name + ": " + diff, err
			}
			continue
		}
		if !strings.HasSuffix(name, ".dat") && !strings.HasSuffix(name, ".dat_old") {
			return name, nil
		}
		if x, err = gunzip(x); err != nil {
			return name, nil
		}
		if y, err = gunzip(y); err != nil || !bytes.Equal(x, y) { // in the same order too
			return name, nil
		}
	}
	return "", nil
}

func differingRegions(a, b string) (string, error) {
	x, err := openRegion(a)
	if err != nil {
		return "", err
	}
	y, err := openRegion(b)
	if err != nil {
		return "", err
	}
	for slot := range 1024 {
		if x.stamp(slot) != y.stamp(slot) {
			return fmt.Sprintf("the time of slot %d", slot), nil
		}
		var docs [2][]byte
		for i, r := range []*regionFile{x, y} {
			doc, err := r.get(slot)
			if doc != nil && err == nil {
				docs[i], err = canonical(doc)
			}
			if err != nil {
				return "", err
			}
		}
		if !bytes.Equal(docs[0], docs[1]) {
			return fmt.Sprintf("the chunk of slot %d", slot), nil
		}
	}
	return "", nil
}

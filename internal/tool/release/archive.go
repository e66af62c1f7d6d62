package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is a file of an archive, or a folder, whose name ends in a slash.
type file struct {
	name    string
	mode    fs.FileMode
	owner   int // the number of user and group
	content []byte
}

// read returns the file at path under another name.
func read(name, path string, mode fs.FileMode) (file, error) {
	content, err := os.ReadFile(path)
	return file{name: name, mode: mode, content: content}, err
}

// readFolder returns the files in a folder.
func readFolder(dir string) (out []file, err error) {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) == 0 {
		err = fmt.Errorf("%s is empty: %w", dir, fs.ErrNotExist)
	}
	for _, e := range entries {
		f, err := read(e.Name(), filepath.Join(dir, e.Name()), 0o644)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, err
}

// below returns files in a folder.
func below(dir string, files ...file) (out []file) {
	for _, f := range files {
		f.name = dir + "/" + f.name
		out = append(out, f)
	}
	return out
}

// sorted returns files by name, with each folder that they are in before them.
func sorted(files []file) []file {
	out := slices.Clone(files)
	for _, f := range files {
		for dir := path.Dir(strings.TrimSuffix(f.name, "/")); dir != "."; dir = path.Dir(dir) {
			out = append(out, file{name: dir + "/", mode: 0o755})
		}
	}
	slices.SortStableFunc(out, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return slices.CompactFunc(out, func(a, b file) bool { return a.name == b.name })
}

// tarOf returns a tar of files, whose names get a prefix.
func tarOf(prefix string, files []file, t time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range sorted(files) {
		h := &tar.Header{Name: prefix + f.name, Mode: int64(f.mode), Uid: f.owner, Gid: f.owner, Size: int64(len(f.content)), ModTime: t, Format: tar.FormatGNU}
		err := w.WriteHeader(h)
		if err == nil {
			_, err = w.Write(f.content)
		}
		if err != nil {
			return nil, fmt.Errorf("tar: %s: %w", f.name, err)
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func tarGzOf(files []file, t time.Time) ([]byte, error) {
	plain, err := tarOf("", files, t)
	if err != nil {
		return nil, err
	}
	return gzipped(plain)
}

func gzipped(plain []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

func zipOf(files []file, t time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range sorted(files) {
		if strings.HasSuffix(f.name, "/") {
			continue
		}
		h := &zip.FileHeader{Name: f.name, Modified: t, Method: zip.Deflate}
		h.SetMode(f.mode)
		out, err := w.CreateHeader(h)
		if err == nil {
			_, err = out.Write(f.content)
		}
		if err != nil {
			return nil, fmt.Errorf("zip: %s: %w", f.name, err)
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

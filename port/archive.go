package port

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/format/slime"
	"github.com/cairnvoxel/cairn/stone"
)

// An archive may hold maxRatio bytes for each of its own, and always minUnpacked;
// a tar, which is read into memory, at most maxTar.
const (
	maxRatio    = 100
	minUnpacked = 64 << 20
	maxTar      = 2 << 30
)

var errTooMuch = errors.New("unpacked it is too large; unpack it first")

func isZip(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

func isTar(head []byte) bool { return len(head) >= 262 && string(head[257:262]) == "ustar" }

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1F, 0x8B, 8}) }

func isArchive(head []byte) bool { return isZip(head) || isTar(head) || isGzip(head) }

// unpack opens the world in an archive.
func (s *Source) unpack(r io.ReaderAt, head []byte, o Options) error {
	limit := max(minUnpacked, s.size*maxRatio)
	var fsys fs.FS
	var err error
	if isZip(head) {
		fsys, err = readZip(r, s.size, limit)
	} else {
		fsys, err = readTar(io.NewSectionReader(r, 0, s.size), isGzip(head), min(limit, maxTar))
	}
	if err != nil {
		return err
	}
	return s.openFS(fsys, o)
}

func readZip(r io.ReaderAt, size, limit int64) (fs.FS, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &format.CorruptError{Offset: -1, Part: "zip", Err: err}
	}
	for _, f := range z.File {
		if limit -= int64(min(f.UncompressedSize64, 1<<60)); limit < 0 {
			return nil, errTooMuch
		}
	}
	return z, nil
}

// openFS opens the world that lies in fsys: at its root, or in the one folder
// there; or a single file with a world.
func (s *Source) openFS(fsys fs.FS, o Options) error {
	root, err := worldFolder(fsys)
	if err != nil {
		return err
	}
	w, err := anvil.OpenFS(root, anvil.Options{Salvage: o.Salvage})
	if err == nil {
		s.leaf = w
		return nil
	}
	if !errors.Is(err, anvil.ErrNoWorld) {
		return err
	}
	return s.openInner(root)
}

// worldFolder goes down while a folder holds nothing but one folder.
func worldFolder(fsys fs.FS) (fs.FS, error) {
	for {
		list, err := fs.ReadDir(fsys, ".")
		if err != nil {
			return nil, err
		}
		if len(list) != 1 || !list[0].IsDir() || anvil.DetectFS(fsys) {
			return fsys, nil
		}
		if fsys, err = fs.Sub(fsys, list[0].Name()); err != nil {
			return nil, err
		}
	}
}

// openInner opens the one .slime or .cairn file in fsys.
func (s *Source) openInner(fsys fs.FS) error {
	list, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return err
	}
	var names []string
	for _, e := range list {
		if ext := path.Ext(e.Name()); e.Type().IsRegular() && (ext == ".slime" || ext == Ext) {
			names = append(names, e.Name())
		}
	}
	if len(names) != 1 {
		return fmt.Errorf("the archive holds no world at its root, and %d .slime or %s files", len(names), Ext)
	}
	f, err := fsys.Open(names[0])
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, min(max(minUnpacked, s.size*maxRatio), maxTar)))
	if err != nil {
		return fmt.Errorf("%s: %w", names[0], err)
	}
	switch {
	case bytes.HasPrefix(b, []byte(stoneMagic)):
		s.Stone, err = stone.Open(bytes.NewReader(b), int64(len(b)))
	case slime.Detect(b):
		s.leaf, err = slime.New(bytes.NewReader(b), int64(len(b)))
	default:
		err = unknown(b)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", names[0], err)
	}
	return nil
}

// readTar reads a tar, as it is or in gzip, into memory. What it returns is a
// zip that compresses nothing, so that there is one kind of archive to look
// into.
func readTar(r io.Reader, zipped bool, limit int64) (fs.FS, error) {
	if zipped {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		head := make([]byte, 512)
		n, _ := io.ReadFull(z, head)
		if !isTar(head[:n]) {
			return nil, unknown([]byte{0x1F, 0x8B})
		}
		r = io.MultiReader(bytes.NewReader(head), z)
	}
	var held bytes.Buffer
	out := zip.NewWriter(&held)
	bounded := &io.LimitedReader{R: r, N: limit}
	if err := copyTar(out, tar.NewReader(bounded), limit); err != nil {
		if bounded.N <= 0 {
			err = errTooMuch
		}
		if errors.Is(err, errTooMuch) {
			return nil, err
		}
		return nil, &format.CorruptError{Offset: -1, Part: "tar", Err: err}
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(held.Bytes()), int64(held.Len()))
}

func copyTar(out *zip.Writer, in *tar.Reader, limit int64) error {
	for {
		h, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		name := path.Clean(h.Name)
		if h.Typeflag != tar.TypeReg || !fs.ValidPath(name) || strings.Contains(name, "\\") {
			continue // as with a folder's links, which are not followed
		}
		if limit -= h.Size; limit < 0 {
			return errTooMuch
		}
		w, err := out.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			return err
		}
		if _, err := io.Copy(w, in); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

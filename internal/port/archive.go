package port

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/linear"
)

// Bounds of an unpacked archive. A tar is read into memory, so maxTar bounds it
// too.
const (
	maxRatio    = 100      // bytes for each byte of the archive
	minUnpacked = 64 << 20 // always allowed
	maxTar      = 2 << 30
)

func isZip(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

func isTar(head []byte) bool { return len(head) >= 262 && string(head[257:262]) == "ustar" }

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1F, 0x8B, 8}) }

func isArchive(head []byte) bool { return isZip(head) || isTar(head) || isGzip(head) }

// extract opens the world in an archive.
func (s *Opened) extract(r io.ReaderAt, head []byte) error {
	fsys, err := s.archive(r, head)
	if err != nil {
		return err
	}
	return s.openFS(fsys)
}

// archive returns the files of an archive.
func (s *Opened) archive(r io.ReaderAt, head []byte) (fs.FS, error) {
	limit := max(minUnpacked, s.size*maxRatio)
	if isZip(head) {
		return s.readZip(r, limit)
	}
	return s.readTar(io.NewSectionReader(r, 0, s.size), head, min(limit, s.o.decoded(), maxTar))
}

// perFile is the cost of a file in an archive, without its bytes and its name.
const perFile = 512

// readZip lists the files of a zip. Package zip reads no more bytes of a file than the zip's
// directory says.
func (s *Opened) readZip(r io.ReaderAt, limit int64) (fs.FS, error) {
	each, total := min(limit, s.o.decoded()), min(limit, cmp.Or(s.o.Unpacked, s.o.decoded()))
	limit = each // of the list of files
	bounded := &boundedReader{r, limit / 8}
	z, err := zip.NewReader(bounded, s.size)
	if bounded.left < 0 {
		return nil, ErrTooLarge
	}
	if errors.Is(err, zip.ErrFormat) {
		err = fmt.Errorf("cut short, or no zip: %d bytes without the list of files at their end", s.size)
	}
	if err != nil {
		return nil, damaged("zip", err)
	}
	bounded.left = math.MaxInt64
	z.File = slices.DeleteFunc(z.File, func(f *zip.File) bool {
		name := slashed(decoded(f.Name))
		f.Name = path.Clean(name)
		return strings.HasSuffix(name, "/") || !s.takes(f.Name)
	})
	for _, f := range z.File {
		if f.Flags&1 != 0 {
			return nil, errEncrypted
		}
		bytes, listed := int64(min(f.UncompressedSize64, 1<<60)), perFile+int64(len(f.Name))
		limit, total = limit-listed, total-listed-bytes
		if limit < 0 || total < 0 || bytes > each {
			return nil, ErrTooLarge
		}
	}
	return s.newest(z), nil
}

// newest leaves out the files whose name a later one has, as programs that unpack do.
func (s *Opened) newest(z *zip.Reader) *zip.Reader {
	last := map[string]*zip.File{}
	for _, f := range z.File {
		last[f.Name] = f
	}
	s.twice = len(z.File) - len(last)
	z.File = slices.DeleteFunc(z.File, func(f *zip.File) bool { return last[f.Name] != f })
	return z
}

var errEncrypted = errors.New("the zip is encrypted: unpack it with its password first")

// slashed returns the path that a name of an archive stands for. Some programs write backslashes
// between folders; as a part of a name no world has one.
func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// decoded returns a name of a zip in UTF-8. Many zips have names in UTF-8 and do not say so. A
// name that is not UTF-8 is in code page 437 (APPNOTE.TXT, D.1), so that every name has a text.
func decoded(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for _, c := range []byte(name) {
		if c < 0x80 {
			b.WriteByte(c)
		} else {
			b.WriteRune(page437[c-0x80])
		}
	}
	return b.String()
}

// page437 is the upper half of code page 437.
var page437 = []rune("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0")

// damaged returns a CorruptError for an archive. It drops the kind that the error already
// names.
func damaged(kind string, err error) error {
	why := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "archive/"), kind+": ")
	return &format.CorruptError{Offset: -1, Part: kind, Err: errors.New(why)}
}

// cut says of an archive that ends too early that it is cut.
func (s *Opened) cut(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		return fmt.Errorf("cut short: its %d bytes end within a file: %w", s.size, err)
	}
	return err
}

// boundedReader is an io.ReaderAt that reads at most left bytes. The directory of an archive
// takes several times its bytes in memory.
type boundedReader struct {
	r    io.ReaderAt
	left int64
}

// ReadAt reads len(p) bytes at off.
func (b *boundedReader) ReadAt(p []byte, off int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, ErrTooLarge
	}
	return b.r.ReadAt(p, off)
}

// Bounds of a file's name in an archive. fs.FS keeps every folder above the file in
// memory.
const (
	maxName  = 512
	maxDepth = 32
)

// isFile reports whether a name in an archive is the path of a file below its root.
func isFile(name string) bool {
	return format.IsPath(name) && len(name) <= maxName && strings.Count(name, "/") < maxDepth
}

// takes reports isFile. It counts other names as lost.
func (s *Opened) takes(name string) bool {
	ok := isFile(name)
	if !ok {
		s.nameless++
	}
	return ok
}

// isRegion reports whether a path looks like a region file.
func isRegion(name string) bool {
	ok, _ := path.Match("r.*.*", strings.TrimSuffix(path.Base(name), path.Ext(name)))
	return ok && slices.Contains([]string{".mcr", ".mca", linear.Ext(linear.V2), linear.Ext(linear.Buffered)}, path.Ext(name))
}

// isRegionTable reports whether a file of size bytes that begins with head looks like a region
// file. A region file begins with a table of the sectors of its chunks.
func isRegionTable(head []byte, size int64) bool {
	const sector = 4096
	some := false
	head = head[:min(len(head), sector)]
	for ; len(head) >= 4; head = head[4:] {
		n := binary.BigEndian.Uint32(head)
		first, count := int64(n>>8), int64(n&0xFF)
		if n != 0 && (first < 2 || count == 0 || (first+count-1)*sector >= size) {
			return false
		}
		some = some || n != 0
	}
	return some && size > 2*sector
}

// openFS opens the world in fsys: a folder, or the only file that is a whole world.
func (s *Opened) openFS(fsys fs.FS) (err error) {
	s.leaf, err = openFolder(func(k *format.Kind) (format.Source, error) { return k.OpenFS(fsys, s.o.leaf()) })
	switch {
	case errors.Is(err, format.ErrNoWorld):
		return s.openInner(fsys)
	case errors.Is(err, anvil.ErrSeveral):
		return fmt.Errorf("%w, after unpacking", err)
	}
	return err
}

// openInner opens the only file in fsys that is a whole world.
func (s *Opened) openInner(fsys fs.FS) error {
	var names []string
	inner := ""
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(e.Name(), ".") || !e.Type().IsRegular(): // such as what macOS keeps of each file
		case slices.Contains(FileExts(), path.Ext(name)):
			names = append(names, name)
		case IsArchive(name):
			inner = name
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(names) != 1 {
		err := fmt.Errorf("the archive has no world at its root or in a folder, and no file that ends in %s", strings.Join(FileExts(), " or "))
		switch {
		case len(names) > 1:
			err = fmt.Errorf("the archive has %d worlds: %s: unpack it and give one", len(names), format.SomeOf(names))
		case inner != "":
			err = fmt.Errorf("%w; it has other archives in it, such as %s: unpack it first", err, inner)
		}
		if s.nameless > 0 {
			err = fmt.Errorf("%w; %d files have names that are no paths within it", err, s.nameless)
		}
		return err
	}
	f, err := fsys.Open(names[0])
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, min(max(minUnpacked, s.size*maxRatio), maxTar, s.o.decoded())))
	if err != nil {
		return fmt.Errorf("%s: %w", names[0], err)
	}
	known, err := s.openFile(bytes.NewReader(b), b, int64(len(b)))
	if !known {
		err = unknown(b, int64(len(b)))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", names[0], err)
	}
	return nil
}

// readTar reads a tar, compressed by gzip or not, into memory. It returns the files as a zip
// without compression, so that all archives are read in one way.
func (s *Opened) readTar(r io.Reader, head []byte, limit int64) (fs.FS, error) {
	if isGzip(head) {
		z, err := gzip.NewReader(r)
		var first []byte
		if err == nil {
			first, err = io.ReadAll(io.LimitReader(z, 512)) // fewer bytes are no tar
		}
		if err != nil {
			return nil, damaged("gzip", s.cut(err))
		}
		if !isTar(first) {
			return nil, unknown(head, s.size)
		}
		r = io.MultiReader(bytes.NewReader(first), z)
	}
	var held bytes.Buffer
	out := zip.NewWriter(&held)
	bounded := &io.LimitedReader{R: r, N: limit}
	err := s.copyTar(out, tar.NewReader(bounded), limit)
	if err == nil {
		// The checksum of a gzip follows the end of the tar. Bytes after it are ignored.
		if _, err = io.Copy(io.Discard, bounded); errors.Is(err, gzip.ErrHeader) {
			err = nil
		}
	}
	if err != nil {
		if bounded.N <= 0 {
			err = ErrTooLarge
		}
		if errors.Is(err, ErrTooLarge) {
			return nil, err
		}
		return nil, damaged("tar", s.cut(err))
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(held.Bytes()), int64(held.Len()))
	if err != nil {
		return nil, err
	}
	return s.newest(z), nil
}

func (s *Opened) copyTar(out *zip.Writer, in *tar.Reader, limit int64) error {
	for {
		h, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		name := path.Clean(slashed(h.Name))
		switch {
		case h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader:
			continue
		case h.Typeflag != tar.TypeReg:
			s.links++
			continue
		case !s.takes(name):
			continue
		}
		if limit -= perFile + int64(len(name)) + h.Size; limit < 0 {
			return ErrTooLarge
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

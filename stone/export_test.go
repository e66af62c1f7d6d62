package stone

import (
	"context"
	"encoding/binary"

	"github.com/cairnvoxel/cairn/internal/stone/column"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/internal/tags"
	"github.com/zeebo/xxh3"
)

// Limits, for tests at their edge.
const (
	MaxPage       = maxPage
	MaxStreams    = pages.MaxStreams
	MaxCells      = maxCells
	MaxRuns       = maxRuns
	MaxDirectory  = maxDirectory
	MaxDimensions = maxDimensions
	MaxTower      = maxTower
	MaxDeltas     = maxDeltas
	MaxPageColumn = column.MaxColumns
	FilePage      = filePage
	HeaderSize    = headerSize
	FooterSize    = footerSize
)

// Parts takes a sound stone apart: its pages and the plain bytes of its directory,
// in form 0 whatever it has.
func Parts(b []byte) (all [][]byte, plain []byte) {
	dir, _ := parts(b)
	for _, p := range dir.pages {
		all = append(all, b[p.off:p.off+int64(p.size)])
	}
	return all, dir.append(nil, pages.ByBytes)
}

// Directory returns the form and the plain bytes of the directory.
func Directory(b []byte) (form byte, plain []byte) {
	dir, s := parts(b)
	if s == pages.ByWords {
		plain = append(plain, tags.WordsVersion)
	}
	return byte(s), dir.append(plain, s)
}

func parts(b []byte) (*directory, pages.Spelling) {
	foot := b[len(b)-footerSize:]
	off := binary.LittleEndian.Uint64(foot)
	s, plain, hashes, err := splitDirectory(b[off : len(b)-footerSize])
	if err != nil {
		panic(err)
	}
	dir, err := parseDirectory(s, plain, hashes, int64(headerSize), int64(off))
	if err != nil {
		panic(err)
	}
	return dir, s
}

// Assemble puts pages and a directory together as a stone with sound checksums.
func Assemble(pages [][]byte, plain []byte) []byte { return AssembleForm(pages, 0, plain) }

// AssembleForm does so with a directory of that form.
func AssembleForm(pages [][]byte, form byte, plain []byte) []byte {
	b := append([]byte(magic), FormatVersion)
	var hashes []byte
	for _, p := range pages {
		b = append(b, p...)
		hashes = binary.LittleEndian.AppendUint32(hashes, uint32(xxh3.Hash(p)))
	}
	dir := append(AppendPage(form, plain), hashes...)
	return append(b, SealAt(int64(len(b)+len(dir)+footerSize), dir)...)
}

// AppendPage returns the page of streams.
func AppendPage(form byte, streams ...[]byte) []byte {
	p := encoderPools[Best].Get().(*pageEncoder)
	defer encoderPools[Best].Put(p)
	return p.Append(nil, form, streams)
}

// SplitPage undoes AppendPage.
func SplitPage(b []byte) (form byte, streams [][]byte, err error) {
	return pages.Split(context.Background(), b)
}

// SealAt returns what stands at the end of a stone of size bytes.
func SealAt(size int64, dir []byte) []byte {
	foot := binary.LittleEndian.AppendUint64(nil, uint64(size)-uint64(footerSize+len(dir)))
	foot = binary.LittleEndian.AppendUint32(foot, uint32(len(dir)))
	foot = binary.LittleEndian.AppendUint64(foot, directoryHash(FormatVersion, dir, foot))
	return append(append(dir, foot...), footerMagic...)
}

// Reckless has a Writer whose blocks are written count nothing, so that it may write light and
// height maps that Readers refuse. Call it after Light or Heights.
func (w *Writer) Reckless() { w.blocks.index = &blockIndex{} }

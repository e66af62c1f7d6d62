package tiff

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/zlib"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
)

// work is what reading a block needs beside the block.
type work struct {
	stored   []byte // as it is in the file
	raw      []byte // without compression
	row      []byte
	reader   bytes.Reader
	inflater io.ReadCloser // also a zlib.Resetter
	codes    [1 << 12]entry
}

// entry is bytes that a code of LZW stands for.
type entry struct{ at, size int }

var works = sync.Pool{New: func() any { return new(work) }}

// load fills dst with the bytes of a segment. The segment may have more.
func (w *work) load(in raster.Input, compression int, s segment, dst []byte) (err error) {
	if compression == none {
		if s.size < int64(len(dst)) {
			return &cursor.CorruptError{Offset: s.at, Part: "bytes", Err: io.ErrUnexpectedEOF}
		}
		_, err := in.Bytes(dst, "bytes", s.at, int64(len(dst)))
		return err
	}
	if w.stored, err = in.Bytes(w.stored, "bytes", s.at, s.size); err != nil {
		return err
	}
	switch compression {
	case lzw:
		err = w.unLZW(dst, w.stored)
	case packBits:
		err = unPackBits(dst, w.stored)
	default:
		err = w.inflate(dst)
	}
	if err != nil {
		return &cursor.CorruptError{Offset: s.at, Part: "compressed bytes", Err: err}
	}
	return nil
}

func (w *work) inflate(dst []byte) (err error) {
	w.reader.Reset(w.stored)
	if w.inflater == nil {
		w.inflater, err = zlib.NewReader(&w.reader)
	} else {
		err = w.inflater.(zlib.Resetter).Reset(&w.reader, nil)
	}
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(w.inflater, dst); err == io.EOF { // not a byte
		return io.ErrUnexpectedEOF
	} else if err != nil {
		return err
	}
	if _, err = w.inflater.Read(make([]byte, 1)); err == io.EOF { // it has looked at the checksum
		return nil
	}
	return err
}

func unPackBits(dst, src []byte) error {
	for len(dst) > 0 {
		if len(src) < 2 {
			return io.ErrUnexpectedEOF
		}
		n := int(int8(src[0]))
		src = src[1:]
		if n >= 0 {
			n = min(n+1, len(dst))
			if len(src) < n {
				return io.ErrUnexpectedEOF
			}
			copy(dst, src[:n])
			dst, src = dst[n:], src[n:]
		} else if n > -128 {
			n = min(1-n, len(dst))
			for i := range n {
				dst[i] = src[0]
			}
			dst, src = dst[n:], src[1:]
		}
	}
	return nil
}

// unLZW fills dst. What a code stands for is in dst already, so a table keeps its place and size.
func (w *work) unLZW(dst, src []byte) error {
	const clear, end = 1 << 8, 1<<8 + 1
	var bits uint32
	var have int
	width, next := 9, end // bits of a code, and the code that is made next
	var last entry
	for at := 0; at < len(dst); {
		for ; have < width; have += 8 {
			if len(src) == 0 {
				return io.ErrUnexpectedEOF
			}
			bits, src = bits<<8|uint32(src[0]), src[1:]
		}
		have -= width
		code := int(bits >> have & (1<<width - 1))
		switch code {
		case clear:
			width, next, last = 9, end, entry{}
			continue
		case end:
			return io.ErrUnexpectedEOF
		}
		if next < len(w.codes) {
			// The last byte of a new code is the first of what comes now.
			w.codes[next] = entry{last.at, last.size + 1}
			next++
		}
		now := entry{at, 1}
		switch {
		case code < clear:
			dst[at] = byte(code)
		case code < next && last.size > 0:
			e := w.codes[code]
			now.size = min(e.size, len(dst)-at)
			if copied := copy(dst[at:at+now.size], dst[e.at:at]); copied < now.size {
				dst[at+copied] = dst[at] // the code that was just made
			}
		default:
			return errors.New("a code that stands for nothing yet")
		}
		at, last = at+now.size, now
		if next+1 >= 1<<width && width < 12 {
			width++
		}
	}
	return nil
}

package crowd

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Deflated is what .slime files are with zlib in place of zstd, as the game's own files have it.
type Deflated struct {
	Bytes int64   `json:"mean_bytes"`
	Write float64 `json:"write_times"` // the time to compress, by that of zstd
	Read  float64 `json:"read_times"`  // the time to decompress, by that of zstd
}

// frameMagic begins each part of a .slime file that is compressed. Before it stand its size and
// that of what it holds, 4 bytes each, the most significant first.
var frameMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// deflated compresses the parts of all .slime files of the pool by both at their default levels.
func (p *pool) deflated() (Deflated, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return Deflated{}, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return Deflated{}, err
	}
	defer dec.Close()
	var d Deflated
	var files int64
	var writes, reads [2]time.Duration // zstd, zlib
	for i := range p.Templates {
		for _, file := range p.Templates[i].Files {
			files++
			d.Bytes += int64(len(file))
			for _, frame := range framesOf(file) {
				start := time.Now()
				part, err := dec.DecodeAll(frame, nil)
				reads[0] += time.Since(start)
				if err != nil {
					return d, fmt.Errorf("crowd: part of a .slime file: %w", err)
				}
				start = time.Now()
				enc.EncodeAll(part, nil)
				writes[0] += time.Since(start)
				var b bytes.Buffer
				start = time.Now()
				z := zlib.NewWriter(&b)
				_, err = z.Write(part)
				if err == nil {
					err = z.Close()
				}
				writes[1] += time.Since(start)
				d.Bytes += int64(b.Len() - len(frame))
				start = time.Now()
				if err == nil {
					err = inflate(&b)
				}
				reads[1] += time.Since(start)
				if err != nil {
					return d, err
				}
			}
		}
	}
	d.Bytes /= max(files, 1)
	d.Write, d.Read = float64(writes[1])/float64(max(writes[0], 1)), float64(reads[1])/float64(max(reads[0], 1))
	return d, nil
}

func inflate(r io.Reader) error {
	z, err := zlib.NewReader(r)
	if err == nil {
		_, err = io.Copy(io.Discard, z)
	}
	return err
}

// framesOf returns the compressed parts of a .slime file.
func framesOf(file []byte) (frames [][]byte) {
	for at := 8; at < len(file); at++ {
		if !bytes.HasPrefix(file[at:], frameMagic) {
			continue
		}
		if n := int(binary.BigEndian.Uint32(file[at-8:])); n > len(frameMagic) && n <= len(file)-at {
			frames = append(frames, file[at:at+n])
			at += n - 1
		}
	}
	return frames
}

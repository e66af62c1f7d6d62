package s3

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/minio/minio-go/v7"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// small is a body, or a part of one, that is sent at once.
type small struct {
	io.ReaderAt
	size int64
	sum  [sha256.Size]byte
}

// reader returns the body for one try. The transport may go on to read it when the
// try has ended, so the next try has its own.
func (d small) reader(s *steps) watched {
	return watched{io.NewSectionReader(d, 0, d.size), s}
}

// inMemory is the largest body that is read once. Larger ones are read once for their
// checksum and again for each try.
const inMemory = 1 << 20

// section returns n bytes of a body from offset off.
func section(body *io.SectionReader, off, n int64) (small, error) {
	r := io.NewSectionReader(body, off, n)
	if n <= inMemory {
		return readBody(r, n)
	}
	hash := sha256.New()
	got, err := io.Copy(hash, r)
	if err == nil && got < n {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return small{}, fmt.Errorf("the body has %d bytes of %d: %w", got, n, err)
	}
	return small{r, n, [sha256.Size]byte(hash.Sum(nil))}, nil
}

// mark is the name of the metadata in which a Put has its number.
const mark = "Cairn-Put"

func (b *Client) Put(ctx context.Context, key string, body *io.SectionReader) error {
	if err := b.mayWrite(key); err != nil {
		return fmt.Errorf("s3: put: %w", err)
	}
	number := rand.Text()
	if body.Size() > b.o.PartBytes {
		return b.putLarge(ctx, b.name(key), body, number)
	}
	data, err := section(body, 0, body.Size())
	if err != nil {
		return fmt.Errorf("s3: put %s: %w", key, err)
	}
	return b.putSmall(ctx, b.name(key), data, number)
}

// conditions are the headers by which the server refuses to replace an object.
func conditions() minio.PutObjectOptions {
	o := minio.PutObjectOptions{DisableContentSha256: true} // no second signature of the body
	o.SetMatchETagExcept("*")
	return o
}

func (b *Client) putSmall(ctx context.Context, name string, data small, number string) error {
	o := conditions()
	o.UserMetadata = map[string]string{mark: number, "x-amz-checksum-sha256": base64.StdEncoding.EncodeToString(data.sum[:])}
	sum := hex.EncodeToString(data.sum[:])
	return b.recognized(ctx, "put", name, number, func(ctx context.Context, s *steps) error {
		_, err := b.api.PutObject(ctx, b.o.Bucket, name, data.reader(s), data.size, "", sum, o)
		return err
	})
}

// recognized makes a call that puts an object. If a try says that the key has bytes,
// and an earlier try may have put them, it looks whether they have the number.
func (b *Client) recognized(ctx context.Context, op, name, number string, what func(context.Context, *steps) error) error {
	tried := 0
	err := b.call(ctx, op, name, func(ctx context.Context, s *steps) error {
		tried++
		return what(ctx, s)
	})
	if tried > 1 && errors.Is(err, blob.ErrFull) {
		return fmt.Errorf("%w: %v", blob.ErrAway, err) // an earlier try may have put it
	}
	if tried == 1 || !errors.Is(err, blob.ErrExists) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	in, headErr := b.head(ctx, name)
	switch {
	case headErr == nil && in.UserMetadata[mark] == number:
		return nil
	case errors.Is(headErr, blob.ErrAway):
		return headErr
	}
	return err
}

// most is the largest number of parts.
const most = 10_000

// conflicts is how often a large Put is made again after a conflict.
const conflicts = 3

func (b *Client) putLarge(ctx context.Context, name string, body *io.SectionReader, number string) error {
	if err := b.tryOutParts(ctx); err != nil {
		return fmt.Errorf("s3: put %s: %w", name, err)
	}
	if _, err := b.head(ctx, name); err == nil { // before all parts are sent for nothing
		return fmt.Errorf("s3: put %s: %w", name, blob.ErrExists)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for n := 1; ; n++ {
		err := b.putParts(ctx, name, body, max(b.o.PartBytes, (body.Size()+most-1)/most), number)
		if !errors.Is(err, errConflict) || n == conflicts {
			return err
		}
	}
}

// putParts puts a body in parts. The object appears with the last call.
func (b *Client) putParts(ctx context.Context, name string, body *io.SectionReader, part int64, number string) (err error) {
	var id string
	err = b.call(ctx, "begin", name, func(ctx context.Context, _ *steps) (err error) {
		id, err = b.api.NewMultipartUpload(ctx, b.o.Bucket, name, minio.PutObjectOptions{UserMetadata: map[string]string{mark: number}})
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		if err == nil {
			return
		}
		// What is left is ended by the bucket's own rule.
		_ = b.call(context.WithoutCancel(ctx), "abort", name, func(ctx context.Context, _ *steps) error {
			return b.api.AbortMultipartUpload(ctx, b.o.Bucket, name, id)
		})
	}()
	var parts []minio.CompletePart
	for off := int64(0); off < body.Size() || off == 0; off += part {
		data, err := section(body, off, min(part, body.Size()-off))
		if err != nil {
			return fmt.Errorf("s3: put %s: %w", name, err)
		}
		o := minio.PutObjectPartOptions{Sha256Hex: hex.EncodeToString(data.sum[:]), DisableContentSha256: true}
		err = b.call(ctx, "part", name, func(ctx context.Context, s *steps) error {
			p, err := b.api.PutObjectPart(ctx, b.o.Bucket, name, id, len(parts)+1, data.reader(s), data.size, o)
			if err == nil {
				parts = append(parts, minio.CompletePart{PartNumber: p.PartNumber, ETag: p.ETag})
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return b.recognized(ctx, "complete", name, number, func(ctx context.Context, _ *steps) error {
		_, err := b.api.CompleteMultipartUpload(ctx, b.o.Bucket, name, id, parts, conditions())
		return err
	})
}

// tryOutParts finds out, once, whether the server refuses to replace an object by one
// in parts.
func (b *Client) tryOutParts(ctx context.Context) error {
	b.parts.Lock()
	defer b.parts.Unlock()
	if b.parts.tried {
		return nil
	}
	body := io.NewSectionReader(zeros{}, 0, 1)
	err := b.putParts(ctx, b.probe(), body, 1, rand.Text())
	if err == nil {
		err = errors.New(`the server replaces an object by one in parts in spite of "If-None-Match: *", which a store cannot use safely`)
	}
	b.parts.tried = errors.Is(err, blob.ErrExists)
	if b.parts.tried {
		return nil
	}
	return err
}

// zeros is a body.
type zeros struct{}

func (zeros) ReadAt(p []byte, _ int64) (int, error) {
	clear(p)
	return len(p), nil
}

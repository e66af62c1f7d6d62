package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// Get is for blob.ReadOnly. All bytes of a key that was put at once are compared with
// their checksum.
func (b *Client) Get(ctx context.Context, key string, off, n int64) (out []byte, err error) {
	if err := blob.CheckKey(key); err != nil {
		return nil, fmt.Errorf("s3: get: %w", err)
	}
	short := func(size int64) error {
		return fmt.Errorf("s3: get %s: %d bytes from %d of %d: %w", key, n, off, size, io.ErrUnexpectedEOF)
	}
	if off < 0 || n == 0 {
		in, err := b.Head(ctx, key)
		if err == nil && (off < 0 || off > in.Size) {
			err = short(in.Size)
		}
		return nil, err
	}
	damaged := 0
	err = b.call(ctx, "get", b.name(key), func(ctx context.Context, s *steps) error {
		out, err = b.get(ctx, key, off, n, s)
		if errors.Is(err, blob.ErrDamaged) {
			if damaged++; damaged > 1 {
				return final("%w", err) // they are so at the server
			}
		}
		return err
	})
	var r minio.ErrorResponse
	if errors.As(err, &r) && r.Code == "InvalidRange" {
		in, err := b.Head(ctx, key)
		if err == nil && (n > 0 || off != in.Size) {
			err = short(in.Size)
		}
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	if n >= 0 && int64(len(out)) < n {
		return nil, short(off + int64(len(out)))
	}
	return out, nil
}

// drain is how many bytes that nobody wants are read, so that the connection can be
// used again.
const drain = 128 << 10

// get reads n bytes, or fewer if the object has fewer. It asks for a range only if
// off is not 0, because the answer to a range has no checksum.
func (b *Client) get(ctx context.Context, key string, off, n int64, s *steps) ([]byte, error) {
	var o minio.GetObjectOptions
	o.Set("x-amz-checksum-mode", "ENABLED")
	if off > 0 {
		end := ""
		if n > 0 && n <= math.MaxInt64-off {
			end = fmt.Sprint(off + n - 1)
		}
		o.Set("Range", fmt.Sprintf("bytes=%d-%s", off, end))
	}
	body, in, header, err := b.api.GetObject(ctx, b.o.Bucket, b.name(key), o)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if off > 0 && header.Get("Content-Range") == "" {
		return nil, final("the server does not read ranges")
	}
	if in.Size < 0 {
		return nil, final("the server does not say how many bytes it sends")
	}
	want := in.Size
	if n >= 0 {
		want = min(want, n)
	}
	out, err := readAll(body, want, s)
	if err != nil {
		return nil, fmt.Errorf("after %d of %d bytes: %v", len(out), want, err)
	}
	if rest := in.Size - want; rest > 0 && rest <= drain {
		if _, err := io.CopyN(io.Discard, body, rest); err != nil {
			return nil, fmt.Errorf("after %d of %d bytes: %v", want, in.Size, err)
		}
	}
	if sum := in.ChecksumSHA256; off == 0 && want == in.Size && sum != "" && !strings.Contains(sum, "-") {
		got := sha256.Sum256(out)
		if base64.StdEncoding.EncodeToString(got[:]) != sum {
			return nil, fmt.Errorf("%w: their SHA-256 is not the one that the server has", blob.ErrDamaged)
		}
	}
	return out, nil
}

// readAll reads n bytes. It does not believe that a large number of bytes comes
// before it does.
func readAll(r io.Reader, n int64, s *steps) ([]byte, error) {
	out := make([]byte, 0, min(n, 1<<20))
	for int64(len(out)) < n {
		if len(out) == cap(out) {
			out = append(make([]byte, 0, min(n, 4*int64(cap(out)))), out...)
		}
		got, err := r.Read(out[len(out):min(cap(out), len(out)+256<<10)])
		out = out[:len(out)+got]
		s.progress(got)
		if err != nil && int64(len(out)) < n {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return out, err
		}
	}
	return out, nil
}

func (b *Client) Head(ctx context.Context, key string) (blob.Object, error) {
	if err := blob.CheckKey(key); err != nil {
		return blob.Object{}, fmt.Errorf("s3: head: %w", err)
	}
	in, err := b.head(ctx, b.name(key))
	return blob.Object{Key: key, Size: in.Size, Modified: seconds(in.LastModified)}, err
}

func seconds(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

func (b *Client) head(ctx context.Context, name string) (in minio.ObjectInfo, err error) {
	err = b.call(ctx, "head", name, func(ctx context.Context, _ *steps) error {
		in, err = b.api.StatObject(ctx, b.o.Bucket, name, minio.StatObjectOptions{})
		return err
	})
	if err != nil {
		in = minio.ObjectInfo{}
	}
	return in, err
}

// Sizes of the pages that are asked for.
const (
	leastPage = 100
	mostPage  = 1000
)

// List is for blob.ReadOnly. It skips objects whose names are not keys.
//
// MinIO counts keys that are not after the one where a list starts, and then says too
// early that there are no more: it does so for the keys a-1, a-2 ... if the list starts
// within a/. So List believes only a page that is less than half full. A bucket in
// MinIO should not have hundreds of keys a-1, a-2 ... or a.1, a.2 ... beside a/.
func (b *Client) List(ctx context.Context, prefix, after string, n int) ([]blob.Object, error) {
	if !blob.CanBegin(prefix) || after > prefix && !strings.HasPrefix(after, prefix) {
		return nil, ctx.Err() // no key has such a prefix, or all keys with it come before
	}
	// A server refuses a prefix whose last part is "." or "..".
	asked := prefix
	if last := prefix[strings.LastIndexByte(prefix, '/')+1:]; last == "." || last == ".." {
		asked = strings.TrimSuffix(prefix, last)
	}
	start := keyOnly(after)
	if start < prefix {
		start = ""
	}
	page := min(max(n+1, leastPage), mostPage)
	var out []blob.Object
	for len(out) < n {
		found, more, err := b.list(ctx, asked, start, page)
		if err != nil {
			return nil, err
		}
		for _, in := range found {
			if blob.CheckKey(in.Key) == nil && in.Key > after && strings.HasPrefix(in.Key, prefix) && len(out) < n {
				out = append(out, in)
			}
		}
		if !more && len(found) < page/2 {
			break
		}
		start = found[len(found)-1].Key
	}
	return out, ctx.Err()
}

// keyOnly returns the bytes before the first one that no key has.
func keyOnly(s string) string {
	for i, c := range []byte(s) {
		if i == 512 || blob.CheckKey(string(rune(c))) != nil && c != '/' && c != '.' {
			return s[:i]
		}
	}
	return s
}

// list asks for one page. A server may give it in pieces. If one of them does not
// come, list returns those before it and says that there may be more.
func (b *Client) list(ctx context.Context, prefix, start string, n int) (out []blob.Object, more bool, err error) {
	owner := false
	o := minio.ListObjectsOptions{Prefix: b.name(prefix), Recursive: true, MaxKeys: n, FetchOwner: &owner}
	if start != "" {
		o.StartAfter = b.name(start)
	}
	err = b.call(ctx, "list", b.name(prefix), func(ctx context.Context, s *steps) error {
		out = nil
		for in := range b.api.ListObjectsIter(ctx, b.o.Bucket, o) {
			if more = in.Err != nil && len(out) > 0; more {
				break
			}
			if in.Err != nil {
				return in.Err
			}
			key, ok := strings.CutPrefix(in.Key, b.o.Prefix)
			if !ok {
				return final("the server lists %q, which does not begin with %q", in.Key, o.Prefix)
			}
			if out = append(out, blob.Object{Key: key, Size: in.Size, Modified: seconds(in.LastModified)}); len(out) == n {
				break
			}
		}
		return ctx.Err()
	})
	return out, more, err
}

func (b *Client) Delete(ctx context.Context, key string) error {
	if err := b.mayWrite(key); err != nil {
		return fmt.Errorf("s3: delete: %w", err)
	}
	err := b.call(ctx, "delete", b.name(key), func(ctx context.Context, _ *steps) error {
		return b.api.RemoveObject(ctx, b.o.Bucket, b.name(key), minio.RemoveObjectOptions{})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (b *Client) mayWrite(key string) error {
	if b.o.ReadOnly {
		return fmt.Errorf("key %q: the bucket is open for reading alone", key)
	}
	return blob.CheckKey(key)
}

// Lock keeps the bytes of a key from being deleted or replaced until a time: object
// lock in mode COMPLIANCE, which no account can take back. A later time prolongs it; an
// earlier time changes nothing. A Delete only hides a locked key. The bucket must
// have been made with object lock.
func (b *Client) Lock(ctx context.Context, key string, until time.Time) error {
	if err := b.mayWrite(key); err != nil {
		return fmt.Errorf("s3: lock: %w", err)
	}
	until = until.UTC().Truncate(time.Second)
	mode := minio.Compliance
	err := b.call(ctx, "lock", b.name(key), func(ctx context.Context, _ *steps) error {
		return b.api.PutObjectRetention(ctx, b.o.Bucket, b.name(key), minio.PutObjectRetentionOptions{Mode: &mode, RetainUntilDate: &until})
	})
	if err == nil || errors.Is(err, blob.ErrAway) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// Refused: perhaps it is locked for longer.
	have := time.Time{}
	lookErr := b.call(ctx, "locked", b.name(key), func(ctx context.Context, _ *steps) error {
		_, t, err := b.api.GetObjectRetention(ctx, b.o.Bucket, b.name(key), "")
		if t != nil {
			have = *t
		}
		return err
	})
	if lookErr == nil && !have.Before(until) {
		return nil
	}
	return err
}

// readBody reads a small body.
func readBody(r io.ReaderAt, size int64) (small, error) {
	data := make([]byte, size)
	if n, err := r.ReadAt(data, 0); n < len(data) {
		return small{}, fmt.Errorf("the body has %d bytes of %d: %w", n, size, err)
	}
	return small{bytes.NewReader(data), size, sha256.Sum256(data)}, nil
}

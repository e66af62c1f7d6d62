package pair

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// stored is a stone whose bytes are in the bucket.
type stored struct {
	id    stone.ID
	in    record.Info
	value []byte // its record
}

// inBucket calls what with the stones whose bytes are in the bucket, many at a time,
// in ascending order of their IDs. It holds no snapshot.
func (c *checker) inBucket(what func([]stored) error) error {
	from, to := string(record.Stones), string(record.Stones+1)
	for {
		found, err := c.catalogue.Scan(c.Ctx, from, to, rules.BatchSize, false)
		if err != nil {
			return err
		}
		var all []stored
		for _, r := range found {
			in, err := record.ParseInfo(r.Value)
			if err == nil && len(r.Key) == 33 && in.Number != 0 && !in.File { // otherwise it is a fault already
				all = append(all, stored{stone.ID([]byte(r.Key[1:])), in, r.Value})
			}
		}
		if err := what(all); err != nil {
			return err
		}
		if len(found) < rules.BatchSize {
			return nil
		}
		from = found[len(found)-1].Key + "\x00"
	}
}

// listed compares the records with a list of the bucket.
func (c *checker) listed() error {
	var page []blob.Object
	after, ended := "", false
	return c.inBucket(func(all []stored) error {
		for _, st := range all {
			key := bytesKey(st.id, st.in.Number)
			for !ended && (len(page) == 0 || page[0].Key < key) {
				if len(page) > 0 {
					page = page[1:]
					continue
				}
				var err error
				if page, err = c.bucket.List(c.Ctx, "", after, rules.BatchSize); err != nil {
					return err
				}
				if ended = len(page) == 0; !ended {
					after = page[len(page)-1].Key
				}
			}
			if len(page) > 0 && page[0].Key == key && page[0].Size == st.in.Size {
				continue
			}
			// The list may be older than the record.
			info, err := c.bucket.Head(c.Ctx, key)
			if err == nil && info.Size != st.in.Size {
				err = fmt.Errorf("its bytes are %d: want %d", info.Size, st.in.Size)
			} else if errors.Is(err, fs.ErrNotExist) {
				err = errNoBytes
			} else if err != nil {
				return err
			}
			if err != nil {
				if err := c.still(st, err); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// still notes that a stone is lost if its record is as it was: otherwise its bytes were
// deleted meanwhile because nobody needs them.
func (c *checker) still(st stored, why error) error {
	values, err := c.catalogue.Get(c.Ctx, string(record.StoneKey(st.id)))
	if err != nil {
		return err
	}
	if now, err := record.ParseInfo(values[0]); err == nil && now.Number == st.in.Number {
		c.Lost(st.id, st.in.Size, why)
	}
	return nil
}

// read reads the bytes of all stones in the bucket, several at a time.
func (c *checker) read() error {
	var done int64
	return c.inBucket(func(all []stored) error {
		errs := each(len(all), func(i int) error {
			if c.IsLost(all[i].id) || c.Ctx.Err() != nil {
				return nil
			}
			return c.hash(all[i])
		})
		for i, st := range all {
			done += st.in.Size
			if err := errs[i]; errors.Is(err, history.ErrGone) || errors.Is(err, blob.ErrDamaged) || errors.Is(err, errOtherBytes) || errors.Is(err, io.ErrUnexpectedEOF) {
				if err := c.still(st, err); err != nil {
					return err
				}
			} else if err != nil {
				return err
			}
		}
		c.progress(done, max(done, c.total))
		return c.Ctx.Err()
	})
}

// hash compares the hash of the bytes of a stone with its name.
func (c *checker) hash(st stored) error {
	key := bytesKey(st.id, st.in.Number)
	if st.in.Size <= wholeBytes {
		data, err := c.Pair.read(c.Ctx, key, 0, st.in.Size)
		if err == nil && sha256.Sum256(data) != st.id {
			err = errOtherBytes
		}
		return err
	}
	b := c.hold(c.Ctx, key, st.in.Size)
	h := sha256.New()
	_, err := io.CopyBuffer(h, io.NewSectionReader(b, 0, st.in.Size), make([]byte, 4*direct))
	if err == nil && stone.ID(h.Sum(nil)) != st.id {
		err = errOtherBytes
	}
	return errors.Join(err, b.Close())
}

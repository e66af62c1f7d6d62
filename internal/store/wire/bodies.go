package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/store/history"
)

// MaxCommit bounds the bytes of a commit's record. A commit within the bounds of
// history.Commit is shorter.
const MaxCommit = history.MaxMessage + history.MaxAuthor + history.MaxStones*64 + 256

const (
	// maxLayers bounds the layers of a Stack; a packed stack has a few.
	maxLayers = 1 << 16
	// MaxHeading bounds the bytes of records of JSON.
	MaxHeading = 512 * maxLayers
)

// CommitBody returns the body of POST /v1/commits: the stones in the order of
// c.Stones, then those that c does not name.
func CommitBody(c history.Commit, stones ...history.Stone) *Body {
	b := new(Body)
	b.Add(c.Append(nil))
	place := func(s history.Stone) int {
		if i := slices.IndexFunc(c.Stones, func(r history.StoneRef) bool { return r.ID == s.ID }); i >= 0 {
			return i
		}
		return len(c.Stones)
	}
	if len(stones) > 1 {
		stones = slices.Clone(stones)
		slices.SortStableFunc(stones, func(s, t history.Stone) int { return place(s) - place(t) })
		stones = slices.CompactFunc(stones, func(s, t history.Stone) bool { return s.ID == t.ID })
	}
	for _, s := range stones {
		b.Add(s.Data)
	}
	return b
}

// ReadCommit reads the body of POST /v1/commits, with stones of at most maxStone
// bytes each. If there are as many stones as the commit names, they get the IDs in
// the commit; otherwise they get the hashes of their bytes. Stores check the IDs.
func ReadCommit(r *RecordReader, maxStone int64) (history.Commit, []history.Stone, error) {
	c, err := readOneCommit(r)
	if err != nil {
		return history.Commit{}, nil, err
	}
	var stones []history.Stone
	for {
		data, err := r.Next(maxStone)
		if err == io.EOF {
			break
		}
		if err == nil && len(stones) == len(c.Stones) {
			err = r.corrupt(fmt.Errorf("more than the %d stones of the commit", len(c.Stones)))
		}
		if err != nil {
			return history.Commit{}, nil, err
		}
		stones = append(stones, history.Stone{Data: data})
	}
	for i := range stones {
		if len(stones) == len(c.Stones) {
			stones[i].ID = c.Stones[i].ID
		} else {
			stones[i].ID = sha256.Sum256(stones[i].Data)
		}
	}
	return c, stones, nil
}

// readOneCommit reads a required record.
func readOneCommit(r *RecordReader) (history.Commit, error) {
	b, err := r.Required(MaxCommit)
	if err != nil {
		return history.Commit{}, err
	}
	return history.ParseCommit(b)
}

// Required is Next for a record that must be there.
func (r *RecordReader) Required(limit int64) ([]byte, error) {
	b, err := r.Next(limit)
	if err == io.EOF {
		err = r.wrap(err)
	}
	return b, err
}

// LogBody returns commits as records: the answer of GET /v1/log, and the answer of
// a commit.
func LogBody(log ...history.Commit) *Body {
	b := new(Body)
	for _, c := range log {
		b.Add(c.Append(nil))
	}
	return b
}

// ReadLog reads at most n commits that LogBody wrote.
func ReadLog(r *RecordReader, n int) ([]history.Commit, error) {
	var log []history.Commit
	for {
		b, err := r.Next(MaxCommit)
		if err == io.EOF {
			return log, nil
		}
		if err == nil && len(log) == n {
			err = r.corrupt(fmt.Errorf("more than %d commits", n))
		}
		if err != nil {
			return nil, err
		}
		c, err := history.ParseCommit(b)
		if err != nil {
			return nil, err
		}
		log = append(log, c)
	}
}

// PackBody returns the body of POST /v1/packs.
func PackBody(p history.Pack, data []byte) *Body {
	b := new(Body)
	b.Add(toJSON(packCall{After: HexID(p.After), Upto: HexID(p.Upto)}))
	b.Add(data)
	return b
}

// ReadPack reads the result of PackBody, with a stone of at most maxStone bytes.
func ReadPack(r *RecordReader, maxStone int64) (history.Pack, history.Stone, error) {
	var call packCall
	if err := r.json(&call); err != nil {
		return history.Pack{}, history.Stone{}, err
	}
	data, err := r.Required(maxStone)
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return history.Pack{}, history.Stone{}, err
	}
	s := history.Stone{ID: sha256.Sum256(data), Data: data}
	ref := history.StoneRef{ID: s.ID, Size: int64(len(data))}
	return history.Pack{After: history.ID(call.After), Upto: history.ID(call.Upto), Stone: ref}, s, nil
}

// json reads a record of JSON. It ignores unknown fields.
func (r *RecordReader) json(to any) error {
	heading, err := r.Required(MaxHeading)
	if err != nil {
		return err
	}
	if n := bytes.Count(heading, []byte("{")); n > maxLayers+1 {
		return r.corrupt(fmt.Errorf("%d objects of JSON", n)) // they are larger in memory
	}
	if err := json.Unmarshal(heading, to); err != nil {
		return r.corrupt(err)
	}
	return nil
}

// Package archive makes, checks, reads and writes the archives of worlds: history.Archive.
// The bytes of one are in store/history/FORMAT.md.
package archive

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// New returns the Archive of a world from the commits of its log, newest
// first. Stores call it. commit and pack return a commit, and the pack for it, but commit returns
// ErrNoCommit for a commit that was collected because a pack replaces it.
func New(m history.Outline, log []history.ID, commit func(history.ID) (history.Commit, error), pack func(history.ID) (history.Pack, bool, error)) (history.Archive, error) {
	a := history.Archive{Name: m.Name, Deleted: m.Deleted, Head: m.Head, Log: log}
	ids := make(map[history.ID]int) // of commits in a.Commits; -1 for one that was collected
	for _, at := range log {
		for at != (history.ID{}) {
			if _, seen := ids[at]; seen {
				break
			}
			p, packed, err := pack(at)
			if err != nil {
				return a, err
			}
			c, err := commit(at)
			switch {
			case err == nil:
				ids[at] = len(a.Commits)
				a.Commits = append(a.Commits, c)
			case packed && errors.Is(err, history.ErrNoCommit):
				ids[at] = -1
			default:
				return a, err
			}
			if at = c.Base; packed {
				a.Packs = append(a.Packs, p)
				at = p.After
			}
		}
	}
	sort(&a)
	return a, Check(&a)
}

// sort puts commits and packs in their order.
func sort(a *history.Archive) {
	ids := make(map[history.ID]history.Commit, len(a.Commits))
	order := make([]history.ID, len(a.Commits))
	for i, c := range a.Commits {
		order[i] = c.ID()
		ids[order[i]] = c
	}
	slices.SortFunc(order, func(x, y history.ID) int {
		return cmp.Or(cmp.Compare(ids[x].Number, ids[y].Number), bytes.Compare(x[:], y[:]))
	})
	for i, id := range order {
		a.Commits[i] = ids[id]
	}
	slices.SortFunc(a.Packs, func(p, q history.Pack) int { return bytes.Compare(p.Upto[:], q.Upto[:]) })
}

// inOrder returns where the commits are, or an error unless commits and packs are in their
// order, each once.
func inOrder(a *history.Archive) (commits map[history.ID]int, err error) {
	commits = make(map[history.ID]int, len(a.Commits))
	var before history.ID
	for i, c := range a.Commits {
		id := c.ID()
		if i > 0 && cmp.Or(cmp.Compare(a.Commits[i-1].Number, c.Number), bytes.Compare(before[:], id[:])) >= 0 {
			return nil, fmt.Errorf("commit %v is out of order", id)
		}
		before, commits[id] = id, i
	}
	for i := range a.Packs {
		if i > 0 && bytes.Compare(a.Packs[i-1].Upto[:], a.Packs[i].Upto[:]) >= 0 {
			return nil, fmt.Errorf("pack of %v is out of order", a.Packs[i].Upto)
		}
	}
	return commits, nil
}

// packsAt returns where the packs are.
func packsAt(a *history.Archive) map[history.ID]int {
	at := make(map[history.ID]int, len(a.Packs))
	for i := range a.Packs {
		at[a.Packs[i].Upto] = i
	}
	return at
}

// Check returns an error unless the Archive is whole: the head is the newest commit
// of the log, the numbers of the log descend, each commit of the log is there, and
// so is everything that the stacks of these commits consist of, and nothing else.
func Check(a *history.Archive) error {
	if err := history.CheckName(a.Name); err != nil {
		return err
	}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("archive of %q: "+format, append([]any{a.Name}, args...)...)
	}
	if len(a.Log) == 0 && a.Head.Commit != (history.ID{}) || len(a.Log) > 0 && a.Head.Commit != a.Log[0] {
		return wrong("the head %v is not the newest of the log", a.Head.Commit)
	}
	if a.Head.Fence >= history.Force/2 {
		return wrong("fence %d", a.Head.Fence)
	}
	if len(a.Log) > len(a.Commits) {
		return wrong("%d entries in the log, %d commits", len(a.Log), len(a.Commits))
	}
	commits, err := inOrder(a)
	if err != nil {
		return wrong("%w", err)
	}
	packs := packsAt(a)
	seen := make(map[history.ID]int) // in which walk
	used := 0
	var number uint64
	for n, at := range a.Log {
		i, ok := commits[at]
		if !ok {
			return wrong("commit %v of the log: %w", at, history.ErrNoCommit)
		}
		if n > 0 && a.Commits[i].Number >= number {
			return wrong("the numbers of the log do not descend")
		}
		number = a.Commits[i].Number
		for at != (history.ID{}) {
			if walk := seen[at]; walk > 0 {
				if walk == n+1 {
					return wrong("the packs go round in a circle at commit %v", at)
				}
				break
			}
			seen[at] = n + 1
			i, ok := commits[at]
			if ok {
				used++
			}
			if p, packed := packs[at]; packed {
				used++
				at = a.Packs[p].After
			} else if ok {
				at = a.Commits[i].Base
			} else {
				return wrong("commit %v of a stack: %w", at, history.ErrNoCommit)
			}
		}
	}
	if used != len(a.Commits)+len(a.Packs) {
		return wrong("%d commits and packs that the log does not lead to", len(a.Commits)+len(a.Packs)-used)
	}
	return nil
}

// Stones returns the stones that the stacks of the log's commits consist of, each
// once. A commit with a pack needs no stones of its own.
func Stones(a *history.Archive) []history.StoneRef {
	packs := packsAt(a)
	var out []history.StoneRef
	seen := make(map[stone.ID]struct{})
	add := func(ref history.StoneRef) {
		if _, had := seen[ref.ID]; !had {
			seen[ref.ID] = struct{}{}
			out = append(out, ref)
		}
	}
	for _, c := range a.Commits {
		if len(packs) > 0 {
			if _, packed := packs[c.ID()]; packed {
				continue
			}
		}
		for _, ref := range c.Stones {
			add(ref)
		}
	}
	for _, p := range a.Packs {
		add(p.Stone)
	}
	return out
}

// Sum returns the Sum of the world.
func Sum(a *history.Archive) history.Sum {
	packs := packsAt(a)
	var h Summer
	for _, at := range slices.Backward(a.Log) {
		if i, ok := packs[at]; ok {
			h.Add(at, &a.Packs[i])
		} else {
			h.Add(at, nil)
		}
	}
	return h.Sum()
}

// Summer computes a history.Sum. The zero value is that of a world without commits.
type Summer struct{ buf []byte }

// Add adds a commit of the log, oldest first, with the pack for it, which may be
// nil.
func (h *Summer) Add(at history.ID, p *history.Pack) {
	h.buf = append(h.buf, at[:]...)
	if p != nil {
		h.buf = append(append(append(h.buf, 1), p.After[:]...), p.Stone.ID[:]...)
	} else {
		h.buf = append(h.buf, 0)
	}
}

// Sum returns the Sum of what was added.
func (h *Summer) Sum() history.Sum {
	sum := sha256.Sum256(h.buf)
	return history.Sum(sum[:16])
}

const archiveVersion = 1

// Append appends the bytes of the Archive to dst. store/history/FORMAT.md describes them.
func Append(dst []byte, a *history.Archive) []byte {
	commits := make(map[history.ID]int, len(a.Commits))
	for i := range a.Commits {
		commits[a.Commits[i].ID()] = i
	}
	dst = append(dst, archiveVersion)
	dst = binary.AppendUvarint(dst, uint64(len(a.Name)))
	dst = append(dst, a.Name...)
	var deleted int64
	if !a.Deleted.IsZero() {
		deleted = a.Deleted.UnixMilli()
	}
	dst = binary.AppendVarint(dst, deleted)
	dst = binary.AppendUvarint(dst, a.Head.Fence)
	dst = binary.AppendUvarint(dst, uint64(len(a.Commits)))
	for _, c := range a.Commits {
		b := c.Append(nil)
		dst = binary.AppendUvarint(dst, uint64(len(b)))
		dst = append(dst, b...)
	}
	dst = binary.AppendUvarint(dst, uint64(len(a.Log)))
	for _, at := range a.Log {
		dst = binary.AppendUvarint(dst, uint64(commits[at]))
	}
	dst = binary.AppendUvarint(dst, uint64(len(a.Packs)))
	for _, p := range a.Packs {
		dst = append(append(append(dst, p.Upto[:]...), p.After[:]...), p.Stone.ID[:]...)
		dst = binary.AppendUvarint(dst, uint64(p.Stone.Size))
	}
	return dst
}

// Parse is the inverse of Append. It checks the Archive. Errors about the
// bytes are *stone.CorruptError.
func Parse(b []byte) (history.Archive, error) {
	p := cursor.New(b, "archive")
	var a history.Archive
	if v := p.Byte(); v != archiveVersion {
		p.Fail(fmt.Errorf("version %d: want %d", v, archiveVersion))
	}
	a.Name = string(p.Bytes(p.AtMost(history.MaxParts * (history.MaxPart + 1))))
	if deleted := p.Varint(); deleted != 0 {
		a.Deleted = time.UnixMilli(deleted).UTC()
	}
	a.Head.Fence = p.Uvarint()
	for n := p.Count(1, math.MaxInt); n > 0 && p.Err() == nil; n-- {
		commit := p.Bytes(p.Count(1, math.MaxInt))
		c, err := history.ParseCommit(commit)
		if err != nil {
			p.Fail(err)
		}
		a.Commits = append(a.Commits, c)
	}
	for n := p.Count(1, math.MaxInt); n > 0 && p.Err() == nil; n-- {
		i := p.Uvarint()
		if i >= uint64(len(a.Commits)) {
			p.Fail(fmt.Errorf("log: commit %d of %d", i, len(a.Commits)))
			break
		}
		a.Log = append(a.Log, a.Commits[i].ID())
	}
	for n := p.Count(1, math.MaxInt); n > 0 && p.Err() == nil; n-- {
		var pack history.Pack
		copy(pack.Upto[:], p.Bytes(len(pack.Upto)))
		copy(pack.After[:], p.Bytes(len(pack.After)))
		copy(pack.Stone.ID[:], p.Bytes(len(pack.Stone.ID)))
		pack.Stone.Size = int64(p.Uvarint())
		a.Packs = append(a.Packs, pack)
	}
	if len(a.Log) > 0 {
		a.Head.Commit = a.Log[0]
	}
	err := p.End()
	if err == nil {
		err = Check(&a)
		if err == nil && !bytes.Equal(Append(nil, &a), b) {
			err = errors.New("not in its shortest form")
		}
		if err != nil {
			err = &stone.CorruptError{Part: "archive", Err: err}
		}
	}
	if err != nil {
		return history.Archive{}, err
	}
	return a, nil
}

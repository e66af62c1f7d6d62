package history

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/stone"
)

// Archive is a world with its whole history, as it was at one moment, without the
// bytes of its stones and without its lease. Another Store can take it in: commits
// have the same IDs, numbers and times there.
type Archive struct {
	Name    string
	Deleted time.Time // when the world was deleted, in UTC; zero if it was not
	Head    Head
	Log     []ID     // the commits of the log, newest first; the first is the head
	Commits []Commit // what the log leads to, in ascending order of numbers and IDs
	Packs   []Pack   // those that the log leads to, in ascending order of Upto
}

// An Outline is what a Store knows of a world without reading its history.
type Outline struct {
	World   uint64 // the Store's number of the world, which stays when it is renamed
	Name    string
	Deleted time.Time // as in Archive
	Head    Head
	Sum     Sum
}

// Sum is a hash of a world's log, and of the packs for commits in the log. Two
// worlds with the same Sum have the same versions, in any two Stores.
type Sum [16]byte

// An Archiver gives out and takes in whole worlds, for backups and migrations. A
// Store may be an Archiver.
type Archiver interface {
	ArchiveReader
	ArchiveWriter
}

// ArchiveReader gives out whole worlds.
type ArchiveReader interface {
	// Identity returns a text that no other Store has. Only those who can read all
	// worlds may know it.
	Identity(ctx context.Context) (string, error)
	// Outlines calls what for all worlds at one moment, in ascending order of names;
	// worlds that were deleted and can be restored come after the others. It stops
	// when what returns an error.
	Outlines(ctx context.Context, what func(Outline) error) error
	// Archive returns the world with the number m.World as it is at one moment. Its
	// name is that of the Outline. If the number is 0, it is the world that has the
	// name. The error is ErrNoWorld if the world is gone.
	Archive(ctx context.Context, m Outline) (Archive, error)
	// ReadStone returns a stone. The caller calls release when it has read the
	// bytes. It does not compare them with the ID. The error is ErrGone if there is
	// no such stone.
	ReadStone(ctx context.Context, id stone.ID) (s Stone, release func() error, err error)
}

// ArchiveWriter takes in whole worlds.
type ArchiveWriter interface {
	// Lacks returns those of the stones that the Store does not have.
	Lacks(ctx context.Context, stones []StoneRef) ([]StoneRef, error)
	// Give stores stones that no world names yet. They are condemned, so Adopt must
	// name them before their grace ends.
	Give(ctx context.Context, stones ...Stone) error
	// Adopt makes a world equal to a, in one step. It makes the world if there is
	// none of that name; otherwise the world's head must be base.Commit, else the
	// error is ErrConflict, and base.Fence is the caller's fence. Under the number of
	// a lease, the lease continues with the new fence; otherwise Adopt ends it. The
	// new fence is at least a.Head.Fence, and above the fence before. If a is deleted, Adopt makes one more deleted world of that name, and
	// base does not count. The error is ErrGone if the Store lacks a stone.
	Adopt(ctx context.Context, a Archive, base Head) error
}

// NewArchive returns the Archive of a world from the commits of its log, newest
// first. Stores call it. commit and pack are as in StackOf, but commit returns
// ErrNoCommit for a commit that was collected because a pack replaces it.
func NewArchive(m Outline, log []ID, commit func(ID) (Commit, error), pack func(ID) (Pack, bool, error)) (Archive, error) {
	a := Archive{Name: m.Name, Deleted: m.Deleted, Head: m.Head, Log: log}
	ids := make(map[ID]int) // of commits in a.Commits; -1 for one that was collected
	for _, at := range log {
		for at != (ID{}) {
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
			case packed && errors.Is(err, ErrNoCommit):
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
	a.sort()
	return a, a.Check()
}

// sort puts commits and packs in their order.
func (a *Archive) sort() {
	ids := make(map[ID]Commit, len(a.Commits))
	order := make([]ID, len(a.Commits))
	for i, c := range a.Commits {
		order[i] = c.ID()
		ids[order[i]] = c
	}
	slices.SortFunc(order, func(x, y ID) int {
		return cmp.Or(cmp.Compare(ids[x].Number, ids[y].Number), bytes.Compare(x[:], y[:]))
	})
	for i, id := range order {
		a.Commits[i] = ids[id]
	}
	slices.SortFunc(a.Packs, func(p, q Pack) int { return bytes.Compare(p.Upto[:], q.Upto[:]) })
}

// inOrder returns an error unless commits and packs are in their order, each once.
func (a *Archive) inOrder() error {
	var before ID
	for i, c := range a.Commits {
		id := c.ID()
		if i > 0 && cmp.Or(cmp.Compare(a.Commits[i-1].Number, c.Number), bytes.Compare(before[:], id[:])) >= 0 {
			return fmt.Errorf("commit %v is out of order", id)
		}
		before = id
	}
	for i := range a.Packs {
		if i > 0 && bytes.Compare(a.Packs[i-1].Upto[:], a.Packs[i].Upto[:]) >= 0 {
			return fmt.Errorf("pack of %v is out of order", a.Packs[i].Upto)
		}
	}
	return nil
}

// index returns where commits and packs are.
func (a *Archive) index() (commits map[ID]int, packs map[ID]int) {
	commits, packs = make(map[ID]int, len(a.Commits)), make(map[ID]int, len(a.Packs))
	for i, c := range a.Commits {
		commits[c.ID()] = i
	}
	for i, p := range a.Packs {
		packs[p.Upto] = i
	}
	return commits, packs
}

// Check returns an error unless the Archive is whole: the head is the newest commit
// of the log, the numbers of the log descend, each commit of the log is there, and
// so is everything that the stacks of these commits consist of, and nothing else.
func (a *Archive) Check() error {
	if err := CheckName(a.Name); err != nil {
		return err
	}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("history: archive of %q: "+format, append([]any{a.Name}, args...)...)
	}
	if len(a.Log) == 0 && a.Head.Commit != (ID{}) || len(a.Log) > 0 && a.Head.Commit != a.Log[0] {
		return wrong("the head %v is not the newest of the log", a.Head.Commit)
	}
	if a.Head.Fence >= Force/2 {
		return wrong("fence %d", a.Head.Fence)
	}
	if len(a.Log) > len(a.Commits) {
		return wrong("%d entries in the log, %d commits", len(a.Log), len(a.Commits))
	}
	commits, packs := a.index()
	if err := a.inOrder(); err != nil {
		return wrong("%w", err)
	}
	seen := make(map[ID]int) // in which walk
	used := 0
	var number uint64
	for n, at := range a.Log {
		i, ok := commits[at]
		if !ok {
			return wrong("commit %v of the log: %w", at, ErrNoCommit)
		}
		if n > 0 && a.Commits[i].Number >= number {
			return wrong("the numbers of the log do not descend")
		}
		number = a.Commits[i].Number
		for at != (ID{}) {
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
				return wrong("commit %v of a stack: %w", at, ErrNoCommit)
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
func (a *Archive) Stones() []StoneRef {
	_, packs := a.index()
	var out []StoneRef
	seen := make(map[stone.ID]struct{})
	add := func(ref StoneRef) {
		if _, had := seen[ref.ID]; !had {
			seen[ref.ID] = struct{}{}
			out = append(out, ref)
		}
	}
	for _, c := range a.Commits {
		if _, packed := packs[c.ID()]; packed {
			continue
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
func (a *Archive) Sum() Sum {
	_, packs := a.index()
	h := NewSummer()
	for _, at := range slices.Backward(a.Log) {
		if i, ok := packs[at]; ok {
			h.Add(at, &a.Packs[i])
		} else {
			h.Add(at, nil)
		}
	}
	return h.Sum()
}

// Summer computes a Sum.
type Summer struct{ buf []byte }

// NewSummer returns the Summer of a world without commits.
func NewSummer() *Summer { return new(Summer) }

// Add adds a commit of the log, oldest first, with the pack for it, which may be
// nil.
func (h *Summer) Add(at ID, p *Pack) {
	h.buf = append(h.buf, at[:]...)
	if p != nil {
		h.buf = append(append(append(h.buf, 1), p.After[:]...), p.Stone.ID[:]...)
	} else {
		h.buf = append(h.buf, 0)
	}
}

// Sum returns the Sum of what was added.
func (h *Summer) Sum() Sum {
	sum := sha256.Sum256(h.buf)
	return Sum(sum[:16])
}

const archiveVersion = 1

// Append appends the bytes of the Archive to dst. FORMAT.md describes them.
func (a *Archive) Append(dst []byte) []byte {
	commits, _ := a.index()
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

// ParseArchive is the inverse of Append. It checks the Archive. Errors about the
// bytes are *stone.CorruptError.
func ParseArchive(b []byte) (Archive, error) {
	p := cursor.New(b, "archive")
	var a Archive
	if v := p.Byte(); v != archiveVersion {
		p.Fail(fmt.Errorf("version %d: want %d", v, archiveVersion))
	}
	a.Name = string(p.Bytes(p.AtMost(MaxParts * (MaxPart + 1))))
	if deleted := p.Varint(); deleted != 0 {
		a.Deleted = time.UnixMilli(deleted).UTC()
	}
	a.Head.Fence = p.Uvarint()
	for n := p.Count(1, math.MaxInt); n > 0 && p.Err() == nil; n-- {
		commit := p.Bytes(p.Count(1, math.MaxInt))
		c, err := ParseCommit(commit)
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
		var pack Pack
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
		err = a.Check()
		if err == nil && !bytes.Equal(a.Append(nil), b) {
			err = errors.New("not in its shortest form")
		}
		if err != nil {
			err = &stone.CorruptError{Part: "archive", Err: err}
		}
	}
	if err != nil {
		return Archive{}, err
	}
	return a, nil
}

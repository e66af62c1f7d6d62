package anvil

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/retry"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// A folder that a game is writing is read without the game's help. A chunk is read like this: its
// line of the header, its bytes, the line again. If the line is another one then, or the checksum of
// the bytes is wrong, they are read again. So a chunk is as it was at one moment, or it is torn.

const (
	// liveTries is how often what a game changed meanwhile is read.
	liveTries = 5
	// livePause is the first pause before the next try; each is four times as long as the one before.
	livePause = time.Millisecond
	// livePatience bounds the pauses of a Read, so that many damaged chunks do not hold it up.
	livePatience = 2 * time.Second
	// liveFiles is how many bytes of files a Read holds, so that they are of its beginning. Larger ones are
	// read when they are stored.
	liveFiles = 64 << 20
)

// Torn is what could not be read whole of a folder that a game is writing.
type Torn struct {
	Columns map[string]map[geom.ColumnPos]bool // by dimension
	Files   map[string]bool
	Why     []format.Damage // of both
}

var errMoved = errors.New("the game wrote it meanwhile")

// temporary matches the names of files that a game will rename.
var temporary = regexp.MustCompile(`(\.tmp|\.dat_new|\.wip|^level\d+\.dat|^[0-9a-fA-F-]{36}-\d+\.dat)$`)

// pause waits before the next try. It reports false when there is to be none.
func (r *reading) pause(ctx context.Context, try int) bool {
	if try == liveTries-1 {
		return false
	}
	d := livePause << (2 * try)
	if r.waited += d; r.waited > livePatience {
		return true // without a pause
	}
	return retry.Wait(ctx, d)
}

// liveDocument is document in a folder that a game is writing. There is no document if the game took
// the chunk away.
func (r *reading) liveDocument(ctx context.Context, g *region, kind, slot int) (doc []byte, stored int, err error) {
	for try := 0; ; try++ {
		if g.absent(slot) {
			return nil, 0, nil
		}
		doc, stored, err = r.document(g, kind, slot)
		if err == nil && len(r.stored) > 4 && !sealedByGame(r.stored[4]) {
			err = r.readTwice(g, slot)
		}
		if err == nil {
			err = checkPlace(doc, kind, g.pos(slot))
		}
		moved, failed := g.renew(slot)
		switch {
		case failed != nil:
			return nil, 0, failed
		case moved:
			err = errMoved
		case err == nil:
			return doc, stored, nil
		}
		if !r.pause(ctx, try) {
			break
		}
	}
	if errors.Is(err, errOverlap) {
		return doc, stored, nil // for long: so it is what the folder says
	}
	return nil, 0, err
}

// sealedByGame reports whether bytes of a type of compression have a checksum.
func sealedByGame(kind byte) bool {
	kind &^= typeExternal
	return kind == typeGzip || kind == typeZlib || kind == typeLZ4
}

// readTwice fails if the bytes of a chunk without a checksum are not the same when they are read again.
func (r *reading) readTwice(g *region, slot int) error {
	again, err := g.stored(slot, nil)
	if err == nil && !bytes.Equal(again, r.stored) {
		err = errMoved
	}
	return err
}

// renew reads the line of a slot in the header again, and reports whether it has changed.
func (g *region) renew(slot int) (moved bool, err error) {
	if g.linear != nil {
		return false, nil // servers replace such a file as a whole
	}
	var line [8]byte
	for i, at := range []int{4 * slot, sector + 4*slot} {
		if _, err := g.src.ReadAt(line[4*i:4*i+4], int64(at)); err != nil {
			return false, fmt.Errorf("header: %w", noEOF(err))
		}
	}
	place, stamp := slotOf(&g.head, slot)
	if binary.BigEndian.Uint32(line[:]) == place && binary.BigEndian.Uint32(line[4:]) == stamp {
		return false, nil
	}
	copy(g.head[4*slot:4*slot+4], line[:4])
	copy(g.head[sector+4*slot:sector+4*slot+4], line[4:])
	copy(g.now.head[4*slot:4*slot+4], line[:4])
	copy(g.now.head[sector+4*slot:sector+4*slot+4], line[4:])
	g.overlap[slot] = true // perhaps; so nothing of it is left out the next time
	if f, ok := g.file.(fs.File); ok {
		info, err := f.Stat()
		if err != nil {
			return true, err
		}
		g.size = max(g.size, info.Size())
	}
	return true, nil
}

// tear leaves a column out, since g's part of it is torn.
func (r *reading) tear(open *[kinds]*region, g *region, slot int, err error) {
	pos, t := g.pos(slot), &r.w.torn
	if t.Columns[r.dim.name] == nil {
		t.Columns[r.dim.name] = map[geom.ColumnPos]bool{}
	}
	t.Columns[r.dim.name][pos] = true
	t.Why = append(t.Why, format.Damage{File: g.path, Pos: pos, Err: err})
	delete(r.w.changed[r.dim.name], pos)
	for _, g := range open {
		if g != nil {
			g.now.seals[slot] = 0
		}
	}
}

// Untouched reports whether the last Read found all columns and files as Since says, and no others.
func (w *Folder) Untouched() bool {
	if w.known == nil || len(w.torn.Why) > 0 || len(w.sameFiles) != len(w.known.files) || len(w.sameFiles) != w.stats.Files {
		return false
	}
	for _, at := range w.changed {
		if len(at) > 0 {
			return false
		}
	}
	return true
}

// Torn returns what the last Read of a live folder left out, since it could not be read whole.
func (w *Folder) Torn() Torn { return w.torn }

// settle makes what walk found what is there for longer than a moment: it leaves out files that a game
// will rename, and finds those that are missing between two renames.
func (w *Folder) settle() {
	w.files = slices.DeleteFunc(w.files, func(f file) bool { return temporary.MatchString(path.Base(f.path)) })
	missing := map[string]bool{}
	for _, f := range w.files {
		if name, ok := strings.CutSuffix(f.path, "_old"); ok {
			missing[name] = true
		}
	}
	for _, f := range w.files {
		delete(missing, f.path)
	}
	for try := 0; try < liveTries && len(missing) > 0; try++ { // all wait together: some are missing for good
		if try > 0 {
			time.Sleep(livePause << try)
		}
		for name := range missing {
			if info, err := fs.Stat(w.fsys, name); err == nil && info.Mode().IsRegular() {
				w.files = append(w.files, file{name, info.Size(), name, info.ModTime().UnixNano()})
				delete(missing, name)
			}
		}
	}
	slices.SortFunc(w.files, func(a, b file) int { return strings.Compare(a.path, b.path) })
}

// isExternal reports whether a file may be the payload of a chunk.
func isExternal(name string) bool { return path.Ext(name) == ".mcc" }

// liveFile hands on a file as it was at one moment.
func (r *reading) liveFile(ctx context.Context, f file) error {
	if r.sameFile(f) || r.held+f.size > liveFiles {
		return r.file(f)
	}
	data, err := r.whole(ctx, f)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // it was taken away
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		r.w.torn.Files[f.path] = true
		r.w.torn.Why = append(r.w.torn.Why, format.Damage{File: f.path, Err: err})
		delete(r.w.headers.files, f.path)
		return nil
	}
	r.held += int64(len(data))
	r.w.stats.Files++
	return r.sink.File(format.FileOf(f.path, data))
}

// whole reads a file. A file that was written within the last moments is read until it stays the same; if it
// is one of NBT, its checksum is to be right then.
func (r *reading) whole(ctx context.Context, f file) (data []byte, err error) {
	for try := 0; ; try++ {
		var young bool
		data, young, err = r.once(f)
		if err == nil && young {
			err = r.settled(ctx, f, data)
		}
		if err == nil || !r.pause(ctx, try) {
			return data, err
		}
	}
}

// once reads a file, and reports whether the game may be writing it.
func (r *reading) once(f file) (data []byte, young bool, err error) {
	in, err := r.w.fsys.Open(f.path)
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	before, err := in.Stat()
	if err != nil {
		return nil, false, err
	}
	if data, err = io.ReadAll(io.LimitReader(in, liveFiles)); err != nil {
		return nil, false, err
	}
	after, err := in.Stat()
	if err == nil && (!before.ModTime().Equal(after.ModTime()) || int64(len(data)) != after.Size()) {
		err = errMoved
	}
	if err != nil {
		return nil, false, err
	}
	seen := fileSeen{after.Size(), after.ModTime().UnixNano()}
	if young = seen.modified/1e9+settled >= r.w.now; !young {
		r.w.headers.files[f.path] = seen
	}
	return data, young, nil
}

// settled fails if a file that was just written is not complete, or changes within a moment.
func (r *reading) settled(ctx context.Context, f file, data []byte) error {
	if packed, ok := complete(data); !ok {
		return errors.New("it is cut, or the game is writing it")
	} else if packed {
		return nil
	}
	if !r.pause(ctx, 1) {
		return ctx.Err()
	}
	again, _, err := r.once(f)
	if err == nil && !bytes.Equal(data, again) {
		err = errMoved
	}
	return err
}

// complete reports whether a file that was just written may be all there: it is not empty, and if it is packed
// its checksum is right.
func complete(data []byte) (packed, ok bool) {
	if len(data) < 2 || data[0] != 0x1F || data[1] != 0x8B {
		return false, len(data) > 0
	}
	var f inflater
	_, rest, err := f.inflate(nil, typeGzip, data)
	return true, err == nil && rest == 0
}

// sameFile reports whether a file is as it was, by its size and time.
func (r *reading) sameFile(f file) bool {
	if r.w.known == nil {
		return false
	}
	seen, ok := r.w.known.files[f.path]
	if ok = ok && f.modified != 0 && seen == (fileSeen{f.size, f.modified}); ok {
		r.w.headers.files[f.path] = seen
	}
	return ok
}

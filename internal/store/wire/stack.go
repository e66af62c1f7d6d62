package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// stack is the first record of the answer of GET /v1/stack: the stones of a commit,
// bottom first.
type stack struct {
	At     HexID   `json:"at"`
	Layers []layer `json:"layers"`
}

type layer struct {
	Stone  HexID `json:"stone"`
	Size   int64 `json:"size"`
	After  HexID `json:"after"`
	Upto   HexID `json:"upto"`
	Inline bool  `json:"inline"` // its bytes are a record of this answer
}

// StackBody returns the answer of GET /v1/stack: a stack and the Data in f. Nobody
// may change Data while the Body is in use.
func StackBody(f history.Fetched) *Body {
	heading := appendStack(make([]byte, 0, 128+layerBytes*len(f.Layers)), f)
	room := len(heading) + binary.MaxVarintLen64
	for _, data := range f.Data {
		if len(data) <= copied {
			room += len(data) + binary.MaxVarintLen64
		}
	}
	b := &Body{tail: make([]byte, 0, room)}
	b.Add(heading)
	sent := make(map[stone.ID]bool)
	for i, data := range f.Data {
		if id := f.Layers[i].Stone.ID; data != nil && !sent[id] {
			sent[id] = true
			b.Add(data)
		}
	}
	return b
}

// layerBytes is about the length of a layer in JSON.
const layerBytes = 280

// appendStack appends what encoding/json would write for the stack. It is faster,
// and loads are frequent.
func appendStack(b []byte, f history.Fetched) []byte {
	b = append(b, `{"at":"`...)
	b = appendID(b, f.Head.Commit)
	b = append(b, `","layers":[`...)
	for i, l := range f.Layers {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"stone":"`...)
		b = appendID(b, history.ID(l.Stone.ID))
		b = append(b, `","size":`...)
		b = strconv.AppendInt(b, l.Stone.Size, 10)
		b = append(b, `,"after":"`...)
		b = appendID(b, l.After)
		b = append(b, `","upto":"`...)
		b = appendID(b, l.Upto)
		b = append(b, `","inline":`...)
		b = strconv.AppendBool(b, f.Data[i] != nil)
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

func appendID(b []byte, id history.ID) []byte {
	if id == (history.ID{}) {
		return b
	}
	return hex.AppendEncode(b, id[:])
}

// ReadStack reads the result of StackBody, with at most room bytes of stones. It
// checks the bytes of the stones against their IDs. It sets only the Commit of the
// Head.
func ReadStack(r *RecordReader, room int64) (history.Fetched, error) {
	var s stack
	if err := r.json(&s); err != nil {
		return history.Fetched{}, err
	}
	f := history.Fetched{Head: history.Head{Commit: history.ID(s.At)}, Data: make([][]byte, len(s.Layers))}
	seen := make(map[HexID][]byte)
	for i, l := range s.Layers {
		if l.Stone == (HexID{}) || l.Upto == (HexID{}) || l.Size < 0 {
			return history.Fetched{}, r.corrupt(errors.New("a layer without stone, size or upto"))
		}
		data := seen[l.Stone]
		if l.Inline && data == nil {
			var err error
			if data, err = r.Required(min(l.Size, room)); err == nil {
				err = CheckStone(stone.ID(l.Stone), data)
			}
			if err != nil {
				return history.Fetched{}, err
			}
			room -= l.Size
			seen[l.Stone] = data
		}
		if l.Inline && int64(len(data)) != l.Size {
			return history.Fetched{}, r.corrupt(fmt.Errorf("stone %v: %d bytes: want %d", stone.ID(l.Stone), len(data), l.Size))
		}
		if l.Inline {
			f.Data[i] = data
		}
		ref := history.StoneRef{ID: stone.ID(l.Stone), Size: l.Size}
		f.Layers = append(f.Layers, history.Layer{Stone: ref, After: history.ID(l.After), Upto: history.ID(l.Upto)})
	}
	return f, r.End()
}

// CheckStone returns an error unless id is the hash of data.
func CheckStone(id stone.ID, data []byte) error {
	if got := stone.ID(sha256.Sum256(data)); got != id {
		return &stone.CorruptError{Part: "stone", Err: fmt.Errorf("%v came for %v", got, id)}
	}
	return nil
}

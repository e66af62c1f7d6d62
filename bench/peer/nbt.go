package peer

import (
	"bytes"
	"runtime"
	"time"

	tnze "github.com/Tnze/go-mc/nbt"
	sandertv "github.com/sandertv/gophertunnel/minecraft/nbt"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// NBT says how fast one library takes chunks' documents to values and back.
type NBT struct {
	Peer      string  `json:"peer"`
	Documents int     `json:"documents"` // decoded, and encoded if it encodes
	Refused   int     `json:"refused"`   // documents it could not do; they do not count below
	Bytes     int64   `json:"bytes"`     // of the documents
	Decode    float64 `json:"decode_mb_s"`
	Encode    float64 `json:"encode_mb_s"` // of the same documents; 0 if it does not encode
	// Identical counts documents that came back with the same bytes.
	Identical int `json:"identical"`

	decoding, encoding time.Duration
}

// codec is a library's way from bytes to values and back.
type codec struct {
	name   string
	decode func(doc []byte) (any, error)
	encode func(v any) ([]byte, error) // nil if it does not encode
}

// tree is what ours decodes to.
type tree struct {
	name  string
	value nbt.Value
}

func codecs() []codec {
	return []codec{
		{"cairn tokens", walk, nil},
		{"cairn tree", decodeOurs, encodeOurs},
		{"go-mc any", decodeTnze, encodeTnze},
		{"gophertunnel map", decodeSandertv, encodeSandertv},
	}
}

// walk reads every token of a document.
func walk(doc []byte) (any, error) {
	r := nbt.NewReader(doc, nbt.Limits{})
	t, _ := r.Root()
	r.Skip(t)
	return nil, r.Err()
}

func decodeOurs(doc []byte) (any, error) {
	name, v, err := nbt.Parse(doc, nbt.Limits{})
	return tree{name, v}, err
}

func encodeOurs(v any) ([]byte, error) {
	t := v.(tree)
	return nbt.Append(nil, t.name, t.value), nil
}

func decodeTnze(doc []byte) (v any, err error) {
	err = tnze.Unmarshal(doc, &v)
	return v, err
}

func encodeTnze(v any) ([]byte, error) { return tnze.Marshal(v) }

func decodeSandertv(doc []byte) (any, error) {
	var m map[string]any
	err := sandertv.UnmarshalEncoding(doc, &m, sandertv.BigEndian)
	return m, err
}

func encodeSandertv(v any) ([]byte, error) {
	return sandertv.MarshalEncoding(v, sandertv.BigEndian)
}

// MeasureNBT takes the chunks of all region files through all libraries, file by
// file, so that what else the machine does hits all alike. progress is called
// after each file.
func MeasureNBT(files []string, progress func(done int)) ([]NBT, error) {
	all := codecs()
	rows := make([]NBT, len(all))
	for i, file := range files {
		docs, err := documents(file)
		if err != nil {
			return nil, err
		}
		for j := range all {
			j = (i + j) % len(all)
			rows[j].measure(all[j], docs[:])
		}
		progress(i + 1)
	}
	for i := range rows {
		r := &rows[i]
		r.Peer = all[i].name
		r.Decode = perSecond(r.Bytes, r.decoding.Seconds())
		r.Encode = perSecond(r.Bytes, r.encoding.Seconds())
	}
	return rows, nil
}

func (n *NBT) measure(c codec, docs [][]byte) {
	runtime.GC()
	for _, doc := range docs {
		if doc == nil {
			continue
		}
		if !n.one(c, doc) {
			n.Refused++
			continue
		}
		n.Documents++
		n.Bytes += int64(len(doc))
	}
}

func (n *NBT) one(c codec, doc []byte) bool {
	start := time.Now()
	v, err := c.decode(doc)
	decoded := time.Now()
	if err != nil {
		return false
	}
	if c.encode != nil {
		again, err := c.encode(v)
		encoded := time.Now()
		if err != nil {
			return false
		}
		n.encoding += encoded.Sub(decoded)
		if bytes.HasPrefix(doc, again) {
			n.Identical++
		}
	}
	n.decoding += decoded.Sub(start)
	return true
}

// Package zipped compresses answers of HTTP for callers who take that.
package zipped

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"sync"
)

// Least is the least size of an answer for which compression pays.
const Least = 1 << 10

// Takes reports whether an Accept-Encoding header names gzip and does not rule it out.
func Takes(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		coding, params, _ := strings.Cut(part, ";")
		if coding = strings.TrimSpace(coding); coding == "gzip" || coding == "x-gzip" {
			return strings.Trim(strings.ReplaceAll(params, " ", ""), "0.") != "q="
		}
	}
	return false
}

// writers are those of answers that are compressed once.
var writers = sync.Pool{New: func() any { return writer(gzip.BestSpeed) }}

func writer(level int) *gzip.Writer {
	w, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		panic("zipped: gzip has this level: " + err.Error())
	}
	return w
}

// Stream compresses one answer. The caller closes it.
type Stream struct{ *gzip.Writer }

// To returns a Writer to w.
func To(w io.Writer) Stream {
	z := writers.Get().(*gzip.Writer)
	z.Reset(w)
	return Stream{z}
}

// Close writes the end. The Writer is then another answer's.
func (w Stream) Close() error {
	err := w.Writer.Close()
	w.Reset(nil) // else it would keep the answer
	writers.Put(w.Writer)
	return err
}

// Kept returns data compressed well, for many answers.
func Kept(data []byte) []byte {
	var b bytes.Buffer
	w := writer(gzip.BestCompression)
	w.Reset(&b)
	_, err := w.Write(data)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("zipped: writing to memory failed: " + err.Error())
	}
	return b.Bytes()
}

package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/zipped"
	"github.com/cairnvoxel/cairn/store/history"
)

func (c *call) Header() http.Header { return c.w.Header() }

func (c *call) WriteHeader(status int) {
	if !c.sent {
		c.sent, c.status = true, status
		if time.Since(c.began) > time.Second {
			c.extend()
		}
	}
	c.w.WriteHeader(status)
}

// paceBytes is the number of bytes of an answer after which the deadline moves.
const paceBytes = 256 << 10

// Write is for http.ResponseWriter. An answer may be of any length as long as the
// caller reads it at Limits.BodyRate.
func (c *call) Write(b []byte) (int, error) {
	if !c.sent {
		c.WriteHeader(http.StatusOK)
	}
	for done := 0; ; {
		n, err := c.w.Write(b[done:min(len(b), done+paceBytes)])
		done += n
		if c.out += int64(n); c.out-c.paced >= paceBytes {
			c.extend()
		}
		if err != nil || done == len(b) {
			return done, err
		}
	}
}

func (c *call) Unwrap() http.ResponseWriter { return c.w }

// extend moves the deadline for the next part of the answer.
func (c *call) extend() {
	c.paced = c.out
	c.writeBy(time.Now().Add(c.patience(2 * paceBytes))) // part of it may still be in buffers
}

// answer sends v as JSON.
func (c *call) answer(status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.send(status, jsonType, append(b, '\n'))
}

// send sends a whole body. It returns nil, also if the caller has gone.
func (c *call) send(status int, media string, b []byte) error {
	h := c.w.Header()
	h["Content-Type"] = []string{media}
	c.secure(h)
	if len(b) >= zipped.Least && c.zips(media) {
		c.WriteHeader(status)
		_, _ = c.zip.Write(b)
		_ = c.zip.Close()
	} else {
		h["Content-Length"] = []string{strconv.Itoa(len(b))}
		c.WriteHeader(status)
		_, _ = c.Write(b)
	}
	c.step("send")
	return nil
}

// sendRecords sends a body of records.
func (c *call) sendRecords(status int, body *wire.Body) error {
	var b bytes.Buffer
	if _, err := body.WriteTo(&b); err != nil {
		return err
	}
	return c.send(status, wire.RecordsType, b.Bytes())
}

// sendRanges sends a file, or the ranges of it that the caller asks for.
func (c *call) sendRanges(media string, file io.ReadSeeker) error {
	c.w.Header()["Content-Type"] = []string{media}
	c.secure(c.w.Header())
	delete(c.r.Header, "If-Match") // in this API it names a head, not this resource
	http.ServeContent(c, c.r, "", time.Time{}, file)
	c.step("send")
	return nil
}

// part sends a part of an answer of unknown length and empties b.
func (c *call) part(media string, b *[]byte) error {
	if h := c.w.Header(); !c.sent {
		h["Content-Type"] = []string{media}
		c.secure(h)
		c.zips(media)
	}
	to := io.Writer(c)
	if c.zip != nil {
		to = c.zip
	}
	_, err := to.Write(*b)
	*b = (*b)[:0]
	return err
}

// zips begins to compress the answer if it is text and the caller takes that. An answer about a
// token is not compressed: its length would tell of what is secret beside what a caller chose.
func (c *call) zips(media string) bool {
	if media != jsonType && media != text.media || c.route != nil && c.route.secret || !zipped.Takes(c.r.Header.Get("Accept-Encoding")) {
		return false
	}
	z, h := zipped.To(c), c.w.Header()
	c.zip, h["Content-Encoding"] = &z, []string{"gzip"}
	if tag := h["Etag"]; len(tag) == 1 {
		h["Etag"] = []string{asZipped(tag[0])} // the plain form has the other
	}
	return true
}

// varyBy says that the answer depends on a header of the call.
func (c *call) varyBy(header string) {
	h := c.w.Header()
	switch had := h["Vary"]; {
	case len(had) == 0:
		h["Vary"] = []string{header}
	case !strings.Contains(had[0]+",", header+","):
		h["Vary"] = []string{had[0] + ", " + header}
	}
}

// finish sends the last part of an answer, or the whole answer if no part was sent.
func (c *call) finish(status int, media string, b []byte) error {
	if c.sent {
		err := c.part(media, &b)
		if c.zip != nil && err == nil {
			err = c.zip.Close()
		}
		return err
	}
	return c.send(status, media, b)
}

func (c *call) secure(h http.Header) {
	h["X-Content-Type-Options"] = nosniff
	if c.r.TLS != nil {
		h["Strict-Transport-Security"] = onlyTLS
	}
	if _, ok := h["Cache-Control"]; !ok {
		h["Cache-Control"] = noStore
	}
}

// Header values that answers share. Nobody changes them.
var (
	nosniff = []string{"nosniff"}
	noStore = []string{"no-store"}
	onlyTLS = []string{"max-age=31536000"} // for a year
)

// setHead sets the headers that describe a head.
func (c *call) setHead(h history.Head) {
	c.w.Header()["Etag"] = []string{etag(h.Commit)}
	c.w.Header()[wire.FenceHeader] = []string{strconv.FormatUint(h.Fence, 10)}
}

// setStale says how old the answer is, if it is not new.
func (c *call) setStale(age time.Duration) {
	if c.stale = age > 0; c.stale {
		c.w.Header()[wire.StaleHeader] = []string{strconv.FormatInt(int64((age+time.Second-1)/time.Second), 10)}
	}
}

// fail sends an error. An error whose text the caller must not see is logged under
// a number, and the answer contains the number.
func (c *call) fail(err error) {
	if errors.Is(err, context.Canceled) && c.r.Context().Err() != nil {
		return // the caller closed the connection
	}
	e := refusalOf(err)
	c.code = e.Code
	if c.sent {
		c.log.add(c, slog.LevelWarn, "an answer was cut off", err)
		panic(http.ErrAbortHandler) // the caller must not take what was sent for the whole answer
	}
	h := c.w.Header()
	clear(h)
	c.permit()
	if ours(err, e.Code) {
		h[requestHeader] = []string{c.log.add(c, slog.LevelError, "a call failed", err)}
	}
	switch e.Code {
	case wire.Busy, wire.Draining, wire.Away:
		h.Set("Retry-After", "1")
	case wire.Unauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="cairn"`)
	case wire.BadMethod:
		h.Set("Allow", c.allow)
	}
	_ = c.answer(e.Code.Status(), wire.Refusal{Error: *e}) // a Refusal always becomes JSON
}

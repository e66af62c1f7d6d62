package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// repeat says when a call may be repeated.
type repeat int

const (
	unbegun repeat = iota // only if the server surely has not begun
	always                // a repetition changes nothing
)

// call is one call of the API.
type call struct {
	what, name string // for errors
	method     string
	path       string // below /v1/
	query      string
	body       *wire.Body
	bodyType   string
	accept     string
	match      string // If-Match
	ranged     string // Range
	fence      uint64
	repeat     repeat
	saysRetry  bool // repetitions have the header RetryHeader
	endless    bool // no Options.Timeout
	stale      bool // the answer may be old, if Options.Stale allows it
	settles    bool // no other site may have a newer answer
	carries    int64
	read       func(*http.Response) error // reads the answer; it may run once for each try
}

// sendJSON makes v the body of the call.
func (c *call) sendJSON(v any) *call {
	c.body, c.bodyType = wire.JSONBody(v), wire.JSONType
	return c
}

// do makes the call until it succeeds or may not be repeated. Close waits for it.
func (s *store) do(ctx context.Context, c *call) error {
	leave, err := s.active.Enter()
	if err == nil {
		defer leave()
		err = s.tries(ctx, c)
	}
	if err != nil {
		return fmt.Errorf("client: %s %s: %w", c.what, c.name, err)
	}
	return nil
}

// failure says how a try failed.
type failure struct {
	err     error
	passing bool          // another try may succeed
	here    bool          // it is about this site: another one may answer
	busy    bool          // the server wants fewer calls: the call does not go elsewhere
	unbegun bool          // the server surely has not begun
	after   time.Duration // the server asks to wait this long
}

// tries makes the call in rounds. A round tries one site after another; before the
// next round it waits.
func (s *store) tries(ctx context.Context, c *call) error {
	start := s.o.Now()
	begun := false
	for round := 1; ; round++ {
		var last failure
		order := s.sites.order(s.o.Now())
		for i, at := range order {
			if err := ctx.Err(); err != nil {
				return err
			}
			c.settles = round > 1 || i == len(order)-1
			f := s.try(ctx, c, at, round, begun && c.saysRetry)
			if f.err == nil {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			begun = begun || !f.unbegun
			if !f.passing && !f.here || c.repeat == unbegun && !f.unbegun {
				return f.err
			}
			if last = last.join(f, i == 0); f.busy {
				break
			}
		}
		if !last.passing || round == s.o.Tries {
			return last.err
		}
		d := s.pause(round, last.after)
		if s.o.Now().Add(d).Sub(start) > s.o.Patience {
			return last.err
		}
		if err := s.o.Wait(ctx, d); err != nil {
			return fmt.Errorf("%w; the last try: %v", err, last.err)
		}
	}
}

// join returns what the failures of two sites mean for the round. The error is that of
// a site that another round may find well.
func (f failure) join(g failure, first bool) failure {
	switch {
	case first:
		return g
	case f.passing && !g.passing:
		return f
	case f.passing:
		g.after = min(f.after, g.after)
		if errors.Is(f.err, history.ErrAway) {
			g.err = f.err // says more than that another server is dead
		}
	}
	return g
}

const (
	firstPause = 50 * time.Millisecond
	maxPause   = 5 * time.Second
)

// pause returns how long to wait after a try, in addition to what the server asks
// for. It doubles each time. Half of it is random, so that many clients that failed
// together do not return together.
func (s *store) pause(try int, after time.Duration) time.Duration {
	d := min(firstPause<<min(try-1, 10), maxPause)
	return after + d/2 + time.Duration(s.o.Rand()*float64(d/2))
}

// firstAnswer is how long a site may take in the first round until it begins to
// answer a call that another site may answer too. The time doubles each round.
const firstAnswer = 6 * time.Second

// answerWithin calls give after the time that a site may take until it begins to
// answer, unless the caller calls stop before.
func (s *store) answerWithin(c *call, round int, give func()) (stop func()) {
	if len(s.sites.all) == 1 || c.repeat != always || c.endless {
		return func() {}
	}
	d := firstAnswer << min(round-1, 10)
	if c.body != nil {
		d += time.Duration(c.carries>>20) * time.Second
	}
	t := time.AfterFunc(min(d, s.o.Timeout), give)
	return func() { t.Stop() }
}

func (s *store) try(ctx context.Context, c *call, at, round int, again bool) failure {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	if !c.endless {
		limit := s.o.Timeout + time.Duration(c.carries>>20)*time.Second
		defer time.AfterFunc(limit, cancel).Stop()
	}
	begins := s.answerWithin(c, round, cancel)
	answer, err := s.o.HTTP.RoundTrip(s.request(c, at, round, again).WithContext(within))
	begins()
	if lasting := s.lasting(err, at); lasting != nil {
		s.sites.failed(at, s.o.Now())
		return failure{err: lasting, here: true, unbegun: true}
	}
	if isDial(err) && !s.met.Load() && ctx.Err() == nil {
		s.sites.failed(at, s.o.Now())
		return failure{here: true, unbegun: true, err: fmt.Errorf("no server listens at %s: start one there (cairn serve), or give another address: %w", s.sites.hosts(), err)}
	}
	if err == nil {
		s.met.Store(true)
		s.packs.Store(answer.Header.Get(wire.PacksHeader) == "yes")
		defer answer.Body.Close()
		if answer.StatusCode/100 == 2 {
			history.Answered(ctx)
			err = c.readAnswer(answer)
			s.tellStale(c, answer)
		} else if f, cut := s.refusal(answer, at); cut == nil {
			return f
		} else {
			err = cut
		}
	}
	stranger, corrupt := errors.Is(err, errAnswer), (*stone.CorruptError)(nil)
	if !stranger && (err == nil || wrong(err)) {
		s.sites.answered(at)
	} else if ctx.Err() == nil {
		s.sites.failed(at, s.o.Now())
	}
	switch {
	case err == nil:
		return failure{}
	case within.Err() != nil && ctx.Err() == nil:
		// The caller's own context has not ended, so the error must not look as if
		// it had.
		return failure{err: errors.New("the server took too long"), passing: true}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) { // not a CorruptError: the stored stone may be whole
		err = fmt.Errorf("the answer was cut off: %w", io.ErrUnexpectedEOF)
	}
	// Another site may be a server of cairn, or may have read the bytes well.
	return failure{err: err, passing: !wrong(err), here: stranger || errors.As(err, &corrupt), unbegun: isDial(err)}
}

// wrong reports whether the content of the answer is wrong, and not the connection.
func wrong(err error) bool {
	refused, corrupt := (*wire.Error)(nil), (*stone.CorruptError)(nil)
	return errors.Is(err, errAnswer) || errors.As(err, &refused) || errors.As(err, &corrupt)
}

// lasting returns an error that another try would meet too, or nil.
func (s *store) lasting(err error, at int) error {
	certificate, record, name := (*tls.CertificateVerificationError)(nil), tls.RecordHeaderError{}, (*net.DNSError)(nil)
	switch {
	case errors.As(err, &certificate):
		return fmt.Errorf("%w; $SSL_CERT_FILE may name a file of certificates to trust", err)
	case errors.As(err, &name) && name.IsNotFound:
		return err
	case errors.As(err, &record):
		return fmt.Errorf("%s does not use TLS: does its address begin with http://? %w", s.sites.all[at].Host, err)
	}
	return nil
}

// isDial reports whether no connection was made.
func isDial(err error) bool {
	op := (*net.OpError)(nil)
	return errors.As(err, &op) && op.Op == "dial"
}

// askFirst is the size from which on a body is sent only after the server asks for
// it.
const askFirst = 1 << 20

func (s *store) request(c *call, at, round int, again bool) *http.Request {
	u := s.sites.all[at]
	u.Path += "/v1/" + c.path
	u.RawQuery = c.query
	h := make(http.Header, 8)
	h["User-Agent"] = []string{"cairn"}
	if s.auth != nil {
		h["Authorization"] = s.auth
	}
	set := func(key, value string) {
		if value != "" {
			h[key] = []string{value}
		}
	}
	set("Accept", c.accept)
	set("If-Match", c.match)
	set("Range", c.ranged)
	set(wire.FenceHeader, fenceText(c.fence))
	if again {
		set(wire.RetryHeader, "1")
	}
	if c.stale && !c.settles {
		set(wire.StaleHeader, "0")
	} else if c.stale {
		set(wire.StaleHeader, strconv.FormatInt(int64(max(s.o.Stale, 0)/time.Second), 10))
	}
	r := &http.Request{Method: c.method, URL: &u, Host: u.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h}
	if c.body != nil {
		set("Content-Type", c.bodyType)
		if r.ContentLength = c.body.Size(); r.ContentLength > askFirst {
			set("Expect", "100-continue")
		}
		r.Body = io.NopCloser(c.body.Reader())
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(c.body.Reader()), nil }
	}
	return r
}

func fenceText(fence uint64) string {
	switch fence {
	case 0:
		return ""
	case history.Force:
		return wire.ForceFence
	}
	return strconv.FormatUint(fence, 10)
}

// errAnswer is wrapped by the errors of unexpected answers.
var errAnswer = errors.New("not the answer of a cairn server")

func (c *call) readAnswer(answer *http.Response) error {
	if e := answer.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return fmt.Errorf("%w: encoded as %.80q", errAnswer, e)
	}
	want := wire.JSONType
	if c.accept != "" {
		want = c.accept
	}
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	if kind != want && (kind != "" || c.read != nil) { // a page from a proxy is not a success
		return fmt.Errorf("%w: %.80q, not %s", errAnswer, kind, want)
	}
	if c.read == nil {
		_, _ = io.CopyN(io.Discard, answer.Body, maxRefusal) // so that the connection can be used again
		return nil
	}
	return c.read(answer)
}

// tellStale tells the caller that an answer is old.
func (s *store) tellStale(c *call, answer *http.Response) {
	if n, err := strconv.ParseUint(answer.Header.Get(wire.StaleHeader), 10, 31); err == nil && s.o.OnStale != nil {
		s.o.OnStale(c.name, time.Duration(n)*time.Second)
	}
}

// maxRefusal bounds the bytes that are read of a refusal.
const maxRefusal = 16 << 10

// refusal reads an answer that is not a success. It believes only a server that
// uses the API. An answer from a proxy may at most allow another try.
func (s *store) refusal(answer *http.Response, at int) (failure, error) {
	var r wire.Refusal
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxRefusal))
	if err != nil {
		return failure{}, err
	}
	status := answer.StatusCode
	if json.Unmarshal(b, &r) != nil || r.Error.Code == "" || r.Error.Code.Status() != status {
		err := fmt.Errorf("%w: status %d", errAnswer, status)
		if status == http.StatusBadRequest && s.sites.all[at].Scheme == "http" && bytes.Contains(b, []byte("HTTPS")) {
			err = fmt.Errorf("%w: does the address begin with https://?", err)
		}
		if status != http.StatusTooManyRequests {
			s.sites.failed(at, s.o.Now())
		}
		return failure{err: err, here: true, passing: status == 429 || status >= 500, busy: status == 429, after: s.after(answer)}, nil
	}
	e := &wire.Error{Code: wire.Code(printable(string(r.Error.Code))), Message: printable(r.Error.Message)}
	switch e.Code {
	case wire.Draining, wire.Away:
		s.sites.failed(at, s.o.Now())
	default:
		s.sites.answered(at)
	}
	switch e.Code {
	case wire.Busy, wire.Draining:
		return failure{err: e, passing: true, busy: e.Code == wire.Busy, unbegun: true, after: s.after(answer)}, nil
	case wire.Internal, wire.Timeout, wire.Away:
		return failure{err: e, passing: true, after: s.after(answer)}, nil
	case wire.Unauthorized:
		if s.auth == nil {
			e.Message += "; no token was given: set $CAIRN_TOKEN, or Options.Token in a program"
		} else {
			e.Message += "; the server does not know the given token"
		}
	}
	return failure{err: e, unbegun: true}, nil
}

// printable removes characters that could affect a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text[:min(len(text), 1024)])
}

// after returns how long the server asks to wait.
func (s *store) after(answer *http.Response) time.Duration {
	text := answer.Header.Get("Retry-After")
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(text); err == nil {
		return max(t.Sub(s.o.Now()), 0)
	}
	return 0
}

// maxJSON bounds the bytes of a JSON answer: 10,000 names.
const maxJSON = 8 << 20

// readJSON returns a function that decodes a JSON answer.
func readJSON(to any) func(*http.Response) error {
	return func(answer *http.Response) error {
		b, err := io.ReadAll(io.LimitReader(answer.Body, maxJSON+1))
		if err != nil {
			return err
		}
		if len(b) > maxJSON {
			return fmt.Errorf("%w: more than %d bytes", errAnswer, maxJSON)
		}
		if err := json.Unmarshal(b, to); err != nil {
			return fmt.Errorf("%w: %w", errAnswer, err)
		}
		return nil
	}
}

// readRecords returns a function that reads an answer of at most total bytes with
// read.
func (s *store) readRecords(total int64, read func(*wire.RecordReader) error) func(*http.Response) error {
	return func(answer *http.Response) error {
		r := s.records.Get().(*wire.RecordReader)
		defer s.records.Put(r)
		r.Reset(answer.Body, total)
		defer r.Reset(nil, 0)
		return read(r)
	}
}

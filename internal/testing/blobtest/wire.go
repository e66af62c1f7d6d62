package blobtest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
)

// Damage is what goes wrong with one HTTP request.
type Damage int

// Damages of a request.
const (
	Unhurt     Damage = iota
	Busy              // status 503, and nothing takes place
	Broken            // status 500, and the request took place
	ResetFirst        // the connection is reset, and nothing takes place
	ResetLate         // the request takes place, and the connection is reset before its answer
	Cut               // the connection is reset within the body of the answer
	Silent            // the request takes place, and there is no answer
	Stalled           // there is half of the answer
	Flipped           // the first byte of the answer's body is another one
	damages
)

// wire is a handler that damages requests.
type wire struct {
	next   http.Handler
	script func(*http.Request) Damage
	mu     sync.Mutex // of the script
}

// Wire returns the handler with the damages of a script. One goroutine at a time
// calls the script.
func Wire(next http.Handler, script func(*http.Request) Damage) http.Handler {
	return &wire{next: next, script: script}
}

// Every returns a script in which one of so many requests is damaged. The damages take
// turns, but for Flipped, which not every client can notice.
func Every(requests int) func(*http.Request) Damage {
	n := 0
	return func(*http.Request) Damage {
		if n++; n%requests != 0 {
			return Unhurt
		}
		return Busy + Damage(n/requests)%(Flipped-Busy)
	}
}

func (w *wire) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	damage := w.script(r)
	w.mu.Unlock()
	if damage < 0 || damage >= damages {
		panic(fmt.Sprintf("blobtest: damage %d", damage))
	}
	switch damage {
	case Unhurt:
		w.next.ServeHTTP(out, r)
		return
	case Busy:
		out.Header().Set("Connection", "close") // its body is not read
		http.Error(out, "busy", http.StatusServiceUnavailable)
		return
	case ResetFirst:
		panic(http.ErrAbortHandler)
	}
	// The request takes place even if the client does not wait for it.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	rec := httptest.NewRecorder()
	w.next.ServeHTTP(rec, r)
	switch damage {
	case Broken:
		http.Error(out, "broken", http.StatusInternalServerError)
		return
	case ResetLate:
		panic(http.ErrAbortHandler)
	case Silent:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
	for name, values := range rec.Header() {
		out.Header()[name] = values
	}
	answer := rec.Body.Bytes()
	if r.Method == http.MethodHead {
		answer = nil
	} else {
		out.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	}
	out.WriteHeader(rec.Code)
	if damage == Flipped {
		if len(answer) > 0 {
			answer[0] ^= 1
		}
		_, _ = out.Write(answer) // the client may be gone
		return
	}
	_, _ = out.Write(answer[:len(answer)/2])
	if f, ok := out.(http.Flusher); ok {
		f.Flush()
	}
	if damage == Stalled && len(answer) > 0 {
		<-r.Context().Done()
	}
	if len(answer) > 0 {
		panic(http.ErrAbortHandler)
	}
}

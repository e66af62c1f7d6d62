package redis

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/limits"
)

// Bounds of commands.
const (
	maxLine = 4 << 10 // of a header, and of a command in one line
	maxArgs = 4 << 10
	// small is the size of an argument that takes no room of the memory for bodies.
	small = 16 << 10
	// maxBulk is what Redis permits. The room for bodies is mostly less.
	maxBulk = 512 << 20
	// Of callers who have not said who they are.
	strangerArgs = 16
	strangerBulk = 1 << 10
)

// A protocolError ends the connection, after it was told if the caller speaks the protocol.
type protocolError string

func (e protocolError) Error() string { return string(e) }

// errForeign says that the caller speaks HTTP. A page in a browser can make it send a body of commands.
var errForeign = errors.New("redis: a call of HTTP")

// tooLarge answers a command whose arguments have no room; they were read and thrown away.
type tooLarge struct{ bytes int64 }

func (e tooLarge) Error() string {
	return fmt.Sprintf("an argument of %d bytes: too large, or too many are on their way", e.bytes)
}

// reader reads commands.
type reader struct {
	*bufio.Reader
	room     *limits.Memory
	held     int64 // of the room, by the arguments of the last command
	most     int64 // bytes of an argument
	stranger func() bool
	// within says how long the next bytes may take to come.
	within func(bytes int64)
}

// release gives back the room of the last command.
func (r *reader) release() {
	r.room.Release(r.held)
	r.held = 0
}

// next reads a command, which has at least one argument: its name.
func (r *reader) next() (args [][]byte, err error) {
	for {
		if _, err := r.Peek(1); err != nil {
			return nil, err
		}
		r.within(maxLine)
		line, err := r.line()
		switch {
		case err != nil:
			return nil, err
		case len(line) == 0:
			continue
		case line[0] != '*':
			if args, err = inline(line); err != nil || len(args) > 0 {
				return args, err
			}
			continue
		}
		n, err := strconv.Atoi(string(line[1:]))
		most := maxArgs
		if r.stranger() {
			most = strangerArgs
		}
		switch {
		case err != nil || n > most:
			return nil, protocolError("Protocol error: invalid multibulk length")
		case n > 0:
			return r.bulks(n)
		}
	}
}

// line reads a line without its end.
func (r *reader) line() ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, protocolError("Protocol error: too big inline request")
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}

// bulks reads n arguments. Without room for them it reads them all the same, so that the next command is found.
func (r *reader) bulks(n int) (args [][]byte, err error) {
	var over error
	most := min(r.most, maxBulk)
	if r.stranger() {
		most = strangerBulk
	}
	for range n {
		r.within(maxLine)
		line, err := r.line()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 || line[0] != '$' {
			return nil, protocolError("Protocol error: expected '$'")
		}
		size, err := strconv.ParseInt(string(line[1:]), 10, 64)
		if err != nil || size < 0 || size > maxBulk || r.stranger() && size > most {
			return nil, protocolError("Protocol error: invalid bulk length")
		}
		r.within(size)
		if over == nil && (size > most || size > small && !r.room.Reserve(size)) {
			over = tooLarge{size}
		}
		if over != nil {
			if _, err := io.CopyN(io.Discard, r, size+2); err != nil {
				return nil, err
			}
			continue
		}
		if size > small {
			r.held += size
		}
		arg := make([]byte, size)
		if _, err := io.ReadFull(r, arg); err != nil {
			return nil, err
		}
		var end [2]byte
		if _, err := io.ReadFull(r, end[:]); err != nil {
			return nil, err
		}
		if string(end[:]) != "\r\n" {
			return nil, protocolError("Protocol error: an argument without its end")
		}
		args = append(args, arg)
	}
	return args, over
}

// inline parses a command in one line, as people type it.
func inline(line []byte) (args [][]byte, err error) {
	words := strings.Fields(string(line))
	if len(words) == 0 {
		return nil, nil
	}
	switch first := strings.ToLower(words[0]); {
	case first == "post" || first == "put" || first == "host:" || first == "head" || first == "options" || first == "patch" || first == "delete",
		strings.HasPrefix(words[len(words)-1], "HTTP/"):
		return nil, errForeign
	}
	for _, w := range words {
		args = append(args, []byte(strings.Trim(w, `"'`)))
	}
	return args, nil
}

// Replies. A []byte is a bulk string, an int64 a number, a string a line, nil nothing, an error what it says.
type (
	array []any
	set   []any // an array, and from version 3 of the protocol on a set
	pairs []any // keys and values; from version 3 on a map
)

// writer writes replies in a version of the protocol.
type writer struct {
	*bufio.Writer
	proto int
}

// atOnce is the size of a value that is copied to go out with what stands before and after it.
const atOnce = 1 << 20

// whole has the memory of such copies, which would be most of the garbage that loads make.
var whole = sync.Pool{New: func() any { return new([]byte) }}

func (w *writer) head(kind byte, n int) {
	_ = w.WriteByte(kind) // a bufio.Writer keeps its error for Flush
	_, _ = w.WriteString(strconv.Itoa(n))
	_, _ = w.WriteString("\r\n")
}

func (w *writer) reply(v any) {
	switch v := v.(type) {
	case nil:
		if w.proto >= 3 {
			_, _ = w.WriteString("_\r\n")
		} else {
			_, _ = w.WriteString("$-1\r\n")
		}
	case string:
		_, _ = fmt.Fprintf(w, "+%s\r\n", v)
	case []byte:
		if len(v) > w.Available() && len(v) <= atOnce { // else it goes out in three pieces
			_ = w.Flush() // a bufio.Writer keeps its error
			all := whole.Get().(*[]byte)
			*all = append(strconv.AppendInt(append((*all)[:0], '$'), int64(len(v)), 10), "\r\n"...)
			*all = append(append(*all, v...), "\r\n"...)
			_, _ = w.Write(*all)
			whole.Put(all)
			return
		}
		w.head('$', len(v))
		_, _ = w.Write(v)
		_, _ = w.WriteString("\r\n")
	case int64:
		w.head(':', int(v))
	case array:
		w.all('*', len(v), v)
	case set:
		w.all(w.since3('~'), len(v), v)
	case pairs:
		if w.proto >= 3 {
			w.all('%', len(v)/2, v)
		} else {
			w.all('*', len(v), v)
		}
	case error:
		_, _ = fmt.Fprintf(w, "-%s\r\n", strings.NewReplacer("\r", " ", "\n", " ").Replace(v.Error()))
	default:
		panic(fmt.Sprintf("redis: a reply of type %T", v))
	}
}

func (w *writer) since3(kind byte) byte {
	if w.proto >= 3 {
		return kind
	}
	return '*'
}

func (w *writer) all(kind byte, n int, values []any) {
	w.head(kind, n)
	for _, v := range values {
		w.reply(v)
	}
}

// patience is how long bytes may take at a rate, after some time that each may take.
func patience(l limits.Limits, bytes int64) time.Duration {
	return l.Patience + time.Duration(bytes/max(1, l.BodyRate))*time.Second
}

package move_test

import (
	"bufio"
	"crypto/sha1"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// redisTwin is a Redis in memory, as far as this package asks it.
type redisTwin struct {
	addr     string
	password string
	scripts  bool // it runs the script that hashes
	breaks   bool // it keeps another byte than it gets
	mu       sync.Mutex
	values   map[string]string
	set      map[string]bool // aswm:world:list
	said     []string        // the commands
}

func newRedisTwin(t *testing.T, password string, scripts bool, secure *tls.Config) *redisTwin {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &redisTwin{addr: l.Addr().String(), password: password, scripts: scripts, values: map[string]string{}, set: map[string]bool{}}
	if secure != nil {
		l = tls.NewListener(l, secure)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.serve(c)
		}
	}()
	return r
}

func (r *redisTwin) serve(c net.Conn) {
	defer c.Close()
	in, known := bufio.NewReader(c), r.password == ""
	for {
		args, err := command(in)
		if err != nil {
			return
		}
		reply := "-NOAUTH Authentication required.\r\n"
		switch {
		case args[0] == "AUTH" && args[len(args)-1] == r.password && r.password != "":
			known, reply = true, "+OK\r\n"
		case args[0] == "AUTH":
			reply = "-WRONGPASS invalid username-password pair\r\n"
		case known:
			reply = r.do(args)
		}
		if _, err := io.WriteString(c, reply); err != nil {
			return
		}
	}
}

func command(in *bufio.Reader) (args []string, err error) {
	number := func(kind byte) (n int) {
		var line string
		if line, err = in.ReadString('\n'); err == nil && line[0] == kind {
			n, err = strconv.Atoi(strings.TrimSpace(line[1:]))
		}
		return n
	}
	for n := number('*'); n > 0 && err == nil; n-- {
		data := make([]byte, number('$')+2)
		if err == nil {
			_, err = io.ReadFull(in, data)
		}
		args = append(args, string(data[:len(data)-2]))
	}
	return args, err
}

func bulk(s string) string { return fmt.Sprintf("$%d\r\n%s\r\n", len(s), s) }

func list(of []string) string {
	out := fmt.Sprintf("*%d\r\n", len(of))
	for _, s := range of {
		out += bulk(s)
	}
	return out
}

func (r *redisTwin) do(args []string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, args[0])
	number := func(n int) string { return fmt.Sprintf(":%d\r\n", n) }
	switch value, there := r.values[args[min(1, len(args)-1)]]; args[0] {
	case "PING", "SELECT":
		return "+OK\r\n"
	case "EXISTS":
		return number(map[bool]int{true: 1}[there])
	case "STRLEN":
		return number(len(value))
	case "GET":
		if !there {
			return "$-1\r\n"
		}
		return bulk(value)
	case "SET":
		if r.breaks {
			args[2] = args[2][:len(args[2])-1] + "x"
		}
		r.values[args[1]] = args[2]
		return "+OK\r\n"
	case "SADD":
		r.set[args[2]] = true
		return number(1)
	case "SMEMBERS":
		return list(slices.Collect(maps.Keys(r.set)))
	case "SCAN": // two pages
		var keys []string
		for _, key := range slices.Sorted(maps.Keys(r.values)) {
			if ok, _ := path.Match(args[3], strings.ReplaceAll(key, "/", "_")); ok {
				keys = append(keys, key)
			}
		}
		if half := len(keys) / 2; args[1] == "0" && half > 0 {
			return "*2\r\n" + bulk("7") + list(keys[:half])
		} else {
			return "*2\r\n" + bulk("0") + list(keys[half:])
		}
	case "EVAL":
		if r.scripts {
			return bulk(fmt.Sprintf("%x", sha1.Sum([]byte(r.values[args[3]]))))
		}
	}
	return "-ERR unknown command '" + args[0] + "'\r\n"
}

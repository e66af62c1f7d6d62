package redis_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/redis"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

const data = "aswm:world:data:"

// say runs a command and returns what was said, as text.
func (c *client) say(args ...string) string {
	v, err := c.do(args...)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(v)
}

// TestCommands runs a conversation. FILE stands for a Slime file.
func TestCommands(t *testing.T) {
	st := memory.New(memory.Options{})
	_, addr := start(t, st, redis.Options{Delay: time.Hour})
	file := islands(t, 1)[0]
	if err := st.Create(t.Context(), "slime/-.taken"); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Lease(t.Context(), "slime/-.taken", "a game", time.Hour); err != nil {
		t.Fatal(err)
	}
	c := dial(t, addr)
	for _, row := range []struct{ say, want string }{
		{"PING", "PONG"}, {"ping|hello", "hello"}, {"ECHO|x", "x"},
		{"HELLO", "[server redis version 7.2.0 proto 2 id 1 mode standalone role master modules []]"},
		{"HELLO|4", "NOPROTO unsupported protocol version"},
		{"HELLO|3|SETNAME|paper", "[server redis version 7.2.0 proto 3 id 1 mode standalone role master modules []]"},
		{"CLIENT|GETNAME", "paper"}, {"CLIENT|SETINFO|lib-name|Lettuce", "OK"}, {"CLIENT|NONSENSE", "ERR unknown subcommand '\"NONSENSE\"'"},
		{"SELECT|0", "OK"}, {"SELECT|1", "ERR DB index is out of range: worlds are in database 0"},
		{"COMMAND|DOCS", "[]"}, {"COMMAND", "[]"}, {"CONFIG|GET|save", "[]"}, {"CONFIG|SET|save|x", "ERR cairn is configured by the flags of cairn serve"},
		{"AUTH|x", "OK"}, {"NONSENSE", "ERR unknown command '\"NONSENSE\"'"}, {"GET", "ERR wrong number of arguments for 'get' command"},

		{"EXISTS|" + data + "Hub", "0"}, {"GET|" + data + "Hub", "<nil>"}, {"DEL|" + data + "Hub", "0"}, {"SMEMBERS|aswm:world:list", "[]"},
		{"SADD|aswm:world:list|Hub", "ERR there is no world \"Hub\": SET its data first"},
		{"SET|" + data + "Hub|FILE", "OK"}, {"SADD|aswm:world:list|Hub", "0"}, {"EXISTS|" + data + "Hub", "1"},
		{"EXISTS|" + data + "Hub|" + data + "hub|aswm:world:list", "2"},
		{"GET|" + data + "Hub", "FILE"}, {"GET|aswm_world_data_Hub", "FILE"}, {"STRLEN|" + data + "Hub", fmt.Sprint(len(file))},
		{"SET|" + data + "hub|other", "OK"}, {"GET|" + data + "hub", "other"}, {"GET|" + data + "Hub", "FILE"},
		{"SET|" + data + "SkyWars Map 1|FILE", "OK"}, {"SET|" + data + "世界|FILE", "OK"},
		{"SMEMBERS|aswm:world:list", "[世界 Hub SkyWars Map 1 hub]"}, {"SCARD|aswm:world:list", "4"},
		{"SISMEMBER|aswm:world:list|hub", "1"}, {"SISMEMBER|aswm:world:list|none", "0"}, {"SISMEMBER|other|hub", "0"},
		{"SREM|aswm:world:list|hub", "0"}, {"SISMEMBER|aswm:world:list|hub", "1"},
		{"KEYS|aswm:world:data:?ub", "[aswm:world:data:Hub aswm:world:data:hub]"}, {"KEYS|aswm_world_data_*1", "[aswm_world_data_SkyWars Map 1]"},
		{"SCAN|0|MATCH|*hub|COUNT|10", "[0 [aswm:world:data:hub]]"}, {"SCAN|0|MATCH", "ERR syntax error"},
		{"TYPE|" + data + "hub", "string"}, {"TYPE|aswm:world:list", "set"}, {"TYPE|nothing", "none"}, {"GET|aswm:world:list", "WRONGTYPE Operation against a key holding the wrong kind of value"},
		{"TTL|" + data + "hub", "-1"}, {"TTL|" + data + "none", "-2"}, {"EXPIRE|" + data + "hub|1", "ERR a world does not expire"},
		{"SET|" + data + "hub|x|NX", "<nil>"}, {"SET|" + data + "new|x|XX", "<nil>"}, {"SET|" + data + "hub|third|XX", "OK"}, {"GET|" + data + "hub", "third"},
		{"SET|" + data + "hub|x|PX|5", "ERR a world does not expire"}, {"SET|" + data + "hub|x|WHAT", "ERR syntax error"}, {"SETNX|" + data + "hub|x", "0"},
		{"SET|other|x", "ERR there is no place for the key \"other\": only worlds are kept here"}, {"GET|other", "<nil>"},
		{"SET|" + data + ".inbox|x", "ERR the name \".inbox\" has no place in the store: it is too long, empty or begins with a dot"},
		{"SET|" + data + "|x", "ERR the name \"\" has no place in the store: it is too long, empty or begins with a dot"},
		{"DEL|" + data + "hub|" + data + "none", "1"}, {"EXISTS|" + data + "hub", "0"}, {"DEL|" + data + "Hub", "1"}, {"GET|" + data + "Hub", "<nil>"},
		{"SMEMBERS|aswm:world:list", "[世界 SkyWars Map 1]"},

		{"SET|" + data + "Taken|FILE", "ERR LOCKED another has a lease of this world"}, {"DEL|aswm:world:lock:Taken", "ERR LOCKED another has a lease of this world"},
		{"SET|aswm:world:lock:Taken|me|NX|PX|1000", "<nil>"}, {"GET|aswm:world:lock:Taken", "a game"},
		{"SET|aswm:world:lock:Arena|me|NX|PX|100000", "OK"}, {"SET|aswm:world:lock:Arena|me|NX|PX|100000", "<nil>"}, {"SETNX|aswm:world:lock:Arena|you", "0"},
		{"EXISTS|aswm:world:lock:Arena", "1"}, {"GET|aswm:world:lock:Arena", "me"}, {"TTL|aswm:world:lock:Arena", "100"},
		{"EXPIRE|aswm:world:lock:Arena|50", "1"}, {"TTL|aswm:world:lock:Arena", "50"}, {"PEXPIRE|aswm:world:lock:Arena|0", "ERR invalid expire time"},
		{"SET|" + data + "Arena|FILE", "OK"}, {"GET|" + data + "Arena", "FILE"}, {"DEL|aswm:world:lock:Arena", "1"}, {"DEL|aswm:world:lock:Arena", "0"},
		{"TTL|aswm:world:lock:Arena", "-2"}, {"EXPIRE|aswm:world:lock:Arena|50", "0"},
		{"SET|aswm_world_lock_Arena|1", "OK"}, {"GET|aswm:world:lock:Arena", "1"}, {"SET|aswm_world_lock_Arena|0", "OK"}, {"GET|aswm:world:lock:Arena", "<nil>"},

		{"EXEC", "ERR EXEC without MULTI"}, {"DISCARD", "ERR DISCARD without MULTI"},
		{"MULTI", "OK"}, {"MULTI", "ERR MULTI calls can not be nested"}, {"SET|" + data + "A|FILE", "QUEUED"}, {"SADD|aswm:world:list|A", "QUEUED"}, {"GET|other", "QUEUED"}, {"EXEC", "[OK 0 <nil>]"},
		{"MULTI", "OK"}, {"NONSENSE", "ERR unknown command '\"NONSENSE\"'"}, {"EXEC", "EXECABORT Transaction discarded because of previous errors."},
		{"MULTI", "OK"}, {"DEL|" + data + "A", "QUEUED"}, {"DISCARD", "OK"}, {"EXISTS|" + data + "A", "1"},
		{"RESET", "RESET"}, {"QUIT", "OK"},
	} {
		args := strings.Split(strings.ReplaceAll(row.say, "FILE", file), "|")
		if strings.Contains(row.say, "FILE") { // it may contain |
			args = strings.Split(row.say, "|")
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "FILE", file)
			}
		}
		want := strings.ReplaceAll(row.want, "FILE", file)
		if got := c.say(args...); got != want {
			t.Errorf("%s: %.200q, want %.200q", row.say, got, want)
		}
	}
	if _, err := c.do("PING"); err == nil {
		t.Error("the connection is open after QUIT")
	}
}

// TestInbox: a version is made before somebody else reads a world; what is none stays as it came.
func TestInbox(t *testing.T) {
	st := memory.New(memory.Options{})
	s, addr := start(t, st, redis.Options{Delay: time.Hour})
	c := dial(t, addr)
	files := islands(t, 2)
	var saved []string
	s.Inbox().OnSave(func(name string, number uint64) { saved = append(saved, fmt.Sprint(name, number)) })
	settled := func() (history.Head, int) {
		t.Helper()
		if err := s.Inbox().Settle(t.Context(), "slime/x"); err != nil {
			t.Fatal(err)
		}
		log, err := st.Log(t.Context(), "slime/x", history.ID{}, 100)
		if err != nil {
			t.Fatal(err)
		}
		head, err := st.Head(t.Context(), "slime/x")
		if err != nil {
			t.Fatal(err)
		}
		return head, len(log)
	}
	c.must(t, "SET", data+"x", files[0])
	c.must(t, "SET", data+"x", files[1])
	if head, n := settled(); n != 1 || head.Commit == (history.ID{}) {
		t.Errorf("%d versions of what came in a row, want 1", n)
	}
	c.must(t, "SET", data+"x", files[1])
	if _, n := settled(); n != 1 {
		t.Errorf("%d versions, want 1: nothing differs", n)
	}
	c.must(t, "SET", data+"x", files[0])
	before, n := settled()
	if n != 2 {
		t.Errorf("%d versions, want 2", n)
	}
	c.must(t, "SET", data+"x", "nonsense")
	if after, _ := settled(); after.Commit != before.Commit {
		t.Error("a version was made of nonsense")
	}
	if got := c.say("GET", data+"x"); got != "nonsense" || s.Inbox().Stats().Kept != 1 {
		t.Errorf("%.60q, %+v: want it as it came", got, s.Inbox().Stats())
	}
	c.must(t, "SET", data+"x", files[1])
	if _, n := settled(); n != 3 || s.Inbox().Stats().Kept+s.Inbox().Stats().Waiting != 0 {
		t.Errorf("%d versions, want 3; %+v", n, s.Inbox().Stats())
	}
	if want := "[slime/x1 slime/x1 slime/x2 slime/x3]"; fmt.Sprint(saved) != want {
		t.Errorf("said of %v, want %s", saved, want)
	}
	// Another has a lease: nothing is saved, and what waits stays.
	c.must(t, "SET", data+"x", files[0])
	l, err := st.Lease(t.Context(), "slime/x", "a game", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, n := settled(); n != 3 {
		t.Errorf("%d versions under the lease of another", n)
	}
	if got := c.say("SET", data+"x", files[1]); !strings.HasPrefix(got, "ERR LOCKED") {
		t.Errorf("SET under the lease of another: %s", got)
	}
	if err := st.Release(t.Context(), "slime/x", l.Fence); err != nil {
		t.Fatal(err)
	}
	if _, n := settled(); n != 4 {
		t.Errorf("%d versions, want 4", n)
	}
	// A collection leaves of the inbox its head.
	if _, err := st.Collect(t.Context(), history.Policy{Keep: history.Retention{All: true}, Grace: -1}); err != nil {
		t.Fatal(err)
	}
	if log, err := st.Log(t.Context(), "slime/x/.inbox", history.ID{}, 100); err != nil || len(log) != 1 {
		t.Errorf("the inbox has %d versions, %v", len(log), err)
	}
}

// TestHostile: what a stranger sends costs little, and ends the connection.
func TestHostile(t *testing.T) {
	secret, tok, err := token.New(token.Token{Role: token.Read, Prefixes: []string{"slime/-.hub"}})
	path := filepath.Join(t.TempDir(), "tokens.json")
	if err == nil {
		err = token.WriteFile(path, []token.Token{tok})
	}
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := token.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New(memory.Options{})
	s, addr := start(t, st, redis.Options{Tokens: tokens})
	hello := string(appendCommand(nil, "AUTH", secret))
	for name, row := range map[string]struct{ send, want string }{
		"many arguments":        {hello + "*1000000000\r\n$1\r\na\r\n", "+OK\r\n-ERR Protocol error: invalid multibulk length\r\n"},
		"a length that wraps":   {hello + "*1\r\n$9223372036854775806\r\nabcd", "+OK\r\n-ERR Protocol error: invalid bulk length\r\n"},
		"a negative length":     {hello + "*1\r\n$-1\r\n", "+OK\r\n-ERR Protocol error: invalid bulk length\r\n"},
		"no length":             {hello + "*1\r\n:1\r\n", "+OK\r\n-ERR Protocol error: expected '$'\r\n"},
		"an end that is none":   {hello + "*1\r\n$1\r\nabc\r\n", "+OK\r\n-ERR Protocol error: an argument without its end\r\n"},
		"a long line":           {strings.Repeat("x", 4096), "-ERR Protocol error: too big inline request\r\n"},
		"a stranger's bytes":    {"*2\r\n$4\r\nECHO\r\n$100000\r\n", "-ERR Protocol error: invalid bulk length\r\n"},
		"a stranger's many":     {"*100\r\n", "-ERR Protocol error: invalid multibulk length\r\n"},
		"HTTP POST":             {"POST / HTTP/1.1\r\nHost: x\r\n\r\nSET " + data + "x y\r\n", ""},
		"HTTP GET":              {"GET / HTTP/1.1\r\n\r\n", ""},
		"a header of HTTP":      {"Host: x\r\nPING\r\n", ""},
		"no token":              {"PING\r\nQUIT\r\n", "-NOAUTH Authentication required.\r\n+OK\r\n"},
		"a wrong token":         {"AUTH nobody x\r\nQUIT\r\n", "-WRONGPASS this server has no such token\r\n+OK\r\n"},
		"a user and a token":    {"AUTH nobody " + secret + "\r\nPING\r\nQUIT\r\n", "+OK\r\n+PONG\r\n+OK\r\n"},
		"HELLO without a token": {"HELLO 3\r\nQUIT\r\n", "-NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time\r\n+OK\r\n"},
		"a role":                {"AUTH " + secret + "\r\nSET " + data + "Hub x\r\nQUIT\r\n", "+OK\r\n-NOPERM the token's role does not permit this\r\n+OK\r\n"},
		"another world":         {"AUTH " + secret + "\r\nGET " + data + "hub\r\nGET " + data + "Hub\r\nQUIT\r\n", "+OK\r\n-NOPERM the token is for other worlds\r\n$-1\r\n+OK\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, addr)
			go func() { _, _ = c.Write([]byte(row.send)) }() // the server may have closed it
			got, err := io.ReadAll(c.r)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			if string(got) != row.want {
				t.Errorf("%q, %v, want %q", got, err, row.want)
			}
		})
	}
	asp := httptest.NewServer(s.HTTP())
	defer asp.Close()
	for _, row := range []struct {
		method, path, token string
		status              int
	}{
		{"GET", "/asp/", "", 401}, {"GET", "/asp/", "wrong", 401}, {"GET", "/asp/", secret, 200}, {"POST", "/asp/", secret, 405}, {"GET", "/asp/Hub", secret, 404}, {"GET", "/asp/hub", secret, 404},
	} {
		r, err := http.NewRequest(row.method, asp.URL+row.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if row.token != "" {
			r.SetBasicAuth("anyone", row.token)
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(a.Body)
		a.Body.Close()
		if err != nil || a.StatusCode != row.status || row.status != 200 && len(body) > 0 {
			t.Errorf("%s %s: %d %q, want %d", row.method, row.path, a.StatusCode, body, row.status)
		}
	}
}

// TestHTTP: AdvancedSlimePaper's API loader finds the worlds.
func TestHTTP(t *testing.T) {
	s, addr := start(t, memory.New(memory.Options{}), redis.Options{Delay: time.Hour})
	file := islands(t, 1)[0]
	dial(t, addr).must(t, "SET", data+"SkyWars Map 1", file)
	asp := httptest.NewServer(s.HTTP())
	defer asp.Close()
	for _, row := range []struct{ method, path, want string }{
		{"GET", "/asp/SkyWars%20Map%201", file}, {"HEAD", "/asp/SkyWars%20Map%201", ""},
		{"GET", "/asp/", `[{"worldId":"slime/-.sky.wars.20.map.201","name":"SkyWars Map 1.slime","size":0,"uploadTimestamp":0,"updateTimestamp":0,"version":0,"notes":{},"authors":[],"pictureUrls":{}}]`},
	} {
		r, err := http.NewRequest(row.method, asp.URL+row.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(a.Body)
		a.Body.Close()
		if err != nil || a.StatusCode != 200 || string(body) != row.want {
			t.Errorf("%s %s: %d %.300q, %v", row.method, row.path, a.StatusCode, body, err)
		}
		if row.method == "HEAD" && a.ContentLength != int64(len(file)) {
			t.Errorf("HEAD says %d bytes, want %d", a.ContentLength, len(file))
		}
	}
}

// pipeListener accepts one connection.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return nearConn{c}, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l pipeListener) Close() error   { close(l.done); return nil }
func (l pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// nearConn is a connection of this machine.
type nearConn struct{ net.Conn }

func (nearConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// FuzzCommands sends any bytes. The server answers, and ends when the caller does.
func FuzzCommands(f *testing.F) {
	for _, s := range []string{"PING\r\n", "*1\r\n$4\r\nPING\r\n", "*2\r\n$3\r\nGET\r\n$17\r\naswm:world:data:x\r\n", "*3\r\n$3\r\nSET\r\n$17\r\naswm:world:data:x\r\n$2\r\n\xb1\x0b\r\n",
		"MULTI\r\nSET aswm:world:lock:x me NX PX 5\r\nEXEC\r\n", "*1000000000\r\n", "*1\r\n$99999999999\r\n", "HELLO 3\r\nSCAN 0 MATCH *\r\nKEYS a*b*c\r\n"} {
		f.Add([]byte(s))
	}
	s := redis.New(memory.New(memory.Options{}), redis.Options{})
	f.Fuzz(func(t *testing.T, sent []byte) {
		l := pipeListener{make(chan net.Conn, 1), make(chan struct{})}
		served := make(chan error, 1)
		go func() { served <- s.Serve(l) }()
		ours, theirs := net.Pipe()
		l.conns <- theirs
		go func() {
			_, _ = ours.Write(append(bytes.Clone(sent), "\r\nQUIT\r\n"...)) // the server may have closed it
			_ = ours.Close()
		}()
		_, _ = io.Copy(io.Discard, ours) // it ends with the connection
		l.Close()
		if err := <-served; err != nil {
			t.Fatal(err)
		}
	})
}

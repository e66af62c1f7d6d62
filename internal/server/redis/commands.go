package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// command is a row of the table.
type command struct {
	min, max int // arguments besides the name; a max of -1 is any number
	role     token.Role
	now      bool // it is not queued after MULTI
	long     bool // it may take Limits.Longest
	do       func(c *session, ctx context.Context, args [][]byte) (any, error)
}

// table returns the commands by their names.
func table() map[string]command {
	return map[string]command{
		"HELLO":     {0, -1, token.Nobody, true, false, (*session).hello},
		"AUTH":      {1, 2, token.Nobody, true, false, (*session).auth},
		"QUIT":      {0, -1, token.Nobody, true, false, (*session).quit},
		"RESET":     {0, 0, token.Nobody, true, false, (*session).reset},
		"PING":      {0, 1, token.Read, false, false, (*session).ping},
		"ECHO":      {1, 1, token.Read, false, false, func(_ *session, _ context.Context, args [][]byte) (any, error) { return args[0], nil }},
		"SELECT":    {1, 1, token.Read, false, false, (*session).selectDB},
		"CLIENT":    {1, -1, token.Read, false, false, (*session).client},
		"COMMAND":   {0, -1, token.Read, false, false, (*session).about},
		"CONFIG":    {1, -1, token.Read, false, false, (*session).config},
		"INFO":      {0, -1, token.Read, false, false, (*session).info},
		"MULTI":     {0, 0, token.Read, true, false, (*session).begin},
		"EXEC":      {0, 0, token.Read, true, true, (*session).exec},
		"DISCARD":   {0, 0, token.Read, true, false, (*session).discard},
		"GET":       {1, 1, token.Read, false, true, (*session).get},
		"STRLEN":    {1, 1, token.Read, false, true, (*session).strlen},
		"EXISTS":    {1, -1, token.Read, false, false, (*session).exists},
		"TYPE":      {1, 1, token.Read, false, false, (*session).kind},
		"TTL":       {1, 1, token.Read, false, false, (*session).ttl},
		"PTTL":      {1, 1, token.Read, false, false, (*session).pttl},
		"KEYS":      {1, 1, token.Read, false, true, (*session).keys},
		"SCAN":      {1, -1, token.Read, false, true, (*session).scan},
		"SMEMBERS":  {1, 1, token.Read, false, true, (*session).members},
		"SISMEMBER": {2, 2, token.Read, false, false, (*session).isMember},
		"SCARD":     {1, 1, token.Read, false, true, (*session).count},
		"SET":       {2, -1, token.Write, false, false, (*session).set},
		"SETNX":     {2, 2, token.Write, false, false, (*session).setNew},
		"DEL":       {1, -1, token.Write, false, true, (*session).del},
		"UNLINK":    {1, -1, token.Write, false, true, (*session).del},
		"EXPIRE":    {2, 2, token.Write, false, false, (*session).expire},
		"PEXPIRE":   {2, 2, token.Write, false, false, (*session).pexpire},
		"SADD":      {2, -1, token.Write, false, false, (*session).add},
		"SREM":      {2, -1, token.Write, false, true, (*session).remove},
	}
}

// words are what callers hear of errors of the store.
var words = map[wire.Code]string{
	wire.Leased:  "ERR LOCKED another has a lease of this world",
	wire.Fenced:  "ERR LOCKED the lease of this world was lost",
	wire.NoWorld: "ERR there is no such world",
	wire.Full:    "OOM the disk is full",
	wire.Away:    "ERR the store cannot be reached; it is unknown whether the world was saved",
	wire.BadName: "ERR the name has no place in the store",
}

// fault returns the code of an error, and the error as callers see it.
func (s *Door) fault(name string, err error) (wire.Code, error) {
	var said reply
	var over *token.OverError
	var refused *wire.Error
	code, _ := wire.CodeOf(err)
	switch {
	case errors.As(err, &said):
		return wire.BadRequest, said
	case errors.As(err, &over):
		return wire.Limit, refusef("%v", over)
	case errors.As(err, &refused):
		return code, refusef("%s", refused.Message)
	case errors.Is(err, context.DeadlineExceeded):
		return wire.Timeout, refusef("it took too long; what was to be saved may be")
	case words[code] != "":
		return code, reply(words[code])
	}
	s.o.Log.Error("redis: a command failed", "command", name, "err", err)
	return wire.Internal, refusef("the server failed: its log says why")
}

// reply is an error that the caller sees as it is.
type reply string

func (r reply) Error() string { return string(r) }

func refusef(format string, args ...any) error { return reply("ERR " + fmt.Sprintf(format, args...)) }

var errSyntax = reply("ERR syntax error")

func (c *session) hello(_ context.Context, args [][]byte) (any, error) {
	proto := c.w.proto
	if len(args) > 0 {
		n, err := strconv.Atoi(string(args[0]))
		if err != nil || n != 2 && n != 3 {
			return nil, reply("NOPROTO unsupported protocol version")
		}
		proto, args = n, args[1:]
	}
	name := c.name
	for len(args) > 0 {
		switch strings.ToUpper(string(args[0])) {
		case "AUTH":
			if len(args) < 3 {
				return nil, errSyntax
			}
			if err := c.login(string(args[2])); err != nil {
				return nil, reply(err.Error())
			}
			args = args[3:]
		case "SETNAME":
			if len(args) < 2 || len(args[1]) > longestName {
				return nil, errSyntax
			}
			name, args = string(args[1]), args[2:]
		default:
			return nil, errSyntax
		}
	}
	if !c.named {
		return nil, reply("NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time")
	}
	c.w.proto, c.name = proto, name
	return pairs{[]byte("server"), []byte("redis"), []byte("version"), []byte(redisVersion), []byte("proto"), int64(proto), []byte("id"), int64(1),
		[]byte("mode"), []byte("standalone"), []byte("role"), []byte("master"), []byte("modules"), array{}}, nil
}

// redisVersion is the version of Redis whose commands these are.
const redisVersion = "7.2.0"

func (c *session) auth(_ context.Context, args [][]byte) (any, error) {
	if err := c.login(string(args[len(args)-1])); err != nil {
		return nil, reply(err.Error())
	}
	return "OK", nil
}

func (c *session) quit(context.Context, [][]byte) (any, error) {
	c.bye = true
	return "OK", nil
}

func (c *session) reset(context.Context, [][]byte) (any, error) {
	c.w.proto, c.name, c.multi, c.queued, c.bytes = 2, "", false, nil, 0
	if c.s.o.Tokens != nil {
		c.grant, c.named = nil, false
	}
	return "RESET", nil
}

func (c *session) ping(_ context.Context, args [][]byte) (any, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	return "PONG", nil
}

func (c *session) selectDB(_ context.Context, args [][]byte) (any, error) {
	if string(args[0]) != "0" {
		return nil, refusef("DB index is out of range: worlds are in database 0")
	}
	return "OK", nil
}

func (c *session) client(_ context.Context, args [][]byte) (any, error) {
	switch sub := strings.ToUpper(string(args[0])); {
	case sub == "SETNAME" && len(args) == 2 && len(args[1]) <= longestName:
		c.name = string(args[1])
	case sub == "GETNAME":
		return []byte(c.name), nil
	case sub == "ID":
		return int64(1), nil
	case sub == "INFO" || sub == "LIST":
		return []byte("id=1 addr=" + c.remote + " name=" + c.name + " db=0 resp=" + strconv.Itoa(c.w.proto) + "\n"), nil
	case slices.Contains([]string{"SETINFO", "NO-EVICT", "NO-TOUCH", "REPLY", "CACHING"}, sub):
	default:
		return nil, refusef("unknown subcommand '%.40q'", sub)
	}
	return "OK", nil
}

func (c *session) about(_ context.Context, args [][]byte) (any, error) {
	if len(args) > 0 && strings.EqualFold(string(args[0]), "COUNT") {
		return int64(len(c.s.commands)), nil
	}
	if len(args) > 0 && strings.EqualFold(string(args[0]), "DOCS") {
		return pairs{}, nil
	}
	return array{}, nil
}

func (c *session) config(_ context.Context, args [][]byte) (any, error) {
	if !strings.EqualFold(string(args[0]), "GET") {
		return nil, refusef("cairn is configured by the flags of cairn serve")
	}
	return pairs{}, nil
}

func (c *session) info(context.Context, [][]byte) (any, error) {
	st := c.s.inbox.Stats()
	return []byte(fmt.Sprintf("# Server\r\nredis_version:%s\r\nredis_mode:standalone\r\n# Persistence\r\nloading:0\r\naof_enabled:1\r\n# Replication\r\nrole:master\r\n# Cairn\r\ninbox_waiting:%d\r\ninbox_kept:%d\r\n",
		redisVersion, st.Waiting, st.Kept)), nil
}

// maxQueued bounds the commands after MULTI.
const maxQueued = 1 << 16

func (c *session) begin(context.Context, [][]byte) (any, error) {
	if c.multi {
		return nil, refusef("MULTI calls can not be nested")
	}
	c.multi, c.broken, c.queued, c.bytes = true, false, nil, 0
	return "OK", nil
}

// enqueue keeps a command until EXEC. Small arguments take room too, from here on.
func (c *session) enqueue(args [][]byte) any {
	var n int64
	for _, a := range args {
		if n += 64; len(a) <= small {
			n += int64(len(a))
		}
	}
	if len(c.queued) >= maxQueued || !c.s.room.Reserve(n) {
		c.broken = true
		return reply("ERR too many commands after MULTI")
	}
	c.r.held += n
	c.queued = append(c.queued, args)
	return "QUEUED"
}

func (c *session) discard(context.Context, [][]byte) (any, error) {
	if !c.multi {
		return nil, refusef("DISCARD without MULTI")
	}
	c.multi, c.queued = false, nil
	return "OK", nil
}

// exec runs the commands after MULTI one after the other. Nobody else's come between those for one world only as far as
// each is for itself: what one saves is durable when EXEC is answered.
func (c *session) exec(context.Context, [][]byte) (any, error) {
	if !c.multi {
		return nil, refusef("EXEC without MULTI")
	}
	all, broken := c.queued, c.broken
	c.multi, c.broken, c.queued = false, false, nil
	if broken {
		return nil, reply("EXECABORT Transaction discarded because of previous errors.")
	}
	out := array{}
	for _, args := range all {
		name := strings.ToUpper(string(args[0]))
		out = append(out, c.call(name, c.s.commands[name], args[1:]))
	}
	return out, nil
}

// reach returns an error unless the caller's token is for the world.
func (c *session) reach(world string) error {
	if c.grant != nil && !c.grant.Reaches(world) {
		return reply("NOPERM the token is for other worlds")
	}
	return nil
}

// noWorld reports whether an error says that a world is not there.
func noWorld(err error) bool { return errors.Is(err, history.ErrNoWorld) }

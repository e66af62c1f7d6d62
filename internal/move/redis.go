package move

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// redis is the keys of AdvancedSlimePaper's loader, and of those before it.
type redis struct {
	conn net.Conn
	in   *bufio.Reader
	// noScripts says that the server runs none, so that bytes are signed here.
	noScripts bool
}

// Keys of the layouts: data, and the set of names, which older ones have not.
const (
	worldData = "aswm:world:data:"
	worldList = "aswm:world:list"
	olderData = "aswm_world_data_" // 2021
)

// redisHolds is the most bytes of a value.
const redisHolds = 512 << 20

func openRedis(ctx context.Context, u *url.URL) (files, error) {
	port := cmp.Or(u.Port(), "6379")
	addr := net.JoinHostPort(cmp.Or(u.Hostname(), "127.0.0.1"), port)
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	if u.Scheme == "rediss" {
		conn = tls.Client(conn, &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12})
	}
	r := &redis{conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}
	if password, ok := u.User.Password(); ok && u.User.Username() != "" {
		_, err = r.do(ctx, "AUTH", u.User.Username(), password)
	} else if ok {
		_, err = r.do(ctx, "AUTH", password)
	}
	if db := strings.Trim(u.Path, "/"); err == nil && db != "" && db != "0" {
		_, err = r.do(ctx, "SELECT", db)
	}
	if err == nil {
		_, err = r.do(ctx, "PING")
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return r, nil
}

func (r *redis) close() error { return r.conn.Close() }
func (r *redis) holds() int64 { return redisHolds }

// list returns the names in the set, and those of keys of all layouts that are in none.
func (r *redis) list(ctx context.Context) ([]string, error) {
	reply, err := r.do(ctx, "SMEMBERS", worldList)
	if err != nil {
		return nil, err
	}
	names := texts(reply)
	for _, prefix := range []string{worldData, olderData} {
		for cursor := "0"; ; {
			reply, err := r.do(ctx, "SCAN", cursor, "MATCH", prefix+"*", "COUNT", "1000")
			page, _ := reply.([]any)
			if err == nil && len(page) != 2 {
				err = fmt.Errorf("SCAN answers %v", reply)
			}
			if err != nil {
				return nil, err
			}
			for _, key := range texts(page[1]) {
				names = append(names, strings.TrimPrefix(key, prefix))
			}
			if cursor = text(page[0]); cursor == "0" {
				break
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// key returns the key of a world's data: the one that is there, else that of the newest layout.
func (r *redis) key(ctx context.Context, name string) (key string, there bool, err error) {
	for _, prefix := range []string{worldData, olderData} {
		n, err := r.do(ctx, "EXISTS", prefix+name)
		if err != nil || n == int64(1) {
			return prefix + name, err == nil, err
		}
	}
	return worldData + name, false, nil
}

// sign has the server hash the bytes, so that they need not be sent. Nobody gains by two worlds of one sign: the mirror would
// not see that his own changed.
func (r *redis) sign(ctx context.Context, name string) (string, error) {
	key, there, err := r.key(ctx, name)
	if err == nil && !there {
		err = fs.ErrNotExist
	}
	if err != nil {
		return "", err
	}
	if !r.noScripts {
		sum, err := r.do(ctx, "EVAL", "return redis.sha1hex(redis.call('GET', KEYS[1]) or '')", "1", key)
		if no := replyError(""); !errors.As(err, &no) {
			return text(sum), err
		}
		r.noScripts = true
	}
	_, sign, err := r.get(ctx, name, redisHolds)
	return sign, err
}

func (r *redis) get(ctx context.Context, name string, most int64) ([]byte, string, error) {
	key, there, err := r.key(ctx, name)
	if err == nil && !there {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, "", err
	}
	size, err := r.do(ctx, "STRLEN", key)
	if n, ok := size.(int64); err == nil && ok && n > most {
		err = tooLarge(n, most)
	}
	if err != nil {
		return nil, "", err
	}
	reply, err := r.do(ctx, "GET", key)
	data, ok := reply.([]byte)
	if err == nil && !ok {
		err = fs.ErrNotExist
	}
	return data, signOf(data), err
}

func (r *redis) put(ctx context.Context, name string, data []byte) error {
	key, _, err := r.key(ctx, name)
	if err == nil {
		_, err = r.do(ctx, "SET", key, string(data))
	}
	if err == nil && strings.HasPrefix(key, worldData) {
		_, err = r.do(ctx, "SADD", worldList, name)
	}
	return err
}

// replyError is an error that the server answers.
type replyError string

func (e replyError) Error() string { return string(e) }

// do sends a command and returns its answer: nil, int64, []byte or []any. After an error that the server did not answer the
// connection is closed, because what comes next on it would answer something else.
func (r *redis) do(ctx context.Context, args ...string) (reply any, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { r.conn.Close() })
	defer stop()
	out := bufio.NewWriterSize(r.conn, 64<<10)
	fmt.Fprintf(out, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(out, "$%d\r\n", len(a))
		out.WriteString(a)
		out.WriteString("\r\n")
	}
	if err = out.Flush(); err == nil {
		reply, err = r.read(0)
	}
	if no := replyError(""); err != nil && !errors.As(err, &no) {
		err = errors.Join(cmp.Or(ctx.Err(), err), r.conn.Close())
	}
	return reply, err
}

// read reads one answer of the protocol's version 2.
func (r *redis) read(depth int) (any, error) {
	const most, deepest = 1 << 24, 4 // members of a set; nothing that do sends is answered by more lists within lists
	all, err := r.in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	line := strings.TrimSuffix(string(all), "\r\n")
	if line == "" {
		return nil, errors.New("not an answer of Redis")
	}
	n, wrong := strconv.ParseInt(line[1:], 10, 64)
	switch kind := line[0]; {
	case kind == '+':
		return []byte(line[1:]), nil
	case kind == '-':
		return nil, replyError(line[1:])
	case kind == ':' && wrong == nil:
		return n, nil
	case (kind == '$' || kind == '*') && line[1:] == "-1":
		return nil, nil
	case kind == '$' && wrong == nil && n >= 0 && n <= redisHolds:
		var data bytes.Buffer // grows with what comes
		if _, err := io.CopyN(&data, r.in, n+2); err != nil {
			return nil, err
		}
		return data.Bytes()[:n], nil
	case kind == '*' && wrong == nil && n >= 0 && n <= most && depth < deepest:
		var list []any
		for range n {
			one, err := r.read(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
		return list, nil
	}
	return nil, fmt.Errorf("not an answer of Redis: %.40q", line)
}

func text(reply any) string {
	data, _ := reply.([]byte)
	return string(data)
}

func texts(reply any) (out []string) {
	list, _ := reply.([]any)
	for _, one := range list {
		out = append(out, text(one))
	}
	return out
}

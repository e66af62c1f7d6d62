// Package rcon speaks to the remote console of a game server. Source: wiki.vg/RCON. It is plain
// text over TCP: use it on this machine or through a tunnel.
package rcon

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// ErrPassword says that the server refused the password.
var ErrPassword = errors.New("the server refused the password")

// Types of packets. A command's is also that of the answer to a login.
const (
	typeAnswer  = 0
	typeCommand = 2
	typeLogin   = 3
)

const (
	// maxCommand is the longest payload that a server takes.
	maxCommand = 1446
	// maxPart is the payload of a packet of which more may follow.
	maxPart = 4096
	// maxAnswer bounds the packets of an answer together.
	maxAnswer = 1 << 20
	// around is what a packet has beside its payload, without its length.
	around = 10
	// refused is the id of the answer to a wrong password.
	refused = -1
)

// Console is a connection to a server's console after its login. One goroutine may use it at a
// time. After an error it is of no use but to be closed.
type Console struct {
	conn net.Conn
	id   int32 // of the last packet that was sent
}

// Dial connects to the console at HOST:PORT. The error of a wrong password wraps ErrPassword.
func Dial(ctx context.Context, addr, password string) (*Console, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("rcon: %w", err)
	}
	c := &Console{conn: conn}
	if err := c.within(ctx, func() error { return c.login(password) }); err != nil {
		conn.Close()
		return nil, fmt.Errorf("rcon: %s: login: %w", addr, err)
	}
	return c, nil
}

// Close closes the connection.
func (c *Console) Close() error { return c.conn.Close() }

// Command has the server run a command and returns its answer. A server answers a command that
// takes long when it is done. Answers to earlier commands, and such that come twice, are skipped.
func (c *Console) Command(ctx context.Context, command string) (answer string, err error) {
	err = c.within(ctx, func() error {
		answer, err = c.run(command)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("rcon: %s: %q: %w", c.conn.RemoteAddr(), command, err)
	}
	return answer, nil
}

// within calls f, which uses the connection, until ctx ends.
func (c *Console) within(ctx context.Context, f func() error) error {
	stop := context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) }) // f fails then
	defer stop()
	err := f()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (c *Console) login(password string) error {
	if err := c.send(typeLogin, password); err != nil {
		return err
	}
	for {
		p, err := c.receive()
		switch {
		case err != nil:
			return err
		case p.id == refused:
			return ErrPassword
		case p.kind == typeCommand && p.id == c.id:
			return nil
		}
	}
}

// run sends a command. If the first packet of its answer is full, more may follow, and only the
// answer to another command tells that all have come: the server reads one command at a time.
func (c *Console) run(command string) (string, error) {
	if err := c.send(typeCommand, command); err != nil {
		return "", err
	}
	var all strings.Builder
	first, last := c.id, c.id
	for {
		p, err := c.receive()
		switch {
		case err != nil:
			return "", err
		case p.id == last && last != first:
			return all.String(), nil
		case p.id != first:
			continue
		}
		all.WriteString(p.text)
		switch {
		case last != first:
		case len(p.text) < maxPart:
			return all.String(), nil
		default:
			if err := c.send(typeCommand, ""); err != nil {
				return "", err
			}
			last = c.id
		}
		if all.Len() > maxAnswer {
			return "", fmt.Errorf("an answer of more than %d bytes", maxAnswer)
		}
	}
}

// send sends a packet in one write: a server may take what one read gives for one packet.
func (c *Console) send(kind int32, text string) error {
	if len(text) > maxCommand || strings.ContainsRune(text, 0) {
		return fmt.Errorf("%d bytes: want at most %d, and none that is 0", len(text), maxCommand)
	}
	c.id++
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(text)+around))
	b = binary.LittleEndian.AppendUint32(b, uint32(c.id))
	b = binary.LittleEndian.AppendUint32(b, uint32(kind))
	b = append(append(b, text...), 0, 0)
	_, err := c.conn.Write(b)
	return err
}

// packet is what a server sent.
type packet struct {
	id, kind int32
	text     string
}

func (c *Console) receive() (p packet, err error) {
	var head [4]byte
	if _, err := io.ReadFull(c.conn, head[:]); err != nil {
		return p, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n < around || n > maxPart+around {
		return p, fmt.Errorf("a packet of %d bytes: want %d to %d", n, around, maxPart+around)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(c.conn, b); err != nil {
		return p, err
	}
	p.id, p.kind = int32(binary.LittleEndian.Uint32(b)), int32(binary.LittleEndian.Uint32(b[4:]))
	p.text = string(b[8 : n-2])
	return p, nil
}

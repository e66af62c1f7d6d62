package main

import (
	"bytes"
	"context"
	"fmt"
	"os/user"
	"time"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/port"
	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/pflag"
)

// version is a commit as verbs print it.
type version struct {
	Number  uint64    `json:"number"`
	ID      string    `json:"id"`
	Parent  string    `json:"parent"` // "" of the first
	Base    string    `json:"base"`   // "" if nothing is below
	Time    time.Time `json:"time"`
	Author  string    `json:"author"`
	Message string    `json:"message"`
	Stones  int       `json:"stones"` // that it added
	Bytes   int64     `json:"bytes"`
}

func versionOf(c history.Commit) *version {
	v := &version{Number: c.Number, ID: c.ID().String(), Time: c.Time, Author: c.Author, Message: c.Message, Stones: len(c.Stones)}
	for _, s := range c.Stones {
		v.Bytes += s.Size
	}
	for to, id := range map[*string]history.ID{&v.Parent: c.Parent, &v.Base: c.Base} {
		if id != (history.ID{}) {
			*to = id.String()
		}
	}
	return v
}

// short is the beginning of the id.
func (v *version) short() string { return v.ID[:8] }

// stamp is the time, as an address takes it.
func (v *version) stamp() string { return stamp(v.Time) }

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// String returns the number and the beginning of the id.
func (v *version) String() string { return fmt.Sprintf("%d (%s)", v.Number, v.short()) }

// note is what a user says to a commit.
type note struct{ message, author string }

func (n *note) flags(f *pflag.FlagSet) {
	f.StringVarP(&n.message, "message", "m", "", "what the log of @name says to it")
	f.StringVar(&n.author, "author", userName(), "who the log of @name says did it")
}

func (n *note) check() error {
	switch {
	case len(n.message) > history.MaxMessage:
		return usagef("--message of %d bytes: at most %d", len(n.message), history.MaxMessage)
	case len(n.author) > history.MaxAuthor:
		return usagef("--author of %d bytes: at most %d", len(n.author), history.MaxAuthor)
	}
	return nil
}

// userName is who runs the command, "" if the system does not know.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

// openKept opens the version of a world that an address means.
func openKept(ctx context.Context, d *depot, arg string) (*source, error) {
	a, err := parseAddress(arg)
	if err != nil {
		return nil, err
	}
	st, err := d.open(ctx)
	if err != nil {
		return nil, err
	}
	c, err := a.commit(ctx, st)
	if err != nil {
		return nil, err
	}
	s, err := world.OpenSnapshot(ctx, st, a.name, c.ID(), world.Options{})
	if err != nil {
		return nil, err
	}
	_, bytes := s.Stones()
	return &source{Source: port.Of(s), path: arg, bytes: bytes, kept: versionOf(c), snapshot: s}, nil
}

// keeping is what keeping a world in the store came to.
type keeping struct {
	Commit *version `json:"commit,omitempty"`
	Same   bool     `json:"same,omitempty"` // nothing differs, so there is no new commit
}

// keep makes w the newest version of a world of the store: the first of a new
// one, or a commit of what differs.
func (r *imported) keep(ctx context.Context, d *depot, w *convert.World, n note) error {
	var b bytes.Buffer
	id, _, err := convert.WriteStone(ctx, w, &b, port.AtOnce(r.options))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return r.keepStone(ctx, d, history.Stone{ID: id, Data: b.Bytes()}, n)
}

// keepStone is keep for a world that is a stone already.
func (r *imported) keepStone(ctx context.Context, d *depot, whole history.Stone, n note) error {
	name, err := parseName(r.World)
	if err != nil {
		return err
	}
	st, err := d.make(ctx)
	if err != nil {
		return err
	}
	r.ID, r.Bytes = whole.ID.String(), int64(len(whole.Data))
	c, same, err := port.Replace(ctx, st, name, whole, port.Note{Author: n.author, Message: n.message})
	r.Commit, r.Same = versionOf(c), same
	return err
}

func (k *keeping) print(t columns) {
	switch {
	case k.Commit == nil:
	case k.Same:
		t.row("  same as", k.Commit.String())
	default:
		t.row("  version", k.Commit.String())
	}
}

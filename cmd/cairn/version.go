package main

import (
	"context"
	"fmt"
	"os/user"
	"time"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/pflag"
)

// version is a commit as the verbs print it.
type version struct {
	Number  uint64    `json:"number"`
	ID      string    `json:"id"`
	Parent  string    `json:"parent"` // "" for the first commit
	Base    string    `json:"base"`   // "" if the commit needs no other
	Time    time.Time `json:"time"`
	Author  string    `json:"author"`
	Message string    `json:"message"`
	Stones  int       `json:"stones"` // added by this commit
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

// short returns the first digits of the id.
func (v *version) short() string { return v.ID[:8] }

// stamp returns the time as an address takes it.
func (v *version) stamp() string { return stamp(v.Time) }

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// String returns the number and the first digits of the id.
func (v *version) String() string { return fmt.Sprintf("%d (%s)", v.Number, v.short()) }

// note is the message and author of a commit.
type note struct {
	message, author string
	time            time.Time // of the commit; zero for the store's clock
}

func (n *note) flags(f *pflag.FlagSet) {
	f.StringVarP(&n.message, "message", "m", "", "the message in the log of @name")
	f.StringVar(&n.author, "author", userName(), "the author in the log of @name")
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

// userName returns the name of the user, "" if the system does not know it.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

// openVersion opens the version of an address.
func openVersion(ctx context.Context, sf *storeFlag, arg string) (*source, error) {
	a, st, c, err := sf.find(ctx, arg)
	if err != nil {
		return nil, err
	}
	s, err := world.OpenSnapshot(ctx, st, a.name, c.ID(), world.Options{Cache: sf.memory.cache()})
	if err != nil {
		return nil, err
	}
	_, bytes := s.Stones()
	return &source{Opened: port.FromContent(s), path: arg, bytes: bytes, commit: versionOf(c), snapshot: s}, nil
}

// commitResult is the result of committing a world.
type commitResult struct {
	Commit *version `json:"commit,omitempty"`
	Same   bool     `json:"same,omitempty"` // nothing differs, so no commit was made
}

func (k *commitResult) print(t console.Columns) {
	switch {
	case k.Commit == nil:
	case k.Same:
		t.Row("  same as", k.Commit.String())
	default:
		t.Row("  version", k.Commit.String())
	}
}

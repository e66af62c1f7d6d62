package wire

import (
	"encoding/hex"
	"fmt"
	"math"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// The media types of bodies.
const (
	JSONType = "application/json"
	// RecordsType is that of bodies that consist of records.
	RecordsType = "application/vnd.cairn"
)

// Bounds of answers.
const (
	MaxNames = 10_000 // names of worlds
	MaxLog   = 1000   // commits
)

// Headers of API.md.
const (
	FenceHeader = "Cairn-Fence"
	RetryHeader = "Cairn-Retry"
	LostHeader  = "Cairn-Lost"
	// StaleHeader says in an answer how many seconds ago the answer was true, if the
	// server cannot reach its store. In a call it is the largest number that the
	// caller accepts.
	StaleHeader = "Cairn-Stale"
	// PacksHeader is "yes" in the answers of a server that packs its worlds itself.
	PacksHeader = "Cairn-Packs"
	// ForceFence stands for history.Force in a FenceHeader.
	ForceFence = "force"
)

// HexID names a commit or a stone in JSON: lower-case hex, "" if it is zero.
type HexID [32]byte

// MarshalText is for encoding.TextMarshaler.
func (id HexID) MarshalText() ([]byte, error) {
	if id == (HexID{}) {
		return nil, nil
	}
	return hex.AppendEncode(nil, id[:]), nil
}

// UnmarshalText is for encoding.TextUnmarshaler.
func (id *HexID) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*id = HexID{}
		return nil
	}
	if len(b) != 2*len(id) {
		return fmt.Errorf("wire: id %.80q: want %d hex digits", b, 2*len(id))
	}
	if _, err := hex.Decode(id[:], b); err != nil {
		return fmt.Errorf("wire: id %q: want %d hex digits", b, 2*len(id))
	}
	return nil
}

// timeLayout is RFC 3339 with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// Time is a time in JSON: RFC 3339 in UTC with milliseconds.
type Time struct{ time.Time }

// MarshalJSON is for json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(make([]byte, 0, len(timeLayout)+2), `"`+timeLayout+`"`), nil
}

// Commit is COMMIT of API.md.
type Commit struct {
	ID      HexID      `json:"id"`
	Parent  HexID      `json:"parent"`
	Base    HexID      `json:"base"`
	Number  uint64     `json:"number"`
	Time    Time       `json:"time"`
	Author  string     `json:"author"`
	Message string     `json:"message"`
	Stones  []StoneRef `json:"stones"`
}

// StoneRef is a stone of a Commit.
type StoneRef struct {
	ID   HexID `json:"id"`
	Size int64 `json:"size"`
}

// CommitOf returns c in its JSON form.
func CommitOf(c history.Commit) Commit {
	out := Commit{
		ID: HexID(c.ID()), Parent: HexID(c.Parent), Base: HexID(c.Base), Number: c.Number, Time: Time{c.Time},
		Author: c.Author, Message: c.Message, Stones: make([]StoneRef, len(c.Stones)),
	}
	for i, s := range c.Stones {
		out.Stones[i] = StoneRef{HexID(s.ID), s.Size}
	}
	return out
}

// HeadAnswer is the answer to GET /v1/head.
type HeadAnswer struct {
	Commit HexID  `json:"commit"`
	Fence  uint64 `json:"fence"`
}

// Lease is LEASE of API.md.
type Lease struct {
	Fence  uint64 `json:"fence"`
	Holder string `json:"holder"`
	Until  Time   `json:"until"`
}

// LeaseOf returns l in its JSON form.
func LeaseOf(l history.Lease) Lease { return Lease{l.Fence, l.Holder, Time{l.Until}} }

// LeaseCall is the body of POST and PUT /v1/leases.
type LeaseCall struct {
	Holder  string  `json:"holder,omitempty"`
	Seconds Seconds `json:"seconds"`
}

// ForkCall is the body of POST /v1/fork. At is a VERSION.
type ForkCall struct {
	From string `json:"from"`
	At   string `json:"at,omitempty"`
}

// RenameCall is the body of POST /v1/rename.
type RenameCall struct {
	To string `json:"to"`
}

// WorldList is the answer to GET /v1/worlds.
type WorldList struct {
	Worlds []string `json:"worlds"`
	More   bool     `json:"more"` // more names follow the last of Worlds
	// Passed are the files that the server passed over, and why, if it shows a folder.
	Passed []string `json:"passed,omitempty"`
}

// Refusal is the answer to a call that failed.
type Refusal struct {
	Error Error `json:"error"`
}

// Seconds is a duration in JSON. Durations that do not fit become the longest one.
type Seconds float64

// SecondsOf returns d in seconds.
func SecondsOf(d time.Duration) Seconds { return Seconds(d.Seconds()) }

// Duration returns s to the nanosecond, as far as a float64 goes.
func (s Seconds) Duration() time.Duration {
	n := math.Round(float64(s) * float64(time.Second))
	switch {
	case n >= math.MaxInt64:
		return math.MaxInt64
	case n <= math.MinInt64:
		return math.MinInt64
	}
	return time.Duration(n)
}

// CollectCall is the body of POST /v1/collect.
type CollectCall struct {
	DryRun  bool      `json:"dry_run,omitzero"`
	Keep    Retention `json:"keep,omitzero"`
	Grace   Seconds   `json:"grace_seconds,omitzero"`
	Deleted Seconds   `json:"deleted_seconds,omitzero"`
}

// Retention is history.Retention in JSON.
type Retention struct {
	All     bool    `json:"all,omitzero"`
	Newest  int     `json:"newest,omitzero"`
	Hourly  Seconds `json:"hourly_seconds,omitzero"`
	Daily   Seconds `json:"daily_seconds,omitzero"`
	Monthly Seconds `json:"monthly_seconds,omitzero"`
}

// CollectCallOf returns p in its JSON form.
func CollectCallOf(p history.Policy) CollectCall {
	k := p.Keep
	return CollectCall{
		DryRun:  p.DryRun,
		Keep:    Retention{k.All, k.Newest, SecondsOf(k.Hourly), SecondsOf(k.Daily), SecondsOf(k.Monthly)},
		Grace:   SecondsOf(p.Grace),
		Deleted: SecondsOf(p.Deleted),
	}
}

// Policy returns p as a history.Policy.
func (p CollectCall) Policy() history.Policy {
	k := p.Keep
	return history.Policy{
		DryRun: p.DryRun,
		Keep: history.Retention{
			All: k.All, Newest: k.Newest,
			Hourly: k.Hourly.Duration(), Daily: k.Daily.Duration(), Monthly: k.Monthly.Duration(),
		},
		Grace:   p.Grace.Duration(),
		Deleted: p.Deleted.Duration(),
	}
}

// packCall is the first record of POST /v1/packs.
type packCall struct {
	After HexID `json:"after"`
	Upto  HexID `json:"upto"`
}

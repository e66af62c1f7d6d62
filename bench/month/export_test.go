package month

import "time"

// Island is an island with rules of its own.
type Island struct {
	island
	r *rules
}

// NewIsland returns an island that has nothing but its template.
func NewIsland(template int) *Island {
	r := newRules()
	r.template = uint32(template)
	return &Island{island{full: uint32(template) * 2}, r}
}

// Start is the first minute.
func (i *Island) Start() time.Time { return i.r.start }

// Save saves, and returns the size of the pack that it made, or 0.
func (i *Island) Save(minute, size int) int { return int(i.save(uint32(minute), uint32(size), i.r)) }

// Collect collects.
func (i *Island) Collect(now time.Time) { i.collect(now, i.r, func(kept) {}) }

// Count returns how many records of each kind there are.
func (i *Island) Count() [4]int {
	logs, commits, packs, stones := i.count()
	return [4]int{logs, commits, packs, stones}
}

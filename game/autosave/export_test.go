package autosave

// What a Fleet is made of, for tests of each part.
type (
	Policy  = policy
	World   = target
	Save    = save
	Leases  = leases
	Leased  = leased
	Renewal = renewal
)

var (
	New       = newPolicy
	NewLeases = newLeases
)

func (k *Kept) Drop() { k.drop() }

// Sure reports whether a lease is held and sure.
func (l *leases) Sure(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.held[name]
	return h != nil && l.sure(h)
}

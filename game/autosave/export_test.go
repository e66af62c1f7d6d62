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

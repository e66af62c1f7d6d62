package postgres

import "time"

// answer is a time of the server and when it came, by the local clock.
type answer struct {
	server, local time.Time
	// hold is how much of the server's time does not count yet, because its clock jumped
	// ahead. It shrinks by the time that passes: time goes on at twice the speed until it is
	// the server's again. A lease that is renewed in time lives through that.
	hold time.Duration
}

func (a *answer) at(now time.Time) time.Time {
	passed := now.Sub(a.local)
	return a.server.Add(passed - max(0, a.hold-max(0, passed)))
}

const (
	// fresh is how long an answer tells the server's time.
	fresh = 5 * time.Second
	// jump is from where on the server's clock has jumped ahead, and is not just another one.
	jump = 5 * time.Second
	// maxHold is as long as the longest lease.
	maxHold = 24 * time.Hour
)

// heard notes a time of the server in an answer that just came. It keeps an earlier
// answer that took less long.
func (c *Database) heard(server time.Time) {
	now := c.now()
	next := &answer{server: server, local: now}
	if was := c.clock.Load(); was != nil {
		// A machine that slept has missed the time on one of its clocks alone.
		passed := max(now.Sub(was.local), now.Round(0).Sub(was.local.Round(0)), 0)
		ahead := server.Sub(was.server.Add(passed))
		if passed <= fresh && ahead <= 0 {
			return
		}
		if next.hold = max(0, was.hold-passed); ahead > jump {
			next.hold = min(next.hold+ahead, maxHold)
		}
	}
	c.clock.Store(next)
}

// Ahead returns by how much the server's clock is ahead of this machine's, 0 while no answer
// has told.
func (c *Database) Ahead() time.Duration {
	a := c.clock.Load()
	if a == nil {
		return 0
	}
	return a.server.Sub(a.local.Round(0))
}

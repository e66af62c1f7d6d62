package postgres

import "time"

// Hear lets a Database without a server hear times of one, and tells the time that it has then.
func Hear(now func() time.Time) func(server time.Time) time.Time {
	c := &Database{now: now}
	return func(server time.Time) time.Time {
		c.heard(server)
		return c.clock.Load().at(now())
	}
}

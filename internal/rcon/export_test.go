package rcon

import "encoding/json"

// Kill kills the guard of a hold.
func Kill(h *Hold) error { return h.guard.Process.Kill() }

// Order is what a guard is told.
func Order(d Door, save string) []byte {
	b, err := json.Marshal(order{d, save})
	if err != nil {
		panic(err)
	}
	return append(b, '\n')
}

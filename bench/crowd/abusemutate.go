package crowd

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// mutate sends garbled calls, spread over the time, and returns their answers.
func (a *abuse) mutate(ctx context.Context, n int) map[string]int {
	answers := make(map[string]int)
	var mu sync.Mutex // guards answers
	begun, all := time.Now(), time.Until(a.until)
	_ = inParallel(ctx, n, mutators, func(i int) error { // returns no error but that of ctx
		sleep(ctx, time.Until(begun.Add(all*time.Duration(i)/time.Duration(n))))
		random := rand.New(rand.NewPCG(a.o.Seed, uint64(i)))
		answer := "none"
		if c, err := a.dial(ctx); err == nil {
			answer = a.ask(c, string(garbled(random, a.calls[random.IntN(len(a.calls))], a.host)))
			_ = c.Close() // nothing is wanted of it any more
		}
		mu.Lock()
		defer mu.Unlock()
		answers[answer]++
		return nil
	})
	return answers
}

// mutators is how many garbled calls there are at a time: some wait for an answer
// that never comes.
const mutators = 128

// garbled returns a call with faults in its path, its body or anywhere.
func garbled(r *rand.Rand, c call, host string) []byte {
	switch r.IntN(4) {
	case 0:
		c.path = string(mutated(r, []byte(c.path)))
	case 1:
		c.body = mutated(r, c.body)
	case 2:
		if len(c.headers) > 0 {
			c.headers = slices.Clone(c.headers)
			i := r.IntN(len(c.headers))
			c.headers[i] = string(mutated(r, []byte(c.headers[i])))
		}
	default:
		return mutated(r, c.bytes(host))
	}
	return c.bytes(host)
}

// evil is input that no honest caller sends.
var evil = [...]string{"%2e%2e/", "/../..", "\x00", "\r\n\r\n", "-1", "99999999999999999999", "\xff\xfe", "Content-Length: 9\r\n", "Transfer-Encoding: chunked\r\n",
	"{\"a\":[[[[[[[[", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "?at=", "&at=1", "null", "1e999", " "}

// mutated returns b with one to four faults.
func mutated(r *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + r.IntN(4) {
		from := r.IntN(len(b) + 1)
		to := min(len(b), from+1+r.IntN(16))
		switch r.IntN(6) {
		case 0:
			if from < to {
				b[from] ^= 1 << r.IntN(8)
			}
		case 1:
			b = slices.Delete(b, from, to)
		case 2:
			b = slices.Insert(b, from, b[from:to]...)
		case 3:
			b = slices.Insert(b, from, []byte(evil[r.IntN(len(evil))])...)
		case 4:
			b = b[:from]
		case 5:
			for i := range b[from:to] {
				b[from+i] = byte(r.Uint32())
			}
		}
	}
	return b
}

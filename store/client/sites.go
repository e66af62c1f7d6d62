package client

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// sites are the addresses of a Store. Servers at all of them serve the same worlds. A
// Store calls the first address, its home, as long as that answers. After a failure it
// avoids an address for a while. When that time is over, one call tries it again, and
// the others follow after it has answered.
type sites struct {
	all []url.URL // does not change

	mu     sync.Mutex
	health []health // of each site
	home   int
}

// health is what the last calls to a site have shown.
type health struct {
	failed int       // calls that failed since the last answer
	until  time.Time // when the next call may try it
}

const (
	// firstAvoid is how long a site is avoided after a failure. The time doubles with
	// each further one, up to maxAvoid.
	firstAvoid = 500 * time.Millisecond
	maxAvoid   = 10 * time.Second
	maxSites   = 64
)

// parseAddresses parses addresses with commas between them. It never repeats an
// address in an error, because it may hold a secret.
func parseAddresses(text string) ([]url.URL, error) {
	var all []url.URL
	for address := range strings.SplitSeq(text, ",") {
		u, err := parseAddress(strings.TrimSpace(address))
		if err != nil {
			return nil, err
		}
		if all = append(all, u); len(all) > maxSites {
			return nil, fmt.Errorf("client: open: more than %d addresses", maxSites)
		}
	}
	return all, nil
}

// parseAddress parses one address.
func parseAddress(address string) (url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		err = errors.New("not an address")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		err = errors.New("want http://HOST or https://HOST, or several with commas between them")
	case u.User != nil:
		err = errors.New("a user in an address: give a token instead")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		err = errors.New("a query in an address")
	default:
		return url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimRight(u.Path, "/")}, nil
	}
	return url.URL{}, fmt.Errorf("client: open: %w", err)
}

// order returns all sites in the order in which a call tries them: from the home on,
// but those that are avoided come last, the one that is avoided longest at the end.
func (s *sites) order(now time.Time) []int {
	n := len(s.all)
	if n == 1 {
		return onlySite
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	order := make([]int, n)
	for i := range order {
		order[i] = (s.home + i) % n
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return s.health[a].waits(now).Compare(s.health[b].waits(now))
	})
	if h := &s.health[order[0]]; h.failed > 0 {
		h.until = now.Add(h.avoid()) // this call tries it; the others go elsewhere until it has answered
	}
	return order
}

// onlySite is the order of one site. Nobody changes it.
var onlySite = []int{0}

// waits returns until when the site is avoided, or zero if it is not.
func (h health) waits(now time.Time) time.Time {
	if h.failed == 0 || !now.Before(h.until) {
		return time.Time{}
	}
	return h.until
}

func (h health) avoid() time.Duration {
	return min(firstAvoid<<min(h.failed-1, 10), maxAvoid)
}

// answered says that a site answered.
func (s *sites) answered(i int) { s.set(i, health{}) }

// failed says that a site does not answer, or that it serves nothing at this moment.
func (s *sites) failed(i int, now time.Time) {
	if len(s.all) == 1 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &s.health[i]
	h.failed++
	h.until = now.Add(h.avoid())
}

func (s *sites) set(i int, h health) {
	if len(s.all) == 1 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.health[i] = h
}

// hosts returns the hosts of all sites, for people.
func (s *sites) hosts() string {
	hosts := make([]string, len(s.all))
	for i, u := range s.all {
		hosts[i] = u.Host
	}
	return strings.Join(hosts, ", ")
}

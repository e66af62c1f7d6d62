// Package seaweed is a blob.Bucket in SeaweedFS, by file id: the plain HTTP protocol
// of its masters and volume servers, without its filer. Begin with Open; FORMAT.md
// has the records that say where bytes are, and why a crash loses nothing.
//
// A save needs no master: ids are assigned by the hundreds beforehand. Bytes have
// three copies. While a server is down, new bytes have two; Repair makes the third
// afterwards. Somebody must call Sweep and Repair now and then.
package seaweed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// Options of Open. The zero value is the default, but there is a master.
type Options struct {
	// Masters are the addresses HOST:PORT of the masters, or their URLs.
	Masters []string
	// Collection is where the bytes are. Default "cairn".
	Collection string
	// Copies and Fewer are SeaweedFS's words for the number of copies and where
	// they are, and what to use while a server is down. Default 002 and 001: three
	// and two servers. 020 and 010 ask for servers in as many racks.
	Copies, Fewer string
	// IDs is how many file ids are assigned at once, and Batches how many such
	// batches are kept ready. Default 250 and 4.
	IDs, Batches int
	// PartBytes is the largest body in one file of SeaweedFS. Larger ones are cut.
	// Default 8 MiB. The servers' own limit is 256 MiB.
	PartBytes int
	// Timeout is how long a request may take, and a second longer for each MiB of
	// its body. Default 4 s.
	Timeout time.Duration
	// Within is how long masters are asked again for ids. Default twice the Timeout.
	Within time.Duration
	// Tries is how often a part is put, each time to another file. Default 6.
	Tries int
	// FewerFor is how long new bytes have fewer copies before all are tried again.
	// Default 10 s.
	FewerFor time.Duration
	// OnRequest is called after each request, by many goroutines at once. Its words
	// besides those of blob.Request are assign and lookup. Default: nobody.
	OnRequest func(blob.Request)
	// Now is the clock. Default time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() (Options, error) {
	defaults := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	defaults(&o.IDs, 250)
	defaults(&o.Batches, 4)
	defaults(&o.PartBytes, 8<<20)
	defaults(&o.Tries, 6)
	words := func(s *string, to string) {
		if *s == "" {
			*s = to
		}
	}
	words(&o.Collection, "cairn")
	words(&o.Copies, "002")
	words(&o.Fewer, "001")
	if o.Timeout == 0 {
		o.Timeout = 4 * time.Second
	}
	if o.Within == 0 {
		o.Within = 2 * o.Timeout
	}
	if o.FewerFor == 0 {
		o.FewerFor = 10 * time.Second
	}
	if o.OnRequest == nil {
		o.OnRequest = func(blob.Request) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if len(o.Masters) == 0 {
		return o, errors.New("there is no master")
	}
	for i, s := range o.Masters {
		if !strings.Contains(s, "://") {
			s = "http://" + s
		}
		u, err := url.Parse(s)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.User != nil {
			return o, fmt.Errorf("master %d is not of the form HOST:PORT", i+1)
		}
		if i == 0 {
			o.Masters = append([]string(nil), o.Masters...)
		}
		o.Masters[i] = u.Scheme + "://" + u.Host
	}
	if copies(o.Copies) == 0 || copies(o.Fewer) == 0 || copies(o.Fewer) > copies(o.Copies) {
		return o, fmt.Errorf("copies %q, fewer %q: each has three digits, and the second is not more", o.Copies, o.Fewer)
	}
	if o.IDs < 1 || o.IDs > 1<<12 || o.PartBytes < 1 || o.PartBytes > 1<<28 {
		return o, fmt.Errorf("%d ids in a batch, parts of %d bytes: too few or too many", o.IDs, o.PartBytes)
	}
	return o, nil
}

// copies is the number of copies that a word of SeaweedFS means, or 0 if it is none:
// copies in other data centres, in other racks, on other servers.
func copies(word string) int {
	if len(word) != 3 {
		return 0
	}
	n := 1
	for _, c := range []byte(word) {
		if c < '0' || c > '9' {
			return 0
		}
		n += int(c - '0')
	}
	return n
}

// Volumes is a blob.Bucket.
type Volumes struct {
	o      Options
	names  Records
	http   *http.Client
	scheme string
	all    *pool // ids for all copies
	fewer  *pool // ids for fewer

	mu      sync.Mutex
	master  int                  // the one that answered last
	where   map[uint32]locations // of volumes
	lacking bool                 // new bytes have fewer copies
	again   time.Time            // when all copies are tried again
	mean    float64              // bytes of a part, as a moving mean
	served  time.Time            // when a volume server answered last
	silent  map[string]time.Time // servers that did not answer, and when
	work    sync.WaitGroup       // of goroutines
}

// locations are the servers of a volume.
type locations struct {
	servers []string
	some    bool // there are others: this is the one that bytes were put to
}

var _ blob.Bucket = (*Volumes)(nil)

// Open opens a bucket. It makes two calls to a master. It refuses a SeaweedFS that has no
// places for the copies: racks that the words do not name, or the other way round.
func Open(ctx context.Context, names Records, o Options) (*Volumes, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("seaweed: open: %w", err)
	}
	t := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: o.Timeout / 2, KeepAlive: 15 * time.Second}).DialContext,
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     30 * time.Second,
		DisableCompression:  true,
		WriteBufferSize:     32 << 10,
		ReadBufferSize:      32 << 10,
	}
	b := &Volumes{o: o, names: names, where: make(map[uint32]locations), silent: make(map[string]time.Time), mean: 24_000}
	b.http = &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	b.scheme, _, _ = strings.Cut(o.Masters[0], "://")
	b.all, b.fewer = newPool(b, o.Copies), newPool(b, o.Fewer)
	err = b.Ping(ctx)
	if err == nil {
		err = b.fits(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("seaweed: open: %w", err)
	}
	return b, nil
}

// Close gives back the ids that were assigned and not used.
func (b *Volumes) Close() error {
	b.work.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), b.o.Timeout)
	defer cancel()
	b.all.close(ctx)
	b.fewer.close(ctx)
	b.work.Wait()
	b.http.CloseIdleConnections()
	return nil
}

// answer is what a server said.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask makes one request. It reads at most most bytes of the answer. The error is
// blob.ErrAway if there is no answer.
func (b *Volumes) ask(ctx context.Context, op, method, to string, body []byte, most int64, header ...string) (answer, error) {
	began := b.o.Now()
	inner, cancel := context.WithTimeout(ctx, b.o.Timeout+time.Duration(max(int64(len(body)), most))*time.Second/(1<<20))
	defer cancel()
	a, err := b.exchange(inner, method, to, body, most, header)
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err != nil:
		err = fmt.Errorf("%w: %w", blob.ErrAway, err)
	case a.status >= 500 || a.status == http.StatusRequestTimeout || a.status == http.StatusTooManyRequests:
		err = fmt.Errorf("%w: %s %s: status %d: %s", blob.ErrAway, method, to, a.status, text(a.body))
	}
	b.o.OnRequest(blob.Request{Op: op, Bytes: int64(max(len(body), len(a.body))), Took: b.o.Now().Sub(began), Err: err})
	return a, err
}

// text is the beginning of an answer, for an error.
func text(b []byte) string { return strconv.Quote(string(b[:min(len(b), 200)])) }

func (b *Volumes) exchange(ctx context.Context, method, to string, body []byte, most int64, header []string) (a answer, err error) {
	var r io.Reader
	if body != nil {
		r = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, to, r)
	if err != nil {
		return a, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/octet-stream")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	got, err := b.http.Do(req)
	if err != nil {
		return a, err
	}
	defer got.Body.Close()
	a.status, a.header = got.StatusCode, got.Header
	if n := got.ContentLength; n >= 0 && n <= most {
		a.body = make([]byte, n)
		if _, err := io.ReadFull(got.Body, a.body); err != nil {
			return a, err
		}
		_, err = io.Copy(io.Discard, got.Body) // so that the connection can be used again
		return a, err
	}
	if a.body, err = io.ReadAll(io.LimitReader(got.Body, most+1)); err == nil && int64(len(a.body)) > most {
		err = fmt.Errorf("the answer has more than %d bytes", most)
	}
	return a, err
}

// mostJSON is the size of the largest answer of a master.
const mostJSON = 1 << 20

// askMaster asks the masters one after the other, first the one that answered last.
// Any of them passes a question on to the leader.
func (b *Volumes) askMaster(ctx context.Context, op, path string, out any) (status int, err error) {
	b.mu.Lock()
	first := b.master
	b.mu.Unlock()
	for i := range b.o.Masters {
		at := (first + i) % len(b.o.Masters)
		a, askErr := b.ask(ctx, op, http.MethodGet, b.o.Masters[at]+path, nil, mostJSON)
		if askErr == nil {
			b.mu.Lock()
			b.master = at
			b.mu.Unlock()
			if err := json.Unmarshal(a.body, out); err != nil {
				return a.status, fmt.Errorf("the master answers %s: %w", text(a.body), err)
			}
			return a.status, nil
		}
		err = askErr
		if ctx.Err() != nil {
			break
		}
	}
	return 0, err
}

// Ping is for blob.Pinger. Saves and loads go on for a while without any master, so it
// asks volume servers, and nobody if one answered a moment ago. It asks a master as long
// as it knows no volume server.
func (b *Volumes) Ping(ctx context.Context) error {
	b.mu.Lock()
	fresh := b.o.Now().Sub(b.served) < b.o.Timeout
	known := make(map[string]bool)
	var volume uint32
	for v, l := range b.where {
		volume = v
		for _, s := range l.servers {
			known[s] = true
		}
	}
	b.mu.Unlock()
	if fresh {
		return ctx.Err()
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan error, len(known)+1)
	for s := range known {
		b.work.Go(func() { answers <- b.greet(within, s) })
	}
	b.work.Go(func() { answers <- b.look(within, volume, len(known) > 0) })
	var err error
	for range cap(answers) {
		if err = <-answers; err == nil {
			return nil
		}
	}
	return fmt.Errorf("seaweed: ping: %w", err)
}

// greet asks a volume server whether it is there.
func (b *Volumes) greet(ctx context.Context, server string) error {
	_, err := b.ask(ctx, "ping", http.MethodGet, b.scheme+"://"+server+"/status", nil, mostJSON)
	b.hear(server, err)
	return err
}

// look asks a master, and then the servers that a volume has now: those that are known
// may all be gone. Without a volume the master's answer is enough.
func (b *Volumes) look(ctx context.Context, volume uint32, known bool) error {
	if !known {
		var out struct{ Leader string }
		_, err := b.askMaster(ctx, "ping", "/cluster/status", &out)
		return err
	}
	servers, _, err := b.locate(ctx, volume, true)
	for _, s := range servers {
		if err = b.greet(ctx, s); err == nil {
			break
		}
	}
	return err
}

// lookups is how often all masters are asked where a volume is, if none answers.
const lookups = 3

// locate returns the servers of a volume in random order, those that were silent last,
// and whether a master has just said that these are all.
func (b *Volumes) locate(ctx context.Context, volume uint32, fresh bool) (servers []string, all bool, err error) {
	b.mu.Lock()
	have, ok := b.where[volume]
	b.mu.Unlock()
	if !ok || fresh || have.some {
		var out struct {
			Error     string
			Locations []struct{ URL string }
		}
		path := fmt.Sprintf("/dir/lookup?volumeId=%d&collection=%s", volume, url.QueryEscape(b.o.Collection))
		var status int
		status, err = b.askMaster(ctx, "lookup", path, &out)
		for n := 1; n < lookups && errors.Is(err, blob.ErrAway) && pause(ctx, n); n++ {
			status, err = b.askMaster(ctx, "lookup", path, &out)
		}
		if err != nil && !ok {
			return nil, false, fmt.Errorf("volume %d: %w", volume, err)
		}
		if all = err == nil; all {
			have = locations{}
		}
		for _, l := range out.Locations {
			have.servers = append(have.servers, l.URL)
		}
		if len(have.servers) == 0 {
			return nil, false, fmt.Errorf("%w: volume %d: the master knows no server that has it: status %d: %s", blob.ErrAway, volume, status, out.Error)
		}
		b.mu.Lock()
		b.where[volume] = have
		b.mu.Unlock()
	}
	servers = append(servers, have.servers...)
	rand.Shuffle(len(servers), func(i, j int) { servers[i], servers[j] = servers[j], servers[i] })
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.SortStableFunc(servers, func(s, t string) int { return b.silent[s].Compare(b.silent[t]) })
	return servers, all, nil
}

// hear notes whether a server answers. One that does not is asked last for a while.
func (b *Volumes) hear(server string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.o.Now()
	if err == nil {
		b.served = now
	}
	if errors.Is(err, blob.ErrAway) {
		b.silent[server] = now
	} else if t, ok := b.silent[server]; ok && (err == nil || now.Sub(t) > b.o.FewerFor) {
		delete(b.silent, server)
	}
}

// now is the time by the names' clock, if they have one.
func (b *Volumes) now(ctx context.Context) (time.Time, error) {
	if c, ok := b.names.(blob.Clock); ok {
		return c.Time(ctx)
	}
	return b.o.Now(), nil
}

// Package weedtest is a SeaweedFS in memory, for tests: masters and volume servers with
// the protocol by file id, and with the traps of version 4.44 that were measured.
// Begin with New. It does not know what the package seaweed does not ask.
package weedtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Numbers of the traps.
const (
	// volumeBytes is the size of a full volume. A real one has 30 GB.
	volumeBytes = 32 << 20
	// guessBytes is what the master books for an id without dataSize.
	guessBytes = 1 << 20
	// mostVolumes is how many volumes there can be.
	mostVolumes = 30
	// staleFor is how long a volume server believes where the other copies are.
	staleFor = 10 * time.Minute
	// leaderless and warming are how long a new leader takes.
	leaderless = 12 * time.Second
	warming    = 5 * time.Second
)

// Options of a Cluster. The zero value is the default.
type Options struct {
	Masters, Servers int // default 3 and 3
	// Racks is how many racks of one data centre the servers are in, in turn; default 1.
	// Volumes do not heed them.
	Racks int
	// Growing is how many assigns of new volumes are refused while they are made.
	Growing int
	// Now is the clock. Default time.Now.
	Now func() time.Time
	// Wrap changes the handler of each server. Default: not.
	Wrap func(http.Handler) http.Handler
}

// Cluster is masters and volume servers. Its methods are safe for any number of
// goroutines.
type Cluster struct {
	o       Options
	masters []*node
	servers []*node

	mu       sync.Mutex
	leader   int
	since    time.Time // of the leader
	volumes  map[int]*volume
	number   uint64
	unsynced int
	growing  int
}

// node is a master or a volume server.
type node struct {
	*httptest.Server
	down  bool
	files map[int]map[string][]byte // of a volume server, by volume and id
	asked map[int]known             // where the others of a volume are
}

type known struct {
	at    time.Time
	nodes []*node
}

type volume struct {
	word   string
	nodes  []*node
	booked int64
}

// New starts a cluster. Close ends it.
func New(o Options) *Cluster {
	if o.Masters == 0 {
		o.Masters = 3
	}
	if o.Servers == 0 {
		o.Servers = 3
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wrap == nil {
		o.Wrap = func(h http.Handler) http.Handler { return h }
	}
	c := &Cluster{o: o, volumes: make(map[int]*volume), growing: o.Growing}
	for i := range o.Masters {
		n := &node{}
		n.Server = httptest.NewServer(o.Wrap(c.alive(n, func(w http.ResponseWriter, r *http.Request) { c.serveMaster(i, w, r) })))
		c.masters = append(c.masters, n)
	}
	for range o.Servers {
		n := &node{files: make(map[int]map[string][]byte), asked: make(map[int]known)}
		n.Server = httptest.NewServer(o.Wrap(c.alive(n, func(w http.ResponseWriter, r *http.Request) { c.serveVolume(n, w, r) })))
		c.servers = append(c.servers, n)
	}
	return c
}

// Close ends all servers.
func (c *Cluster) Close() {
	for _, n := range append(c.masters, c.servers...) {
		n.CloseClientConnections()
		n.Close()
	}
}

// Masters are the addresses of the masters.
func (c *Cluster) Masters() (out []string) {
	for _, n := range c.masters {
		out = append(out, strings.TrimPrefix(n.URL, "http://"))
	}
	return out
}

// KillServer ends a volume server until StartServer.
func (c *Cluster) KillServer(i int) { c.setDown(c.servers[i], true) }

// StartServer starts a volume server again, with the bytes that it had.
func (c *Cluster) StartServer(i int) { c.setDown(c.servers[i], false) }

// KillMaster ends a master until StartMaster. If it leads, another one leads after 17
// seconds.
func (c *Cluster) KillMaster(i int) {
	c.setDown(c.masters[i], true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leader == i {
		c.leader = slices.IndexFunc(c.masters, func(n *node) bool { return !n.down })
		c.since = c.o.Now()
	}
}

// StartMaster starts a master again.
func (c *Cluster) StartMaster(i int) { c.setDown(c.masters[i], false) }

func (c *Cluster) setDown(n *node, down bool) {
	c.mu.Lock()
	n.down = down
	c.mu.Unlock()
	if down {
		n.CloseClientConnections()
	}
}

// LoseServer ends a volume server for good, and copies what it had to another one. The
// servers that are left do not learn of it for ten minutes, and refuse to write.
func (c *Cluster) LoseServer(i int) {
	c.KillServer(i)
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, v := range c.volumes {
		at := slices.Index(v.nodes, c.servers[i])
		if at < 0 {
			continue
		}
		for _, n := range c.servers {
			if !n.down && !slices.Contains(v.nodes, n) {
				n.files[id] = make(map[string][]byte)
				for _, from := range v.nodes {
					for name, data := range from.files[id] {
						n.files[id][name] = data
					}
				}
				v.nodes[at] = n
				break
			}
		}
	}
}

// Files is how many servers have each file.
func (c *Cluster) Files() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]int)
	for _, n := range c.servers {
		for id, files := range n.files {
			for name := range files {
				out[fmt.Sprint(id, ",", name)]++
			}
		}
	}
	return out
}

// Damage changes each file of a volume server.
func (c *Cluster) Damage(i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, files := range c.servers[i].files {
		for name, data := range files {
			data = slices.Clone(data)
			data[0] ^= 1
			files[name] = data
		}
	}
}

// Forget deletes all files of a volume server.
func (c *Cluster) Forget(i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, files := range c.servers[i].files {
		clear(files)
	}
}

// Unsynced is how many puts did not wait for stable storage.
func (c *Cluster) Unsynced() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unsynced
}

// alive answers for a node while it is up. Requests are served one at a time.
func (c *Cluster) alive(n *node, serve http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if n.down {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		serve(w, r)
	})
}

func answer(w http.ResponseWriter, status int, out map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out) // the client may be gone
}

func refuse(w http.ResponseWriter, status int, why string) {
	answer(w, status, map[string]any{"error": why})
}

func (c *Cluster) serveMaster(i int, w http.ResponseWriter, r *http.Request) {
	led := c.o.Now().Sub(c.since)
	switch path := r.URL.Path; {
	case path == "/cluster/status":
		answer(w, http.StatusOK, map[string]any{"IsLeader": i == c.leader})
	case path == "/dir/status":
		racks := make([]map[string]any, max(1, c.o.Racks))
		for i, n := range c.servers {
			if at := i % len(racks); !n.down {
				if racks[at] == nil {
					racks[at] = map[string]any{"Id": fmt.Sprint(at)}
				}
				nodes, _ := racks[at]["DataNodes"].([]map[string]string)
				racks[at]["DataNodes"] = append(nodes, map[string]string{"Url": address(n)})
			}
		}
		answer(w, http.StatusOK, map[string]any{"Topology": map[string]any{"DataCenters": []any{map[string]any{"Id": "one", "Racks": racks}}}})
	case path == "/dir/lookup":
		id, _ := strconv.Atoi(r.FormValue("volumeId"))
		var out []map[string]string
		if v := c.volumes[id]; v != nil {
			for _, n := range v.nodes {
				if !n.down {
					out = append(out, map[string]string{"url": address(n)})
				}
			}
		}
		if out == nil {
			answer(w, http.StatusNotFound, map[string]any{"volumeOrFileId": fmt.Sprint(id), "error": "volume id not found"})
			return
		}
		answer(w, http.StatusOK, map[string]any{"volumeOrFileId": fmt.Sprint(id), "locations": out})
	case path != "/dir/assign":
		refuse(w, http.StatusNotFound, "no such page")
	case !c.since.IsZero() && led < leaderless:
		refuse(w, http.StatusInternalServerError, "raft: no leader")
	case !c.since.IsZero() && led < leaderless+warming:
		refuse(w, http.StatusServiceUnavailable, "master is warming up, topology is still loading")
	default:
		c.assign(w, r)
	}
}

func address(n *node) string { return strings.TrimPrefix(n.URL, "http://") }

func (c *Cluster) assign(w http.ResponseWriter, r *http.Request) {
	word := r.FormValue("replication")
	count := max(1, number(r.FormValue("count")))
	size := number(r.FormValue("dataSize"))
	if size == 0 {
		size = guessBytes
	}
	id := c.writable(word)
	if id == 0 {
		if c.growing > 0 {
			c.growing--
			refuse(w, http.StatusServiceUnavailable, "no writable volumes, volume growth in progress")
			return
		}
		if id = c.grow(word); id == 0 {
			refuse(w, http.StatusNotAcceptable, "No writable volumes and no free volumes left for "+word)
			return
		}
	}
	v := c.volumes[id]
	v.booked += int64(count) * int64(size)
	first := c.number + 1
	c.number += uint64(count)
	answer(w, http.StatusOK, map[string]any{"fid": fmt.Sprintf("%d,%x%08x", id, first, 0xabcd0000+uint32(first)), "url": address(v.nodes[0]), "publicUrl": address(v.nodes[0]), "count": count})
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // none is 0
	return n
}

// writable returns a volume that has room and all of its servers, or 0.
func (c *Cluster) writable(word string) int {
	best := 0
	for id, v := range c.volumes {
		up := !slices.ContainsFunc(v.nodes, func(n *node) bool { return n.down })
		if v.word == word && up && v.booked < volumeBytes && (best == 0 || v.booked < c.volumes[best].booked) {
			best = id
		}
	}
	return best
}

// grow makes three volumes, as far as there are servers and room.
func (c *Cluster) grow(word string) int {
	copies := 1
	for _, d := range word {
		copies += int(d - '0')
	}
	var up []*node
	for _, n := range c.servers {
		if !n.down {
			up = append(up, n)
		}
	}
	made := 0
	for range 3 {
		if len(up) < copies || len(c.volumes) == mostVolumes {
			break
		}
		made = len(c.volumes) + 1
		v := &volume{word: word}
		for i := range copies {
			n := up[(made+i)%len(up)]
			n.files[made] = make(map[string][]byte)
			v.nodes = append(v.nodes, n)
		}
		c.volumes[made] = v
	}
	return made
}

func (c *Cluster) serveVolume(n *node, w http.ResponseWriter, r *http.Request) {
	vol, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), ",")
	id, _ := strconv.Atoi(vol)
	files := n.files[id]
	if files == nil {
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusMovedPermanently)
		return
	}
	data, there := files[name]
	switch r.Method {
	case http.MethodGet:
		if !there {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	case http.MethodPut:
		if r.FormValue("fsync") != "true" {
			c.unsynced++
		}
		body, _ := io.ReadAll(r.Body) // which is in memory
		files[name] = body
		for _, other := range c.others(n, id) {
			if other.down || other.files[id] == nil {
				refuse(w, http.StatusInternalServerError, "failed to write to replicas for volume "+vol)
				return
			}
			other.files[id][name] = body
		}
		answer(w, http.StatusCreated, map[string]any{"size": len(body)})
	case http.MethodDelete:
		if !there {
			answer(w, http.StatusNotFound, map[string]any{"size": 0}) // and the others keep it
			return
		}
		delete(files, name)
		if r.FormValue("type") != "replicate" {
			for _, other := range c.others(n, id) {
				if other.down {
					refuse(w, http.StatusInternalServerError, "Deletion Failed")
					return
				}
				delete(other.files[id], name)
			}
		}
		answer(w, http.StatusAccepted, map[string]any{"size": len(data)})
	}
}

// others are the servers that a volume server takes for those of the other copies.
func (c *Cluster) others(n *node, id int) []*node {
	k, ok := n.asked[id]
	if !ok || c.o.Now().Sub(k.at) > staleFor {
		k = known{at: c.o.Now()}
		for _, other := range c.volumes[id].nodes {
			if other != n {
				k.nodes = append(k.nodes, other)
			}
		}
		n.asked[id] = k
	}
	return k.nodes
}

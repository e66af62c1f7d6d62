package backup

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"filippo.io/age"
	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Options of Run. The zero value is the default.
type Options struct {
	// Keep says which backups of this Store stay; the default keeps all. Those of other
	// Stores are never deleted.
	Keep history.Keep
	// Force makes a backup even if the Store has far fewer worlds than the backup before.
	// Without it the error is ErrShrunk.
	Force bool
	// Plain makes a backup without encryption even if the one before is encrypted.
	// Without it the error is ErrPlain.
	Plain bool
	// DryRun makes no backup, and deletes nothing: Report.Removed says which would go.
	DryRun bool
	// Recipients are public keys of age, age1... Without any nothing is encrypted.
	Recipients []string
	// Lock keeps the objects of the backup from being deleted for this long, if the
	// Bucket is a blob.Locker; otherwise Run fails. 0 locks nothing.
	Lock time.Duration
	// Sample is the share of the objects that is read back and compared. Default
	// 0.01, and at least 4 objects; 1 is all of them; negative is none.
	Sample float64
	// ReadBack reads back and compares all that is put, and not a sample of it, before the
	// backup counts.
	ReadBack bool
	// BundleBytes is the size of an object that holds many stones. Default 16 MiB.
	BundleBytes int
	// Workers is how many stones are read at a time. Default 8.
	Workers int
	// Holder says who makes the backup, in messages. Default "someone".
	Holder string
	// Temp is the folder for large stones that are encrypted. Default os.TempDir.
	Temp string
	// Progress, if not nil, is called with the number of changed worlds that are done.
	Progress func(done, total int)
	Now      func() time.Time // default time.Now
	Rand     *rand.Rand       // chooses the sample; default a random one
}

func (o Options) withDefaults() Options {
	if o.Sample == 0 {
		o.Sample = 0.01
	}
	if o.BundleBytes <= 0 {
		o.BundleBytes = 16 << 20
	}
	if o.Workers <= 0 {
		o.Workers = 8
	}
	if o.Holder == "" {
		o.Holder = "someone"
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return o
}

// Report says what Run did.
type Report struct {
	Name    string    `json:"name"` // of the backup
	Time    time.Time `json:"time"`
	Worlds  int       `json:"worlds"`  // in the backup, with those that were deleted and can be restored
	Changed int       `json:"changed"` // worlds that were read
	Resumed int       `json:"resumed"` // worlds that an interrupted backup had read
	Stones  int       `json:"stones"`  // that were put
	Objects int       `json:"objects"` // that were put
	New     int64     `json:"new"`     // bytes that were put
	Shared  int64     `json:"shared"`  // bytes of objects that were there
	Sampled int       `json:"sampled"` // objects that were read back
	Wrong   int       `json:"wrong"`   // of these, missing or damaged
	Removed []string  `json:"removed"` // backups
	Freed   int64     `json:"freed"`   // bytes of objects that were deleted
	// Damaged lists what is wrong in the Bucket. What was in a damaged object was
	// put again. A backup whose manifest is damaged is lost; while Keep keeps it, no
	// object is deleted.
	Damaged []string `json:"damaged,omitempty"`
	// Hurt lists worlds of the Store that could not be read. The backup has what the
	// backup before had of them.
	Hurt []string `json:"hurt,omitempty"`
}

// ErrHurt says that some worlds could not be read, in the Store for a backup, or in the
// backup for a Restore. All others are done.
var ErrHurt = errors.New("some worlds could not be read")

// ErrPlain says that a backup was not made because it would not be encrypted, and the one
// before is.
var ErrPlain = errors.New("give its --recipient again, or --plain for one that everybody can read")

// Run makes a backup of a Store. It reads the worlds that changed since the newest
// backup of the same Store, each as it is at one moment. If a Run was interrupted,
// the next one uses what it put. One Run at a time may use a Bucket; others get
// ErrBusy. If the error is ErrHurt the backup was made.
func Run(ctx context.Context, st history.ArchiveReader, bucket blob.Bucket, o Options) (Report, error) {
	r := &run{ctx: ctx, st: st, bucket: bucket, o: o.withDefaults()}
	err := r.run()
	if err == nil && len(r.report.Hurt) > 0 {
		err = fmt.Errorf("backup: %d worlds, the first: %s: %w", len(r.report.Hurt), r.report.Hurt[0], ErrHurt)
	}
	return r.report, err
}

// run is one Run.
type run struct {
	ctx    context.Context
	st     history.ArchiveReader
	bucket blob.Bucket
	o      Options
	report Report

	claim  *claim
	source *source
	there  *listing
	base   *manifest      // the backup that this one goes on from; nil if there is none
	last   *manifest      // the newest backup of this Store, or else of any; nil if there is none
	gone   map[name]bool  // backups whose manifests are damaged
	weak   map[int32]bool // objects that are mostly garbage
	index  *indexKey

	*sender
	data, meta bundler
	known      map[uint64]*row // of the base, and of interrupted backups, by world
	heads      map[uint64]*row // known, by the newest commits of their worlds
	templates  map[*row]map[stone.ID]place
	placed     map[[16]byte]place // stones that this run put
	waiting    []waiting          // worlds whose stones are not in an object yet
	flushed    int                // data objects since the last meta object
	rows       []*row
}

// waiting is a world whose archive is put after its stones.
type waiting struct {
	row     *row
	archive history.Archive
	places  []place
}

func (r *run) run() error {
	identity, err := r.st.Identity(r.ctx)
	if err != nil {
		return err
	}
	if r.index, err = newIndexKey(identity); err != nil {
		return err
	}
	box, err := newLockbox(r.o.Recipients, r.index)
	if err != nil {
		return err
	}
	if _, ok := r.bucket.(blob.Locker); !ok && r.o.Lock > 0 {
		return errors.New("backup: this bucket cannot lock objects")
	}
	r.sender = &sender{objects: newObjects(), ctx: r.ctx, bucket: r.bucket, box: box, temp: r.o.Temp, bad: make(map[string]bool), slots: make(chan struct{}, putsAtOnce)}
	r.data, r.meta = bundler{sender: r.sender, kind: data}, bundler{sender: r.sender, kind: meta}
	r.source = newSource(r.bucket, []age.Identity{r.index})
	now := r.o.Now
	if c, ok := r.bucket.(blob.Clock); ok { // processes agree on its time
		there, err := c.Time(r.ctx)
		if err != nil {
			return fmt.Errorf("backup: the bucket's time: %w", err)
		}
		ahead := there.Sub(r.o.Now())
		now = func() time.Time { return r.o.Now().Add(ahead) }
	}
	r.claim = &claim{bucket: r.bucket, now: now, holder: r.o.Holder}
	if r.o.DryRun {
		if r.there, err = list(r.ctx, r.bucket); err == nil {
			_, err = r.over(r.there, r.time())
		}
		return err
	}
	if err := r.claim.take(r.ctx); err != nil {
		return err
	}
	err = r.claimed()
	r.puts.Wait()
	ctx := context.WithoutCancel(r.ctx)
	return errors.Join(err, r.claim.release(ctx))
}

// claimed makes the backup under the claim.
func (r *run) claimed() (err error) {
	if r.there, err = list(r.ctx, r.bucket); err != nil {
		return err
	}
	for _, step := range []func() error{r.tryLock, r.findBase, r.sampleBase, r.readBase, r.readOrphans, r.worlds, r.finish} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// lost reports a backup whose manifest is damaged, once.
func (r *run) lost(n name, err error) {
	if r.gone == nil {
		r.gone = make(map[name]bool)
	}
	if !r.gone[n] {
		r.gone[n] = true
		r.report.Damaged = append(r.report.Damaged, fmt.Sprintf("%v: this backup cannot be restored", err))
	}
}

func (r *run) damaged(err error) {
	r.report.Damaged = append(r.report.Damaged, err.Error())
	if c := (*CorruptError)(nil); errors.As(err, &c) {
		r.bad[c.Object] = true
		clear(r.templates) // their stones may lie there
	}
}

// finish puts the tables, the manifest and the seal.
func (r *run) finish() error {
	leaves, top, err := r.addTables()
	if err != nil {
		return err
	}
	if err := errors.Join(r.meta.flush(), r.wait()); err != nil {
		return err
	}
	m := r.complete(leaves, top)
	body := m.append(nil)
	m.hash = sha256.Sum256(body)
	if _, err := parseManifest(m.name, body); err != nil {
		return err
	}
	if err := r.put(m.name.manifest(), body); err != nil {
		return err
	}
	fresh := slices.DeleteFunc(slices.Clone(m.all), func(o object) bool {
		_, had := r.there.objects[o.key()]
		return had && !r.bad[o.key()]
	})
	clear(r.bad) // what the backup needs of the damaged objects was put again
	share := r.o.Sample
	if r.o.ReadBack {
		share = 1
	}
	if err := r.sample(fresh, share, func(err error) error { return fmt.Errorf("backup: what was just put is wrong: %w", err) }); err != nil {
		return err
	}
	if err := r.lockObjects(m); err != nil { // before the seal, so that what is sealed is locked
		return err
	}
	if err := r.claim.held(r.ctx); err != nil {
		return err
	}
	if err := r.put(m.seal(), m.sealBytes()); err != nil {
		return err
	}
	r.report.Name, r.report.Time, r.report.Worlds = m.String(), m.time, len(r.rows)
	r.report.Objects, r.report.New = r.count, r.bytes
	for i := range m.all {
		if _, had := r.there.objects[m.all[i].key()]; had {
			r.report.Shared += m.all[i].size
		}
	}
	if r.o.Lock > 0 {
		if err := r.lockAll(m.locked, m.seal()); err != nil {
			return err
		}
	}
	return r.retire(m)
}

func (r *run) put(key string, b []byte) error {
	err := r.bucket.Put(r.ctx, key, io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b))))
	if err != nil {
		return fmt.Errorf("backup: %s: %w", key, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	r.bytes += int64(len(b))
	return nil
}

// addTables adds tables of all rows to the objects. Tables of the base whose rows all
// stay are used again. It parses what it adds: a table that cannot be read must never
// get a seal.
func (r *run) addTables() (leaves []*leaf, top item, err error) {
	for i := 1; i < len(r.rows); i++ {
		if !r.rows[i].key().follows(r.rows[i-1].key()) {
			return nil, top, fmt.Errorf("backup: %q: the store has two worlds of this name", r.rows[i].name)
		}
	}
	if len(r.meta.buf) >= r.o.BundleBytes/tableShare { // the next backup reads tables without many archives
		if err := r.meta.flush(); err != nil {
			return nil, top, err
		}
	}
	for from := 0; from < len(r.rows); {
		upto := from + 1
		for upto < len(r.rows) && upto-from < maxLeaf && !endsLeaf(r.rows[upto-1]) {
			upto++
		}
		some := r.rows[from:upto]
		from = upto
		other := func(row *row) bool { return row.leaf != some[0].leaf }
		if f := some[0].leaf; f != nil && f.rows == len(some) && !slices.ContainsFunc(some, other) {
			leaves = append(leaves, f)
			continue
		}
		self := r.meta.begin()
		b := appendLeaf(some, r.objects, self)
		if _, err := parseLeaf("a new table", b, r.objects, self); err != nil {
			return nil, top, err
		}
		leaves = append(leaves, &leaf{some[0].key(), len(some), r.meta.addItem(leafItem, b)})
		if len(r.meta.buf) >= r.o.BundleBytes {
			if err := r.meta.flush(); err != nil {
				return nil, top, err
			}
		}
	}
	self := r.meta.begin()
	b := appendTop(leaves, r.objects, self)
	if _, err := parseTop("a new table of tables", b, r.objects, self); err != nil {
		return nil, top, err
	}
	return leaves, r.meta.addItem(topItem, b), nil
}

// tableShare is the share of BundleBytes from which on archives get an object
// without tables.
const tableShare = 16

// maxLeaf is the largest number of rows in a table. On average a table has 256.
const maxLeaf = 2048

// endsLeaf reports whether a table ends after a row. It depends on the name alone, so
// that a new world changes one table.
func endsLeaf(r *row) bool { return sha256.Sum256([]byte(r.name))[0] == 0 }

// time returns the time of the new backup. The bucket's clock tells seconds, so a
// backup could seem to be older than one that was made in the same second.
func (r *run) time() time.Time {
	t := r.claim.now().UTC().Truncate(time.Millisecond)
	if n := len(r.there.seals); n > 0 {
		if last := r.there.seals[n-1].time; !t.After(last) && last.Sub(t) < time.Second {
			return last.Add(time.Millisecond)
		}
	}
	return t
}

// complete returns the manifest, with the objects that the backup needs.
func (r *run) complete(leaves []*leaf, top item) *manifest {
	m := &manifest{name: name{time: r.time()}, store: r.index.tag("store"), recipients: r.box.tag,
		claim: r.claim.number, worlds: uint64(len(r.rows)), changed: uint64(r.report.Changed), objects: newObjects(), top: top}
	if r.base != nil {
		m.previous = r.base.name.String()
	}
	if r.o.Lock > 0 {
		m.locked = m.time.Add(r.o.Lock)
	}
	live := make(map[hash]int64)
	need := func(n int32, bytes int64) { live[r.all[n].hash] += bytes }
	for _, row := range r.rows {
		need(row.archive.object, row.archive.size)
		for _, u := range row.uses {
			need(u.object, u.bytes)
			m.bytes += uint64(u.bytes)
		}
	}
	for _, f := range leaves {
		need(f.at.object, f.at.size)
	}
	need(top.object, top.size)
	for h, bytes := range live {
		o := r.all[r.of[h]]
		o.live = min(bytes, o.plain)
		m.all = append(m.all, o)
		if _, had := r.there.objects[o.key()]; !had {
			m.added += uint64(o.size)
		}
	}
	slices.SortFunc(m.all, func(a, b object) int { return cmp.Or(cmp.Compare(a.kind, b.kind), bytes.Compare(a.hash[:], b.hash[:])) })
	for i := range m.all {
		m.of[m.all[i].hash] = int32(i)
	}
	m.top.object = m.of[r.all[top.object].hash]
	return m
}

// Package mongo is a blob.Bucket in a collection of MongoDB. With a ledger in it
// (package store/ledger) it is a catalogue.
//
// A key is one document, and its _id is the key. It relies on nothing of MongoDB but
// that of several inserts with one _id at most one succeeds. Writes wait for the
// majority and its journals; reads are linearizable. Bytes that do not fit into a document
// are in chunks, documents of a second collection, which are inserted first.
//
// It was tested with FerretDB 1.24, which speaks MongoDB's protocol, and never with a
// MongoDB server.
package mongo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// Options of Open. The zero value is the default.
type Options struct {
	Database   string // default cairn
	Collection string // default bucket; its chunks are in COLLECTION.chunks
	// ChunkBytes is the size of a chunk; default 8 MiB, at most 15 MiB. Bytes that
	// fit into one are in the document of the key.
	ChunkBytes int64
	// Timeout is how long a call may take, unless its context ends before; default 5
	// seconds.
	Timeout time.Duration
	// OnRequest is called after each call of the server. Default: nobody.
	OnRequest func(blob.Request)
	// Now is the clock of OnRequest, and between two answers that have the server's time;
	// default time.Now.
	Now func() time.Time
	// Rand returns unique numbers; default math/rand/v2.
	Rand func() uint64
}

// Limits of documents.
const (
	defaultChunk = 8 << 20
	maxChunk     = 15 << 20
	maxList      = 100_000 // documents of one call
)

// Database is a blob.Bucket.
type Database struct {
	o      Options
	client *mongo.Client
	keys   *mongo.Collection
	chunks *mongo.Collection

	mu    sync.Mutex
	ahead time.Duration // of the server's clock
	asked time.Time     // when it was learned
}

var (
	_ blob.Bucket = (*Database)(nil)
	_ blob.Pinger = (*Database)(nil)
	_ blob.Clock  = (*Database)(nil)
)

// key is the document of a key.
type key struct {
	Key    string    `bson:"_id"`
	Size   int64     `bson:"n"`
	At     time.Time `bson:"at"`
	Bytes  []byte    `bson:"b,omitempty"` // all bytes, if there are no chunks
	Chunks string    `bson:"c,omitempty"` // what the names of the chunks begin with
	Chunk  int64     `bson:"k,omitempty"` // the size of a chunk
}

// chunk is a part of the bytes of a key. Its name is a random number, and a number
// from 0 on.
type chunk struct {
	Name  string `bson:"_id"`
	Bytes []byte `bson:"b"`
}

// Open returns the bucket in a collection. The URL is that of MongoDB's drivers,
// mongodb://... It makes no call. Errors do not contain the URL.
func Open(url string, o Options) (*Database, error) {
	o.setDefaults()
	if o.ChunkBytes < 1 || o.ChunkBytes > maxChunk {
		return nil, fmt.Errorf("mongo: open: chunks of %d bytes: the most is %d", o.ChunkBytes, maxChunk)
	}
	journal := true
	c := options.Client().ApplyURI(url).
		SetWriteConcern(&writeconcern.WriteConcern{W: "majority", Journal: &journal}).
		SetReadConcern(readconcern.Linearizable()).
		SetRetryWrites(false). // it needs sessions; callers repeat calls
		SetServerSelectionTimeout(o.Timeout).
		SetConnectTimeout(o.Timeout)
	client, err := mongo.Connect(c)
	if err != nil {
		return nil, errors.New("mongo: open: the URL is not one of MongoDB: mongodb://[USER:PASSWORD@]HOST[:PORT][,...]/[?OPTIONS]")
	}
	db := client.Database(o.Database)
	return &Database{o: o, client: client, keys: db.Collection(o.Collection), chunks: db.Collection(o.Collection + ".chunks")}, nil
}

func (o *Options) setDefaults() {
	if o.Database == "" {
		o.Database = "cairn"
	}
	if o.Collection == "" {
		o.Collection = "bucket"
	}
	if o.ChunkBytes == 0 {
		o.ChunkBytes = defaultChunk
	}
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	if o.OnRequest == nil {
		o.OnRequest = func(blob.Request) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Uint64
	}
}

// Close closes the connections. A second Close does nothing.
func (b *Database) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), b.o.Timeout)
	defer cancel()
	if err := b.client.Disconnect(ctx); err != nil && !errors.Is(err, mongo.ErrClientDisconnected) {
		return fmt.Errorf("mongo: close: %w", err)
	}
	return nil
}

// call makes a call of the server, and says in words of package blob how it ended.
func (b *Database) call(ctx context.Context, op, of string, bytes *int64, what func(context.Context) error) error {
	if err := blob.CheckKey(of); err != nil && op != "list" && op != "ping" {
		return fmt.Errorf("mongo: %s: %w", op, err)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("mongo: %s %s: %w", op, of, err)
	}
	bounded, cancel := context.WithTimeout(ctx, b.o.Timeout)
	defer cancel()
	began := b.o.Now()
	err := what(bounded)
	request := blob.Request{Op: op, Took: b.o.Now().Sub(began)}
	switch {
	case err == nil:
	case mongo.IsDuplicateKeyError(err):
		err = blob.ErrExists
	case errors.Is(err, mongo.ErrNoDocuments):
		err = fs.ErrNotExist
	case ctx.Err() != nil:
		err = ctx.Err()
		request.Err = err
	case isFull(err):
		err = fmt.Errorf("%w: %w", blob.ErrFull, err)
		request.Err = err
	default:
		err = fmt.Errorf("%w: %w", blob.ErrAway, err)
		request.Err = err
	}
	if bytes != nil {
		request.Bytes = *bytes
	}
	b.o.OnRequest(request)
	if err != nil {
		return fmt.Errorf("mongo: %s %s: %w", op, of, err)
	}
	return nil
}

// isFull reports whether the disk of the server is full: MongoDB's code, or what FerretDB
// passes on of PostgreSQL.
func isFull(err error) bool {
	var s mongo.ServerError
	return errors.As(err, &s) && (s.HasErrorCode(14031) || strings.Contains(s.Error(), "SQLSTATE 53100"))
}

func (b *Database) Put(ctx context.Context, name string, body *io.SectionReader) error {
	at, err := b.Time(ctx)
	if err != nil {
		return err
	}
	doc := key{Key: name, Size: body.Size(), At: at}
	if doc.Size <= b.o.ChunkBytes {
		if doc.Bytes, err = part(body, 0, doc.Size); err != nil {
			return fmt.Errorf("mongo: put %s: %w", name, err)
		}
		return b.insert(ctx, name, doc)
	}
	doc.Chunks, doc.Chunk = fmt.Sprintf("%016x%016x", b.o.Rand(), b.o.Rand()), b.o.ChunkBytes
	for i := int64(0); i*doc.Chunk < doc.Size && err == nil; i++ {
		err = b.putChunk(ctx, doc, i, body)
	}
	if err == nil {
		err = b.insert(ctx, name, doc)
	}
	if err != nil && !errors.Is(err, blob.ErrAway) {
		err = errors.Join(err, b.deleteChunks(context.WithoutCancel(ctx), doc))
	}
	return err
}

func (b *Database) insert(ctx context.Context, name string, doc key) error {
	size := int64(len(doc.Bytes))
	return b.call(ctx, "put", name, &size, func(ctx context.Context) error {
		_, err := b.keys.InsertOne(ctx, doc)
		return err
	})
}

func (b *Database) putChunk(ctx context.Context, doc key, i int64, body io.ReaderAt) error {
	data, err := part(body, i*doc.Chunk, min(doc.Chunk, doc.Size-i*doc.Chunk))
	if err != nil {
		return fmt.Errorf("mongo: put %s: %w", doc.Key, err)
	}
	size := int64(len(data))
	return b.call(ctx, "put", doc.Key, &size, func(ctx context.Context) error {
		_, err := b.chunks.InsertOne(ctx, chunk{doc.chunk(i), data})
		return err
	})
}

// chunk is the name of a chunk.
func (k key) chunk(i int64) string { return fmt.Sprintf("%s/%08d", k.Chunks, i) }

// part reads n bytes of a body.
func part(body io.ReaderAt, off, n int64) ([]byte, error) {
	data := make([]byte, n)
	if got, err := body.ReadAt(data, off); int64(got) < n {
		return nil, err
	}
	return data, nil
}

// find returns the document of a key.
func (b *Database) find(ctx context.Context, op, name string, o ...options.Lister[options.FindOneOptions]) (doc key, err error) {
	size := int64(0)
	err = b.call(ctx, op, name, &size, func(ctx context.Context) error {
		err := b.keys.FindOne(ctx, bson.D{{Key: "_id", Value: name}}, o...).Decode(&doc)
		size = int64(len(doc.Bytes))
		return err
	})
	return doc, err
}

// withoutBytes leaves out the bytes of documents.
var withoutBytes = bson.D{{Key: "b", Value: 0}}

func (b *Database) Get(ctx context.Context, name string, off, n int64) ([]byte, error) {
	doc, err := b.find(ctx, "get", name)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		n = doc.Size - off
	}
	switch {
	case off < 0 || n < 0 || off > doc.Size || n > doc.Size-off:
		return nil, fmt.Errorf("mongo: get %s: %d bytes from %d of %d: %w", name, n, off, doc.Size, io.ErrUnexpectedEOF)
	case doc.Chunks == "" && int64(len(doc.Bytes)) == doc.Size:
		return doc.Bytes[off : off+n : off+n], nil
	case doc.Chunks == "" || doc.Chunk < 1 || doc.Chunk > maxChunk:
		return nil, fmt.Errorf("mongo: get %s: the document has %d bytes of %d", name, len(doc.Bytes), doc.Size)
	}
	var out []byte
	for end := off + n; off < end; {
		i := off / doc.Chunk
		data, err := b.getChunk(ctx, doc, i)
		if err != nil {
			return nil, err
		}
		some := data[off-i*doc.Chunk:]
		some = some[:min(int64(len(some)), end-off)]
		out = append(out, some...)
		off += int64(len(some))
	}
	return out, nil
}

// getChunk reads a chunk. If it was deleted, the key was deleted too.
func (b *Database) getChunk(ctx context.Context, doc key, i int64) ([]byte, error) {
	var c chunk
	size := int64(0)
	err := b.call(ctx, "get", doc.Key, &size, func(ctx context.Context) error {
		err := b.chunks.FindOne(ctx, bson.D{{Key: "_id", Value: doc.chunk(i)}}).Decode(&c)
		size = int64(len(c.Bytes))
		return err
	})
	if err == nil && size != min(doc.Chunk, doc.Size-i*doc.Chunk) {
		err = fmt.Errorf("mongo: get %s: chunk %d has %d bytes", doc.Key, i, size)
	}
	return c.Bytes, err
}

func (b *Database) Head(ctx context.Context, name string) (blob.Object, error) {
	doc, err := b.find(ctx, "head", name, options.FindOne().SetProjection(withoutBytes))
	return blob.Object{Key: doc.Key, Size: doc.Size, Modified: doc.At}, err
}

func (b *Database) List(ctx context.Context, prefix, after string, n int) (out []blob.Object, err error) {
	if n <= 0 {
		return nil, ctx.Err()
	}
	// Bytes above all of those that keys may have end the prefix.
	filter := bson.D{{Key: "_id", Value: bson.D{{Key: "$gt", Value: after}, {Key: "$gte", Value: prefix}, {Key: "$lt", Value: prefix + "\x7f"}}}}
	o := options.Find().SetProjection(withoutBytes).SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(int64(min(n, maxList)))
	err = b.call(ctx, "list", prefix, nil, func(ctx context.Context) error {
		found, err := b.keys.Find(ctx, filter, o)
		if err != nil {
			return err
		}
		var docs []key
		err = found.All(ctx, &docs)
		for _, doc := range docs {
			out = append(out, blob.Object{Key: doc.Key, Size: doc.Size, Modified: doc.At})
		}
		return err
	})
	if err != nil || n <= maxList || len(out) < maxList {
		return out, err
	}
	more, err := b.List(ctx, prefix, out[len(out)-1].Key, n-len(out))
	return append(out, more...), err
}

// Delete is for blob.Bucket. It deletes the document of the key first; if it is
// stopped then, chunks stay which nobody finds.
func (b *Database) Delete(ctx context.Context, name string) error {
	doc, err := b.find(ctx, "delete", name, options.FindOne().SetProjection(withoutBytes))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = b.call(ctx, "delete", name, nil, func(ctx context.Context) error {
		_, err := b.keys.DeleteOne(ctx, bson.D{{Key: "_id", Value: name}})
		return err
	})
	if err != nil {
		return err
	}
	return b.deleteChunks(ctx, doc)
}

func (b *Database) deleteChunks(ctx context.Context, doc key) error {
	if doc.Chunks == "" || doc.Chunk < 1 {
		return nil
	}
	for i := int64(0); i*doc.Chunk < doc.Size; i++ {
		err := b.call(ctx, "delete", doc.Key, nil, func(ctx context.Context) error {
			_, err := b.chunks.DeleteOne(ctx, bson.D{{Key: "_id", Value: doc.chunk(i)}})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *Database) Ping(ctx context.Context) error {
	_, err := b.hello(ctx)
	return err
}

// hello asks the server for its time.
func (b *Database) hello(ctx context.Context) (time.Time, error) {
	var answer struct {
		LocalTime time.Time `bson:"localTime"`
	}
	err := b.call(ctx, "ping", "the server", nil, func(ctx context.Context) error {
		return b.keys.Database().RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&answer)
	})
	return answer.LocalTime, err
}

// asksAgain is how long the difference of the clocks is used.
const asksAgain = time.Minute

// Time is for blob.Clock. It is the time of the server that answered last, and needs a
// call once a minute.
func (b *Database) Time(ctx context.Context) (time.Time, error) {
	now := b.o.Now()
	b.mu.Lock()
	ahead, fresh := b.ahead, !b.asked.IsZero() && now.Sub(b.asked) < asksAgain
	b.mu.Unlock()
	if fresh {
		return now.Add(ahead), nil
	}
	at, err := b.hello(ctx)
	if err != nil {
		return at, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = b.o.Now()
	b.ahead = at.Sub(b.asked)
	return b.asked.Add(b.ahead), nil
}

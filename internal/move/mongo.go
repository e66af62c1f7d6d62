package move

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

// gridFS is the bucket of AdvancedSlimePaper's loader, and the collection of names beside it.
type gridFS struct {
	client *mongo.Client
	names  *mongo.Collection
	bucket *mongo.GridFSBucket
}

// defaultDatabase is that of the loader.
const defaultDatabase = "slimeworldmanager"

func openMongo(ctx context.Context, u *url.URL) (files, error) {
	plain := *u
	plain.Fragment = ""
	journal := true
	client, err := mongo.Connect(options.Client().ApplyURI(plain.String()).
		SetWriteConcern(&writeconcern.WriteConcern{W: "majority", Journal: &journal}).
		SetRetryWrites(false). // it needs sessions, which not all servers have
		SetServerSelectionTimeout(answers).SetConnectTimeout(answers))
	if err != nil {
		return nil, errors.New("not a URL of MongoDB: mongodb://[USER:PASSWORD@]HOST[:PORT][,...]/DB[?OPTIONS]")
	}
	db := client.Database(cmp.Or(strings.Trim(u.Path, "/"), defaultDatabase))
	name := cmp.Or(u.Fragment, defaultName)
	if err := client.Ping(ctx, nil); err != nil {
		return nil, errors.Join(err, client.Disconnect(context.WithoutCancel(ctx)))
	}
	return &gridFS{client, db.Collection(name), db.GridFSBucket(options.GridFSBucket().SetName(name))}, nil
}

func (g *gridFS) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), answers)
	defer cancel()
	return g.client.Disconnect(ctx)
}

func (g *gridFS) holds() int64 { return mostBytes }

// list returns the names of the collection and of the files, but not of the copies that old loaders kept of worlds.
func (g *gridFS) list(ctx context.Context) (names []string, err error) {
	for of, field := range map[*mongo.Collection]string{g.names: "name", g.bucket.GetFilesCollection(): "filename"} {
		found, err := of.Find(ctx, bson.D{}, options.Find().SetProjection(bson.D{{Key: field, Value: 1}}))
		if err != nil {
			return nil, err
		}
		var docs []bson.M
		if err := found.All(ctx, &docs); err != nil {
			return nil, err
		}
		for _, doc := range docs {
			if name, ok := doc[field].(string); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		of, copied := strings.CutSuffix(name, "_backup")
		_, there := slices.BinarySearch(names, of)
		return copied && there
	}), nil
}

// file is the newest file of a name.
type file struct {
	ID     any   `bson:"_id"`
	Length int64 `bson:"length"`
}

func (g *gridFS) newest(ctx context.Context, name string) (f file, err error) {
	err = g.bucket.GetFilesCollection().FindOne(ctx, bson.D{{Key: "filename", Value: name}},
		options.FindOne().SetSort(bson.D{{Key: "uploadDate", Value: -1}, {Key: "_id", Value: -1}})).Decode(&f)
	if errors.Is(err, mongo.ErrNoDocuments) {
		err = fs.ErrNotExist
	}
	return f, err
}

// sign is the id of the newest file: nobody changes a file.
func (f file) sign() string { return fmt.Sprintf("%v %d", f.ID, f.Length) }

func (g *gridFS) sign(ctx context.Context, name string) (string, error) {
	f, err := g.newest(ctx, name)
	return f.sign(), err
}

func (g *gridFS) get(ctx context.Context, name string, most int64) ([]byte, string, error) {
	f, err := g.newest(ctx, name)
	if err == nil && f.Length > most {
		err = tooLarge(f.Length, most)
	}
	if err != nil {
		return nil, "", err
	}
	r, err := g.bucket.OpenDownloadStream(ctx, f.ID)
	if err != nil {
		return nil, "", err
	}
	data, err := io.ReadAll(io.LimitReader(r, f.Length+1))
	return data, f.sign(), errors.Join(err, r.Close())
}

// put does what the loader does: the new file, then no older ones, then the name.
func (g *gridFS) put(ctx context.Context, name string, data []byte) error {
	id, err := g.bucket.UploadFromStream(ctx, name, bytes.NewReader(data))
	if err != nil {
		return err
	}
	older, err := g.bucket.Find(ctx, bson.D{{Key: "filename", Value: name}, {Key: "_id", Value: bson.D{{Key: "$ne", Value: id}}}})
	if err != nil {
		return err
	}
	var files []file
	if err := older.All(ctx, &files); err != nil {
		return err
	}
	for _, f := range files {
		if err := g.bucket.Delete(ctx, f.ID); err != nil && !errors.Is(err, mongo.ErrFileNotFound) {
			return err
		}
	}
	at := bson.D{{Key: "name", Value: name}}
	_, err = g.names.UpdateOne(ctx, at, bson.D{{Key: "$set", Value: at}}, options.UpdateOne().SetUpsert(true))
	return err
}

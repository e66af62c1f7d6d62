// Package s3 is a blob.Bucket in an S3: of Amazon, MinIO, SeaweedFS, Ceph and others.
// Begin with Open or OpenURL.
//
// The server must refuse a PUT with the header "If-None-Match: *" when the key has
// bytes, and when a body is put in parts it must refuse the completion. Amazon does
// so since 2024, MinIO since 2024. Open and the first large Put try this out and fail
// if the server does not, because two servers would overwrite each other's work.
//
// A bucket should have a lifecycle rule that ends uploads in parts after some days: a
// process that is killed leaves them. MinIO does so by itself. Where a bucket keeps
// versions, as one with object lock does, it should have a rule for old versions.
package s3

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// Options of Open. The zero value is the default, but a bucket has a name.
type Options struct {
	// Endpoint is the server: a URL with scheme http or https, or HOST:PORT, which
	// means https. Default Amazon.
	Endpoint string
	// Bucket is the name of the bucket, which must be there.
	Bucket string
	// Prefix comes before each key, with a slash between them. Other prefixes are
	// other buckets to this package.
	Prefix string
	// Region is the bucket's. Default us-east-1; Amazon is asked.
	Region string
	// AccessKey and SecretKey are the account, and Token belongs to keys for a short
	// time. Default: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN,
	// else Amazon's file of credentials, else on Amazon the role of the machine.
	AccessKey, SecretKey, Token string
	// VirtualHost puts the bucket's name into the host of a URL and not into the
	// path. Amazon gets it so anyway.
	VirtualHost bool
	// CA is a PEM file of certificates to trust besides those of the system.
	CA []byte
	// ReadOnly refuses to put and delete, and does not try out the server.
	ReadOnly bool
	// Timeout is how long a try may make no progress. Default 4 s.
	Timeout time.Duration
	// Within is how long a call tries again, if it needs to. So a call ends with
	// blob.ErrAway after Within and Timeout. Default twice the Timeout.
	Within time.Duration
	// Tries is how often a call is made if it fails for reasons that pass. After a
	// call that failed, until one works, calls are made once. Default 4.
	Tries int
	// PartBytes is the largest body that is put at once. Larger ones are put in
	// parts of this size, or larger ones if there would be too many. Default 16 MiB,
	// at least 5 MiB.
	PartBytes int64
	// OnRequest is called after each try, by many goroutines at once. Default: nobody.
	// Its words besides those of blob.Request are begin, part, complete and abort.
	OnRequest func(blob.Request)
	// Now is the clock. Default time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() (Options, error) {
	if o.Timeout == 0 {
		o.Timeout = 4 * time.Second
	}
	if o.Within == 0 {
		o.Within = 2 * o.Timeout
	}
	if o.Tries == 0 {
		o.Tries = 4
	}
	if o.PartBytes == 0 {
		o.PartBytes = 16 << 20
	}
	if o.OnRequest == nil {
		o.OnRequest = func(blob.Request) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Prefix = strings.Trim(o.Prefix, "/")
	if o.Prefix != "" {
		if err := blob.CheckKey(o.Prefix); err != nil {
			return o, fmt.Errorf("prefix: %w", err)
		}
		o.Prefix += "/"
	}
	if o.Bucket == "" {
		return o, errors.New("the name of the bucket is missing")
	}
	if o.PartBytes < 5<<20 {
		return o, fmt.Errorf("parts of %d bytes: 5 MiB are the least", o.PartBytes)
	}
	if (o.AccessKey == "") != (o.SecretKey == "") {
		return o, errors.New("access key and secret key: one of them is missing")
	}
	return o, nil
}

// Client is a blob.Bucket. Every Put marks its object with a random number, so that a
// Put that is tried again after a lost answer recognizes its own object.
type Client struct {
	o     Options
	api   minio.Core
	http  *http.Transport
	clock *clock
	away  atomic.Bool // the last call failed
	parts struct {
		sync.Mutex
		tried bool // whether the completion of parts was tried out
	}
}

var _ blob.Bucket = (*Client)(nil)

// Open opens a bucket and, unless it is for reading alone, tries out whether the
// server refuses to replace objects. This needs one or two calls.
func Open(ctx context.Context, o Options) (*Client, error) {
	o, err := o.withDefaults()
	if err == nil {
		var b *Client
		if b, err = connect(o); err == nil {
			if err = b.tryOut(ctx); err == nil {
				return b, nil
			}
			b.Close()
		}
	}
	return nil, fmt.Errorf("s3: open %s/%s: %w", o.Bucket, o.Prefix, err)
}

// OpenURL opens the bucket s3://BUCKET/PREFIX with what the environment says of it:
// AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, AWS_REGION or AWS_DEFAULT_REGION,
// AWS_CA_BUNDLE, and the keys. Options come first.
func OpenURL(ctx context.Context, s string, o Options) (*Client, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("s3: %q is not of the form s3://BUCKET/PREFIX", s)
	}
	o.Bucket, o.Prefix = u.Host, u.Path
	first := func(have string, names ...string) string {
		for _, name := range names {
			if have == "" {
				have = os.Getenv(name)
			}
		}
		return have
	}
	o.Endpoint = first(o.Endpoint, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
	o.Region = first(o.Region, "AWS_REGION", "AWS_DEFAULT_REGION")
	if name := os.Getenv("AWS_CA_BUNDLE"); name != "" && o.CA == nil {
		if o.CA, err = os.ReadFile(name); err != nil {
			return nil, fmt.Errorf("s3: AWS_CA_BUNDLE: %w", err)
		}
	}
	return Open(ctx, o)
}

const amazon = "s3.amazonaws.com"

// connect makes the client. It makes no call.
func connect(o Options) (*Client, error) {
	host, secure, err := endpoint(o.Endpoint)
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: o.Timeout / 2, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: o.Timeout,
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     time.Minute,
		DisableCompression:  true,
		WriteBufferSize:     32 << 10,
		ReadBufferSize:      32 << 10,
	}
	if o.CA != nil {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(o.CA) {
			return nil, errors.New("the certificates to trust are not in PEM form")
		}
		t.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	region := o.Region
	if region == "" && host != amazon {
		region = "us-east-1"
	}
	lookup := minio.BucketLookupAuto
	if o.VirtualHost {
		lookup = minio.BucketLookupDNS
	}
	b := &Client{o: o, http: t, clock: &clock{now: o.Now, next: t}}
	api, err := minio.NewCore(host, &minio.Options{
		Creds: account(o, host), Secure: secure, Transport: b.clock, Region: region, BucketLookup: lookup, MaxRetries: 1,
	})
	if err != nil {
		return nil, err
	}
	b.api = *api
	return b, nil
}

func account(o Options, host string) *credentials.Credentials {
	if o.AccessKey != "" {
		return credentials.NewStaticV4(o.AccessKey, o.SecretKey, o.Token)
	}
	chain := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if host == amazon {
		chain = append(chain, &credentials.IAM{})
	}
	return credentials.NewChainCredentials(chain)
}

// endpoint takes a URL apart.
func endpoint(s string) (host string, secure bool, err error) {
	if s == "" {
		return amazon, true, nil
	}
	if !strings.Contains(s, "://") {
		s = "https://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		return "", false, errors.New("the endpoint is not a URL") // which may have a password in it
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.User != nil || u.RawQuery != "" {
		return "", false, fmt.Errorf("the endpoint %s is not of the form https://HOST:PORT", u.Redacted())
	}
	return u.Host, u.Scheme == "https", nil
}

// Close closes connections that nobody uses.
func (b *Client) Close() error {
	b.http.CloseIdleConnections()
	return nil
}

// name is the name of the object of a key.
func (b *Client) name(key string) string { return b.o.Prefix + key }

// probe is the name of the object that tryOut tries to replace. It is not a key.
func (b *Client) probe() string { return b.o.Prefix + "~probe" }

// tryOut finds out whether the server refuses to replace an object.
func (b *Client) tryOut(ctx context.Context) error {
	if b.o.ReadOnly {
		return b.Ping(ctx)
	}
	small, err := readBody(strings.NewReader("cairn"), 5)
	if err != nil {
		return err
	}
	for range 2 {
		err := b.putSmall(ctx, b.probe(), small, rand.Text())
		if errors.Is(err, blob.ErrExists) {
			return nil
		}
		if errors.Is(err, blob.ErrFull) { // it can be read; a server that was tried out before has the probe
			_, err = b.head(ctx, b.probe())
			return err
		}
		if err != nil {
			return err
		}
	}
	return errors.New(`the server replaces an object in spite of "If-None-Match: *", which a store cannot use safely`)
}

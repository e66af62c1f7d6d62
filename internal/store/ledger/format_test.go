package ledger_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/store/history"
)

// samples returns an entry, a mark and a part, and a bucket that has them.
func samples(t testing.TB) (*inmemory.Bucket, [3]string) {
	t.Helper()
	b, clock, n := inmemory.NewBucket(), newClock(), uint64(0)
	o := quick
	o.Now, o.CheckpointBytes = clock.now, 150
	o.Rand = func() uint64 { n++; return n }
	l := open(t, b, o)
	for _, changes := range [][]history.Record{
		{{Key: "ham", Value: []byte("pink")}, {Key: "hammer", Value: []byte{}}, {Key: "gone"}},
		{{Key: "hammock", Value: bytes.Repeat([]byte("long"), 40)}},
		{{Key: "ham"}},
	} {
		if err := l.Swap(t.Context(), nil, changes); err != nil {
			t.Fatal(err)
		}
	}
	l.Quiet()
	return b, [3]string{
		"ledger/log/0000000000000000001",
		"ledger/mark/0000000000000000003-0000000000000007",
		"ledger/part/0000000000000000003-0000000000000007/00000000",
	}
}

func bytesOf(t testing.TB, b *inmemory.Bucket, key string) []byte {
	t.Helper()
	data, err := b.Get(t.Context(), key, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestBytes pins the bytes of FORMAT.md.
func TestBytes(t *testing.T) {
	b, keys := samples(t)
	for i, want := range []string{
		"636169726e4c65010100000000000000" + "00a8da769b01000000000000000000000000000000000000" + "01000000000000000200000000000000" + "0000000003000000" +
			"0368616d0570696e6b" + "0668616d6d657201" + "04676f6e6500",
		"636169726e4c6d01" + "0700000000000000" + "0300000000000000",
		"636169726e4c7001" + "0700000000000000" + "0000000002000000" + "000668616d6d657200" + "04036f636ba001" + "6c6f6e67",
	} {
		got := bytesOf(t, b, keys[i])
		if !bytes.HasPrefix(got, unhex(t, want)) {
			t.Errorf("%s: got %x, want %s", keys[i], got, want)
		}
		if errs := ledger.Decode(got); errs[i] != nil {
			t.Errorf("%s: %v", keys[i], errs[i])
		}
	}
	if got := len(bytesOf(t, b, keys[1])); got != 124 {
		t.Errorf("a mark has %d bytes", got)
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDamage cuts and flips the bytes of an entry, a mark and a part. A ledger that is
// opened on them says which are wrong.
func TestDamage(t *testing.T) {
	whole, keys := samples(t)
	for i, key := range keys {
		data := bytesOf(t, whole, key)
		try := func(name string, data []byte) {
			t.Helper()
			var corrupt *ledger.CorruptError
			if err := ledger.Decode(data)[i]; !errors.As(err, &corrupt) {
				t.Fatalf("%s: %s: got %v", key, name, err)
			}
		}
		for n := range data {
			try("cut", data[:n])
			// Cut, but with a checksum that fits.
			cut := data[:n:n]
			cut = append(cut, sum(cut)...)
			if len(cut) < len(data) {
				try("cut well", cut)
			}
			flipped := bytes.Clone(data)
			flipped[n] ^= 0x40
			try("flipped", flipped)
		}
		try("longer", append(bytes.Clone(data), 0))
		if err := whole.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		put2(t, whole, key, data)
		// The entries before the checkpoint are not read, unless it is bad.
		l, err := ledger.Open(t.Context(), whole, quick)
		if err != nil {
			t.Errorf("%s: open: got %v", key, err)
		} else if err := l.Close(); err != nil {
			t.Error(err)
		}
		data[len(data)/2] ^= 1
		if err := whole.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		put2(t, whole, key, data)
	}
	if err := error(&ledger.CorruptError{Part: "x", Err: io.ErrUnexpectedEOF}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is not there")
	}
}

func sum(b []byte) []byte {
	s := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return []byte{byte(s), byte(s >> 8), byte(s >> 16), byte(s >> 24)}
}

func put2(t *testing.T, b *inmemory.Bucket, key string, data []byte) {
	t.Helper()
	if err := b.Put(t.Context(), key, section(bytes.Clone(data))); err != nil {
		t.Fatal(err)
	}
}

// FuzzDecode decodes any bytes as an entry, a mark and a part, with their checksum
// put right.
func FuzzDecode(f *testing.F) {
	b, keys := samples(f)
	for _, key := range keys {
		f.Add(bytesOf(f, b, key))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ledger.Decode(data)
		if len(data) >= 4 {
			body := bytes.Clone(data[:len(data)-4])
			ledger.Decode(append(body, sum(body)...))
		}
	})
}

// TestTime: the ledger's time is the bucket's, and it never goes back.
func TestTime(t *testing.T) {
	clock := newClock()
	b := timed{inmemory.NewBucket(), clock}
	o := quick
	o.Now = newClock().now
	l := open(t, b, o)
	start := clock.now()
	clock.add(time.Hour)
	want := func(when time.Time) {
		t.Helper()
		if got, err := l.Time(t.Context()); err != nil || !got.Equal(when) {
			t.Errorf("got %v, %v, want %v", got, err, when)
		}
	}
	want(start.Add(time.Hour))
	if err := l.Swap(t.Context(), nil, number(1)); err != nil {
		t.Fatal(err)
	}
	clock.add(-4 * time.Minute)
	want(start.Add(time.Hour))
	clock.add(-56 * time.Minute) // the clock was wrong before, or is now: time goes on
	want(start)
	clock.add(time.Second)
	want(start.Add(time.Second))
	l = open(t, inmemory.NewBucket(), o)
	want(start)
}

// timed is a bucket with a time.
type timed struct {
	*inmemory.Bucket
	clock *clock
}

func (b timed) Time(context.Context) (time.Time, error) { return b.clock.now(), nil }

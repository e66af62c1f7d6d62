package backup

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// ErrBusy says that another process makes a backup to the Bucket.
var ErrBusy = errors.New("another process makes a backup there")

// claim is the right to make a backup and to delete objects. It is a numbered object
// that is put if absent; the highest number counts. The newest claim always stays, so
// that no number is used twice.
type claim struct {
	bucket blob.Bucket
	now    func() time.Time
	holder string
	number uint64
	until  time.Time
}

const (
	claimFor   = time.Hour
	claimAgain = 15 * time.Minute // how long before its end a claim is prolonged
	claimHead  = "cairn claim 1\n"
)

func claimKey(n uint64) string { return fmt.Sprintf("%s%016x", claimPrefix, n) }

func claimBytes(holder string, until time.Time) []byte {
	b := fmt.Appendf(nil, "%s%q\n%d\n", claimHead, holder, millis(until))
	return fmt.Appendf(b, "%x\n", sha256.Sum256(b))
}

func parseClaim(b []byte) (holder string, until time.Time, err error) {
	i := bytes.LastIndexByte(bytes.TrimSuffix(b, []byte("\n")), '\n')
	if i < 0 || fmt.Sprintf("%x\n", sha256.Sum256(b[:i+1])) != string(b[i+1:]) {
		return "", until, errors.New("damaged")
	}
	text, ok := strings.CutPrefix(string(b[:i]), claimHead)
	who, ms, ok2 := strings.Cut(text, "\n")
	holder, err = strconv.Unquote(who)
	n, err2 := strconv.ParseInt(ms, 10, 64)
	if !ok || !ok2 || err != nil || err2 != nil {
		return "", until, errors.New("not a claim")
	}
	return holder, fromMillis(n), nil
}

// highest returns the numbers of the claims, ascending.
func claims(ctx context.Context, bucket blob.ReadOnly) (numbers []uint64, err error) {
	err = each(ctx, bucket, claimPrefix, func(info blob.Object) error {
		n, err := strconv.ParseUint(strings.TrimPrefix(info.Key, claimPrefix), 16, 64)
		if err == nil && claimKey(n) == info.Key {
			numbers = append(numbers, n)
		}
		return nil
	})
	return numbers, err
}

// readClaim returns who has a claim, and until when.
func readClaim(ctx context.Context, bucket blob.ReadOnly, n uint64) (string, time.Time, error) {
	b, err := bucket.Get(ctx, claimKey(n), 0, -1)
	if err != nil {
		return "", time.Time{}, objectError(claimKey(n), err)
	}
	holder, until, err := parseClaim(b)
	if err != nil {
		err = &CorruptError{Object: claimKey(n), Offset: -1, Part: "claim", Err: err}
	}
	return holder, until, err
}

// take takes the claim, unless another holder has it.
func (c *claim) take(ctx context.Context) error {
	numbers, err := claims(ctx, c.bucket)
	if err != nil {
		return err
	}
	if len(numbers) > 0 {
		c.number = numbers[len(numbers)-1]
		holder, until, err := readClaim(ctx, c.bucket, c.number)
		if err != nil && !errors.As(err, new(*CorruptError)) {
			return err
		}
		if err == nil && c.now().Before(until) {
			return fmt.Errorf("backup: %s, until %v: %w", holder, until, ErrBusy)
		}
	}
	return c.next(ctx, c.now().Add(claimFor), numbers)
}

// next puts the next claim, checks that it is the highest, and deletes those before.
func (c *claim) next(ctx context.Context, until time.Time, before []uint64) error {
	body := claimBytes(c.holder, until)
	n := c.number + 1
	err := c.bucket.Put(ctx, claimKey(n), io.NewSectionReader(bytes.NewReader(body), 0, int64(len(body))))
	if errors.Is(err, blob.ErrExists) {
		err = ErrBusy
	}
	if err != nil {
		return fmt.Errorf("backup: %s: %w", claimKey(n), err)
	}
	c.number, c.until = n, until
	if err := c.held(ctx); err != nil {
		return err
	}
	for _, old := range before {
		if err := c.bucket.Delete(ctx, claimKey(old)); err != nil {
			return fmt.Errorf("backup: %s: %w", claimKey(old), err)
		}
	}
	return nil
}

// held returns an error unless the claim is still the highest.
func (c *claim) held(ctx context.Context) error {
	numbers, err := claims(ctx, c.bucket)
	if err == nil && (len(numbers) == 0 || numbers[len(numbers)-1] != c.number) {
		err = fmt.Errorf("backup: claim %d was lost: %w", c.number, ErrBusy)
	}
	return err
}

// prolong keeps the claim if it ends soon.
func (c *claim) prolong(ctx context.Context) error {
	if c.until.Sub(c.now()) > claimAgain {
		return nil
	}
	if err := c.held(ctx); err != nil {
		return err
	}
	return c.next(ctx, c.now().Add(claimFor), []uint64{c.number})
}

// release ends the claim.
func (c *claim) release(ctx context.Context) error {
	if err := c.held(ctx); err != nil {
		return err
	}
	return c.next(ctx, time.Time{}, []uint64{c.number})
}

// EndClaim ends the claim to a Bucket of a Run that was killed, and returns who had it; ""
// says that nobody has. A Run that lives loses the claim, and fails before its seal.
func EndClaim(ctx context.Context, bucket blob.Bucket) (holder string, err error) {
	numbers, err := claims(ctx, bucket)
	if err != nil || len(numbers) == 0 {
		return "", err
	}
	c := claim{bucket: bucket, number: numbers[len(numbers)-1]}
	holder, until, err := readClaim(ctx, bucket, c.number)
	if err != nil && !errors.As(err, new(*CorruptError)) {
		return "", err
	}
	if err == nil && until.IsZero() {
		return "", nil
	}
	c.holder = holder
	return cmp.Or(holder, "someone"), c.next(ctx, time.Time{}, numbers)
}

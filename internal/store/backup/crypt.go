package backup

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"filippo.io/age"
)

// indexKey encrypts and decrypts what a Store must read of its backups to go on with
// them: archives and tables. It comes from the Store's identity, so it is not in the
// Bucket, and every process that can open the Store has it. It does not decrypt
// stones. It is an age.Recipient and an age.Identity.
type indexKey struct {
	key    []byte
	labels []string // those of the other recipients
}

var (
	_ age.RecipientWithLabels = (*indexKey)(nil)
	_ age.Identity            = (*indexKey)(nil)
)

func newIndexKey(identity string) (*indexKey, error) {
	key, err := hkdf.Key(sha256.New, []byte(identity), nil, "cairn backup index", 32)
	if err != nil {
		return nil, fmt.Errorf("backup: the index key: %w", err)
	}
	return &indexKey{key: key}, nil
}

// tag returns a text that says nothing about what it was made from, but is the same
// for the same.
func (k *indexKey) tag(of ...string) string {
	h := hmac.New(sha256.New, k.key)
	for _, s := range of {
		fmt.Fprintf(h, "%d %s", len(s), s)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

const stanzaType = "cairn-index"

func (k *indexKey) aead(salt []byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, k.key, salt, "cairn backup stanza", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func (k *indexKey) Wrap(fileKey []byte) ([]*age.Stanza, error) {
	salt := make([]byte, 16)
	rand.Read(salt)
	gcm, err := k.aead(salt)
	if err != nil {
		return nil, err
	}
	body := gcm.Seal(nil, make([]byte, gcm.NonceSize()), fileKey, nil) // the key is used once
	return []*age.Stanza{{Type: stanzaType, Args: []string{base64.RawStdEncoding.EncodeToString(salt)}, Body: body}}, nil
}

func (k *indexKey) WrapWithLabels(fileKey []byte) ([]*age.Stanza, []string, error) {
	s, err := k.Wrap(fileKey)
	return s, k.labels, err
}

func (k *indexKey) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	for _, s := range stanzas {
		if s.Type != stanzaType || len(s.Args) != 1 {
			continue
		}
		salt, err := base64.RawStdEncoding.Strict().DecodeString(s.Args[0])
		if err != nil {
			continue
		}
		gcm, err := k.aead(salt)
		if err != nil {
			return nil, err
		}
		if key, err := gcm.Open(nil, make([]byte, gcm.NonceSize()), s.Body, nil); err == nil {
			return key, nil
		}
	}
	return nil, age.ErrIncorrectIdentity
}

// lockbox encrypts objects. The zero lockbox does not.
type lockbox struct {
	recipients []age.Recipient
	index      *indexKey
	tag        string // of the recipients, "" without
}

// newLockbox parses recipients: age1..., one each.
func newLockbox(texts []string, index *indexKey) (lockbox, error) {
	l := lockbox{index: index}
	if len(texts) == 0 {
		return l, nil
	}
	texts = slices.Sorted(slices.Values(texts))
	hybrid := true
	for _, text := range texts {
		some, err := age.ParseRecipients(strings.NewReader(text))
		if err != nil {
			return l, fmt.Errorf("backup: recipient %.70q: %w", text, err)
		}
		for _, r := range some {
			_, is := r.(*age.HybridRecipient)
			hybrid = hybrid && is
		}
		l.recipients = append(l.recipients, some...)
	}
	if hybrid {
		index.labels = []string{"postquantum"} // age does not mix recipients of other labels
	}
	l.tag = index.tag(append([]string{"recipients"}, texts...)...)
	return l, nil
}

func (l lockbox) encrypts() bool { return len(l.recipients) > 0 }

// encrypt writes the ciphertext of src. meta says that the Store itself may read it.
func (l lockbox) encrypt(dst io.Writer, src io.Reader, meta bool) error {
	to := l.recipients
	if meta {
		to = append(slices.Clip(slices.Clone(to)), l.index)
	}
	w, err := age.Encrypt(dst, to...)
	if err != nil {
		return fmt.Errorf("backup: encrypt: %w", err)
	}
	if _, err := io.Copy(w, src); err != nil {
		return fmt.Errorf("backup: encrypt: %w", err)
	}
	return w.Close()
}

// ParseIdentities parses the text of a file of private keys of age, as age-keygen
// writes it.
func ParseIdentities(text []byte) ([]age.Identity, error) {
	ids, err := age.ParseIdentities(bytes.NewReader(text))
	if err != nil {
		return nil, errors.New("backup: not a file of age identities, one AGE-SECRET-KEY- each line") // the error of age could show a key
	}
	return ids, nil
}

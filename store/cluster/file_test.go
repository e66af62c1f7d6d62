package cluster_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/store/cluster"
)

// write writes a cluster file and files with secrets beside it.
func write(t testing.TB, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{"cluster.toml": text, "secret": "s3cret\n", "empty": "\n", "big": strings.Repeat("x", 1<<20+1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "cluster.toml")
}

// TestMistakes has the message for each mistake, without the file's path.
func TestMistakes(t *testing.T) {
	const (
		cat = "[catalogue]\nkind = \"bucket\"\n"
		bkt = "[bucket]\nkind = \"dir\"\npath = \"b\"\n"
		pg  = "[catalogue]\nkind = \"postgres\"\n"
		s3  = "[bucket]\nkind = \"s3\"\nbucket = \"b\"\n"
	)
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "1: no [catalogue]; want a table with kind = \"postgres\", \"mongodb\" or \"bucket\"\n" +
			"1: no [bucket]; want a table with kind = \"s3\", \"seaweed\" or \"dir\""},
		{"not TOML", cat + "[bucket\n", "3: expected '.' or ']' to end table name, but got '\\n' instead"},
		{"twice", cat + "kind = \"dir\"\n", "3: Key 'catalogue.kind' has already been defined."},
		{"no bucket", cat, "1: no [bucket]; want a table with kind = \"s3\", \"seaweed\" or \"dir\""},
		{"not a table", "bucket = 1\n" + cat, "1: bucket: got a whole number, want a table [bucket]"},
		{"a table too many", cat + bkt + "[buckets]\n", "6: buckets: no such key in the file; want catalogue, bucket, cache"},
		{"a key too many", cat + bkt + "endpont = \"x\"\n", "6: endpont: no such key in [bucket]; want kind, path"},
		{"no kind", cat + "[bucket]\npath = \"x\"\n", "3: [bucket] has no kind; want kind = \"s3\" or \"seaweed\" or \"dir\""},
		{"an unknown kind", cat + "[bucket]\n# here\nkind = \"gcs\"\nx = 1\n", "5: kind: got \"gcs\", want \"s3\" or \"seaweed\" or \"dir\""},
		{"a kind of another type", cat + "[bucket]\nkind = true\n", "4: kind: got true or false, want a text"},
		{"no path", cat + "[bucket]\nkind = \"dir\"\n", "3: [bucket] has no path; want path = a folder"},
		{"an empty path", cat + "[bucket]\nkind = \"dir\"\npath = \"\"\n", "5: path: it is empty; leave it out for the default"},
		{"no name", cat + "[bucket]\nkind = \"s3\"\n", "3: [bucket] has no bucket; want bucket = the name of a bucket"},
		{"a secret", cat + s3 + "secret_key = \"abc\"\n", "6: secret_key: a secret does not belong into this file; want secret_key_file = a path, or secret_key_env = the name of an environment variable"},
		{"no such secret", cat + s3 + "access_key_file = \"secret\"\nsecret_key_file = \"gone\"\n", "7: secret_key_file: open DIR/gone: no such file or directory"},
		{"half an account", cat + s3 + "access_key_file = \"secret\"\n", "4: access_key without secret_key, or the other way round; want both or neither"},
		{"an empty secret", pg + "url = \"postgres://a@b/c\"\npassword_file = \"empty\"\n" + bkt, "4: password_file: DIR/empty is empty"},
		{"a large secret", pg + "url = \"postgres://a@b/c\"\npassword_file = \"big\"\n" + bkt, "4: password_file: DIR/big: more than 1048576 bytes"},
		{"no variable", pg + "url = \"postgres://a@b/c\"\npassword_env = \"GONE\"\n" + bkt, "4: password_env: the environment variable GONE is not set"},
		{"two secrets", pg + "url = \"postgres://a@b/c\"\npassword_env = \"GONE\"\npassword_file = \"secret\"\n" + bkt, "4: password_env: there is password_file too; want one of them"},
		{"no URL", pg + bkt, "1: [catalogue] has no url; want url = \"postgres://USER@HOST/DATABASE\""},
		{"another URL", pg + "url = \"mysql://a@b/c\"\n" + bkt, "3: url: want postgres://USER@HOST/DATABASE"},
		{"a password in the URL", pg + "url = \"postgres://a:b@c/d\"\n" + bkt, "3: url: it has a password; want password_file, password_env, url_file or url_env"},
		{"a password behind the URL", pg + "url = \"postgres://a@c/d?password=b\"\n" + bkt, "3: url: it has a password; want password_file, password_env, url_file or url_env"},
		{"a bad time", pg + "url = \"postgres://a@b/c\"\ntimeout = \"3\"\n" + bkt, "4: timeout: got \"3\", want a time such as \"3s\""},
		{"a time as a number", pg + "url = \"postgres://a@b/c\"\ntimeout = 3.5\n" + bkt, "4: timeout: got a number with a point, want a time such as \"3s\""},
		{"no connections", pg + "url = \"postgres://a@b/c\"\nconnections = 0\n" + bkt, "4: connections: got 0, want a number of connections"},
		{"not a flag", pg + "url = \"postgres://a@b/c\"\nsynchronous = \"yes\"\n" + bkt, "4: synchronous: got a text, want true or false"},
		{"in a table of a table", cat + "[catalogue.bucket]\nkind = \"dir\"\npat = \"x\"\n" + bkt, "3: [catalogue.bucket] has no path; want path = a folder\n5: pat: no such key in [catalogue.bucket]; want kind, path"},
		{"names in themselves", cat + "[bucket]\nkind = \"seaweed\"\nmasters = [\"a:1\"]\n", "1: [bucket] of kind \"seaweed\" keeps its names in the catalogue; want a table [catalogue.bucket] of kind \"s3\" or \"dir\", or another catalogue"},
		{"no masters", pg + "url_env = \"GONE\"\n[bucket]\nkind = \"seaweed\"\n", "3: url_env: the environment variable GONE is not set\n4: [bucket] has no masters; want masters = [\"HOST:9333\"]"},
		{"masters that are numbers", pg + "url_env = \"GONE\"\n[bucket]\nkind = \"seaweed\"\nmasters = [1]\n", "3: url_env: the environment variable GONE is not set\n6: masters: want a list such as [\"HOST:9333\"]"},
		{"SeaweedFS below a ledger", cat + "[catalogue.bucket]\nkind = \"seaweed\"\n" + bkt, "4: kind: got \"seaweed\", want \"s3\" or \"dir\""},
		{"a URL of another kind", "[catalogue]\nkind = \"mongodb\"\nurl = \"postgres://a\"\n" + bkt, "3: url: want mongodb://HOST"},
		{"a cache of another type", cat + bkt + "[cache]\npath = []\nbytes = -1\n", "7: path: got a list, want a text\n8: bytes: got -1, want a number of bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := write(t, tt.text)
			_, err := cluster.Open(t.Context(), file, cluster.Options{Env: func(string) (string, bool) { return "", false }})
			if err == nil {
				t.Fatal("got no error")
			}
			var m *cluster.Mistake
			if !errors.As(err, &m) || m.File != file {
				t.Errorf("got %#v, want a Mistake", err)
			}
			got := strings.ReplaceAll(strings.TrimPrefix(err.Error(), "cluster: "), file+":", "")
			got = strings.ReplaceAll(got, filepath.Dir(file), "DIR")
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	if _, err := cluster.Open(t.Context(), write(t, cat+bkt)+"x", cluster.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: got %v", err)
	}
}

// TestDocument reads the examples of docs/CLUSTER.md.
func TestDocument(t *testing.T) {
	data, err := os.ReadFile("../../docs/CLUSTER.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for block := range strings.SplitSeq(string(data), "\n\n    [catalogue]\n") {
		if n++; n == 1 {
			continue
		}
		text := "[catalogue]\n"
		for line := range strings.Lines(block) {
			if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "    ") {
				break
			}
			text += strings.TrimSpace(line) + "\n"
		}
		err := cluster.Parse(write(t, text))
		for mistake := range strings.Lines(fmt.Sprint(err)) {
			if err != nil && !strings.Contains(mistake, "_file: open /etc/") && !strings.Contains(mistake, "the environment variable") {
				t.Errorf("%s\n%s", mistake, text)
			}
		}
	}
	if n != 6 {
		t.Errorf("got %d examples, want 5", n-1)
	}
}

// FuzzFile reads cluster files. Each is a plan or has mistakes with lines of it.
func FuzzFile(f *testing.F) {
	f.Add("[catalogue]\nkind = \"bucket\"\n[bucket]\nkind = \"dir\"\npath = \"b\"\n")
	f.Add("[catalogue]\nkind = \"postgres\"\nurl_env = \"X\"\n[bucket]\nkind = \"s3\"\nbucket = \"b\"\nca_file = \"secret\"\n")
	f.Add("catalogue.kind = \"bucket\"\nbucket = { kind = \"s3\", bucket = \"\"\"\n[x]\n\"\"\" }")
	f.Fuzz(func(t *testing.T, text string) {
		name := write(t, text)
		err := cluster.Parse(name)
		var m *cluster.Mistake
		if err != nil && (!errors.As(err, &m) || m.Line < 1 || m.Line > strings.Count(text, "\n")+2) {
			t.Errorf("got %v", err)
		}
	})
}

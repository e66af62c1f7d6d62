//go:build unix

package main_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestServeDamaged serves a store in which a file of each kind that Open does not
// read is damaged: the world that needs it is corrupt and the log names the file;
// everything else goes on.
func TestServeDamaged(t *testing.T) {
	dir := versions(t)
	stored := func() (out []string) {
		t.Helper()
		for _, kind := range []string{"db/*.blob", "stones/??/*"} {
			list, err := filepath.Glob(filepath.Join(dir, "cairn-data", kind))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, list...)
		}
		return out
	}
	tests := []struct {
		world  string
		noise  int // bytes of a file of the world; many make the stone a file
		damage func(b []byte) []byte
	}{
		{"missing", 3 << 19, func([]byte) []byte { return nil }},
		{"empty", 3 << 19, func(b []byte) []byte { return b[:0] }},
		{"cut", 3 << 19, func(b []byte) []byte { return b[:len(b)-1] }},
		{"flipped", 3 << 19, func(b []byte) []byte { b[len(b)/2] ^= 1; return b }},
		{"blob", 3 << 14, func(b []byte) []byte { b[len(b)/2] ^= 1; return b }},
	}
	files := make(map[string]string)
	for i, tt := range tests {
		noise := make([]byte, tt.noise)
		rand.NewChaCha8([32]byte{byte(i)}).Read(noise)
		write(t, filepath.Join(dir, "other", "data", "noise.dat"), noise)
		before := stored()
		mustRun(t, 0, dir, "import", "other", "@"+tt.world)
		made := slices.DeleteFunc(stored(), func(path string) bool { return slices.Contains(before, path) })
		if len(made) != 1 {
			t.Fatalf("%s has the files %q", tt.world, made)
		}
		files[tt.world] = made[0]
	}
	for _, tt := range tests {
		path := files[tt.world]
		if b := tt.damage(read(t, path)); b != nil {
			write(t, path, b)
		} else if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	s := mustServe(t, dir)
	sound := func(saves int) {
		t.Helper()
		s.call(200, "", "GET", "/readyz", nil)
		s.call(200, "", "GET", "/v1/export/isle?format=anvil", nil)
		mustRun(t, 0, dir, "edit", "--store", s.url, "@isle", "box", "--from", fmt.Sprint(saves, ",100,0"), "--to", fmt.Sprint(saves, ",103,3"), "--name", "stone")
	}
	for i, tt := range tests {
		t.Run(tt.world, func(t *testing.T) {
			answer := string(s.call(422, "", "GET", "/v1/export/"+tt.world+"?format=anvil", nil))
			if !strings.Contains(answer, `"code":"corrupt"`) {
				t.Errorf("answer: %s", answer)
			}
			s.until("a call failed", "world="+tt.world, filepath.Base(files[tt.world]))
			r := mustRun(t, 1, dir, "export", "--store", s.url, "@"+tt.world, "out-"+tt.world)
			if !strings.Contains(r.errors, "corrupt") && !strings.Contains(r.errors, "checksum") {
				t.Errorf("export says %q", r.errors)
			}
			s.call(200, "", "GET", "/v1/head/"+tt.world, nil)
			sound(i)
		})
	}
	s.end(syscall.SIGTERM, 0)
	if strings.Contains(s.log.String(), "panic") {
		t.Errorf("log: %s", s.log)
	}
	r := mustRun(t, 1, dir, "check", "local:cairn-data")
	for _, tt := range tests {
		if !strings.Contains(r.out, fmt.Sprintf("world %q: 1 of 1 versions cannot be read", tt.world)) {
			t.Errorf("check prints %q", r.out)
		}
	}
	if strings.Contains(r.out, `world "isle"`) {
		t.Errorf("check prints %q", r.out)
	}
}

// TestServeKilledDamaged damages the newest log that a server left which was killed:
// the next one refuses to start and names it, and check says it too.
func TestServeKilledDamaged(t *testing.T) {
	dir := island(t)
	s := mustServe(t, dir)
	mustRun(t, 0, dir, "import", "--store", s.url, "island", "@isle")
	s.end(syscall.SIGKILL, -1)
	logs, err := filepath.Glob(filepath.Join(dir, "cairn-data", "db", "*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("logs: %q, %v", logs, err)
	}
	newest := logs[len(logs)-1]
	whole := read(t, newest)
	for name, damage := range map[string]func() error{
		"missing": func() error { return os.Remove(newest) },
		"empty":   func() error { return os.Truncate(newest, 0) },
		"cut":     func() error { return os.Truncate(newest, int64(len(whole)/2)) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"check", "local:cairn-data"}} {
				if r := mustRun(t, 1, dir, args...); !strings.Contains(r.out+r.errors, filepath.Base(newest)) {
					t.Errorf("%v says %q", args, r.out+r.errors)
				}
			}
			write(t, newest, whole)
		})
	}
	s = mustServe(t, dir)
	mustRun(t, 0, dir, "diff", "--store", s.url, "@isle", "island")
	s.end(syscall.SIGTERM, 0)
}

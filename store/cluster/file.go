package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// maxFile bounds a cluster file and a file with a secret.
const maxFile = 1 << 20

// A Mistake is something wrong in a cluster file.
type Mistake struct {
	File string
	Line int // from 1
	Text string
}

// Error is for error.
func (m *Mistake) Error() string { return fmt.Sprintf("%s:%d: %s", m.File, m.Line, m.Text) }

// file is a cluster file.
type file struct {
	name     string
	lines    map[string]int // of tables, and of keys as TABLE.KEY
	mistakes []*Mistake
	env      func(string) (string, bool)
}

// table is a table of a file. Its methods note mistakes and return the zero value.
type table struct {
	*file
	name   string // "" for the top
	values map[string]any
	read   []string // keys that were asked for
}

// readFile reads a cluster file. The top table is not nil unless there is an error.
func readFile(name string, env func(string) (string, bool)) (*table, error) {
	data, err := readSmall(name)
	if err != nil {
		return nil, err
	}
	f := &file{name: name, env: env, lines: linesOf(string(data))}
	top := &table{file: f}
	if _, err := toml.Decode(string(data), &top.values); err != nil {
		var parse toml.ParseError
		if !errors.As(err, &parse) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line := parse.Position.Line
		if strings.HasSuffix(parse.Message, `got '\n' instead`) {
			line-- // the line that ended
		}
		return nil, &Mistake{name, max(1, line), cmp.Or(parse.Message, "not TOML")}
	}
	return top, nil
}

func readSmall(name string) ([]byte, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s: more than %d bytes", name, maxFile)
	}
	return data, err
}

// linesOf returns the first line of each table and key. The text is TOML.
func linesOf(text string) map[string]int {
	lines, name := make(map[string]int), ""
	note := func(key string, line int) {
		if lines[key] == 0 {
			lines[key] = line
		}
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "["); ok {
			head, _, _ = strings.Cut(head, "]")
			name = strings.TrimSpace(head)
			note(name, n)
		} else if key, _, ok := strings.Cut(line, "="); ok {
			note(name+"."+strings.Trim(strings.TrimSpace(key), `"'`), n)
		}
	}
	return lines
}

// wrong notes a mistake at a key of the table, or at the table if it has no such key.
func (t *table) wrong(key, format string, args ...any) {
	line := t.lines[t.name+"."+key]
	if line == 0 {
		line = max(1, t.lines[cmp.Or(t.name, key)])
	}
	t.mistakes = append(t.mistakes, &Mistake{t.file.name, line, fmt.Sprintf(format, args...)})
}

// title is how messages name the table.
func (t *table) title() string {
	if t.name == "" {
		return "the file"
	}
	return "[" + t.name + "]"
}

// value returns the value of a key, and whether it is there and a T.
func value[T any](t *table, key, want string) (v T, ok bool) {
	t.read = append(t.read, key)
	some, there := t.values[key]
	if !there {
		return v, false
	}
	if v, ok = some.(T); !ok {
		t.wrong(key, "%s: got %s, want %s", key, kindOf(some), want)
	}
	return v, ok
}

func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case int64:
		return "a whole number"
	case float64:
		return "a number with a point"
	case bool:
		return "true or false"
	case map[string]any:
		return "a table"
	case time.Time:
		return "a date"
	}
	return "a list"
}

// under returns the table with a name in this one, or nil if there is none.
func (t *table) under(name string) *table {
	v, ok := value[map[string]any](t, name, "a table ["+strings.TrimPrefix(t.name+"."+name, ".")+"]")
	if !ok {
		return nil
	}
	return &table{file: t.file, name: strings.TrimPrefix(t.name+"."+name, "."), values: v}
}

// text returns a text that may be missing.
func (t *table) text(key string) string {
	v, ok := value[string](t, key, "a text")
	if ok && v == "" {
		t.wrong(key, "%s: it is empty; leave it out for the default", key)
	}
	return v
}

// needed returns a text. What says what the key is for.
func (t *table) needed(key, what string) string {
	if _, there := t.values[key]; !there {
		t.read = append(t.read, key)
		t.wrong(key, "%s has no %s; want %[2]s = %s", t.title(), key, what)
		return ""
	}
	return t.text(key)
}

// texts returns a list of texts that must be there.
func (t *table) texts(key, form string) (out []string) {
	list, ok := value[[]any](t, key, "a list such as "+form)
	for _, v := range list {
		s, isText := v.(string)
		if !isText || s == "" {
			t.wrong(key, "%s: want a list such as %s", key, form)
			return nil
		}
		out = append(out, s)
	}
	if _, there := t.values[key]; !there || ok && len(out) == 0 {
		t.wrong(key, "%s has no %s; want %[2]s = %s", t.title(), key, form)
	}
	return out
}

// kind returns the table's kind, which is one of some.
func (t *table) kind(some ...string) string {
	v := t.needed("kind", quoted(some))
	if v != "" && !slices.Contains(some, v) {
		t.wrong("kind", "kind: got %q, want %s", v, quoted(some))
		return ""
	}
	return v
}

func quoted(some []string) string { return `"` + strings.Join(some, `" or "`) + `"` }

func (t *table) flag(key string) bool {
	v, _ := value[bool](t, key, "true or false")
	return v
}

// number returns a number that is at least 1, or 0 if it is missing.
func (t *table) number(key, what string) int64 {
	v, ok := value[int64](t, key, what)
	if ok && v < 1 {
		t.wrong(key, "%s: got %d, want %s", key, v, what)
		return 0
	}
	return v
}

// time returns a time that is above 0, or 0 if it is missing.
func (t *table) time(key string) time.Duration {
	const want = `a time such as "3s"`
	v, ok := value[string](t, key, want)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		t.wrong(key, "%s: got %q, want %s", key, v, want)
		return 0
	}
	return d
}

// path returns a path; a relative one is below the folder of the file.
func (t *table) path(key string) string { return t.below(t.text(key)) }

func (t *table) below(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(t.file.name), path)
}

// secret returns what lies in the file that KEY_file names, or in the environment
// variable that KEY_env names. It returns "" if there is neither.
func (t *table) secret(key string) string {
	if _, there := t.values[key]; there {
		t.read = append(t.read, key)
		t.wrong(key, "%s: a secret does not belong into this file; want %[1]s_file = a path, or %[1]s_env = the name of an environment variable", key)
	}
	file, env := t.path(key+"_file"), t.text(key+"_env")
	switch {
	case file != "" && env != "":
		t.wrong(key+"_env", "%s_env: there is %[1]s_file too; want one of them", key)
	case file != "":
		data, err := readSmall(file)
		if err != nil {
			t.wrong(key+"_file", "%s_file: %v", key, err)
		}
		if text := strings.TrimRight(string(data), "\r\n"); text != "" || err != nil {
			return text
		}
		t.wrong(key+"_file", "%s_file: %s is empty", key, file)
	case env != "":
		if v, ok := t.env(env); ok && v != "" {
			return v
		}
		t.wrong(key+"_env", "%s_env: the environment variable %s is not set", key, env)
	}
	return ""
}

// has reports whether the table names a secret.
func (t *table) has(key string) bool {
	return t.values[key+"_file"] != nil || t.values[key+"_env"] != nil
}

// done notes the keys that nobody asked for.
func (t *table) done() {
	for _, key := range slices.Sorted(maps.Keys(t.values)) {
		if !slices.Contains(t.read, key) {
			t.wrong(key, "%s: no such key in %s; want %s", key, t.title(), strings.Join(t.read, ", "))
		}
	}
}

// err returns the mistakes in the order of their lines.
func (f *file) err() error {
	slices.SortStableFunc(f.mistakes, func(a, b *Mistake) int { return cmp.Compare(a.Line, b.Line) })
	var errs []error
	for _, m := range f.mistakes {
		errs = append(errs, m)
	}
	return errors.Join(errs...)
}

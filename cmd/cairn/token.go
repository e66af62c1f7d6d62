package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/spf13/cobra"
)

type tokenOptions struct {
	file, role, note string
	dimension, box   string
	prefixes         []string
	worlds           int
	bytes            string
	json             bool
	warnings         io.Writer
}

func newToken() *cobra.Command {
	var o tokenOptions
	c := &cobra.Command{
		Use:   "token",
		Short: "Makes, lists and removes the tokens of a server",
		Long: `token changes the file that cairn serve --tokens reads. The file holds hashes, so a
token is printed only once, when it is made. A running server reads the file again at
SIGHUP. Do not run two commands on one file at a time.`,
	}
	c.PersistentPreRun = func(c *cobra.Command, _ []string) { o.warnings = c.ErrOrStderr() }
	f := c.PersistentFlags()
	f.StringVar(&o.file, "file", "", "the file of tokens")
	jsonFlag(f, &o.json)
	return group(c, newTokenNew(&o), newTokenList(&o), newTokenRemove(&o))
}

func newTokenNew(o *tokenOptions) *cobra.Command {
	c := &cobra.Command{
		Use:   "new --file FILE --role ROLE",
		Short: "Adds a token to the file, and prints it",
		Long: `new adds a token to the file and prints the token and nothing else. It creates the file
if it does not exist. The role is read; write, which also allows reading; or admin,
which allows everything. With --prefix players the token is only for the worlds
players/... . With --dimension and --box it is bound to that part of the one world that
--prefix names: whoever has it may only look at that part. --worlds and --bytes limit how
much there may be below the prefixes of a token that may write.`,
		Example: `  cairn token new --file tokens.json --role write --prefix players --note "game servers"
  cairn token new --file tokens.json --role write --prefix players/ann --worlds 3 --bytes 64MiB
  cairn token new --file tokens.json --role read --prefix hub --dimension overworld --box 0,0,0..255,255,255`,
		Args: takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return o.add(c.OutOrStdout()) },
	}
	f := c.Flags()
	f.StringVar(&o.role, "role", "", "read, write or admin")
	f.StringArrayVar(&o.prefixes, "prefix", nil, "the token is for worlds whose names begin with this; repeat it for several; default: all worlds")
	f.StringVar(&o.dimension, "dimension", "", "with --box: the dimension that the token is for")
	f.StringVar(&o.box, "box", "", "the token is for these blocks, such as 0,0,0..255,255,255")
	f.IntVar(&o.worlds, "worlds", 0, "how many worlds there may be below the prefixes; 0 is no limit")
	f.StringVar(&o.bytes, "bytes", "", "how large the newest versions of these worlds may be together, such as 64MiB")
	f.StringVar(&o.note, "note", "", "a note for list, such as who has the token")
	return c
}

func newTokenList(o *tokenOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "list --file FILE",
		Short: "Lists the tokens in the file, not their secrets",
		Args:  takes(0, 0),
		RunE:  func(c *cobra.Command, _ []string) error { return o.list(c.OutOrStdout()) },
	}
}

func newTokenRemove(o *tokenOptions) *cobra.Command {
	return &cobra.Command{
		Use:     "remove --file FILE ID...",
		Short:   "Removes tokens from the file, by the ids that list prints",
		Example: "  cairn token remove --file tokens.json 3f9ac2d4",
		Args:    takes(1, 1000),
		RunE:    func(c *cobra.Command, args []string) error { return o.remove(c.OutOrStdout(), args) },
	}
}

// read returns the tokens in the file.
func (o *tokenOptions) read() ([]token.Token, error) {
	if o.file == "" {
		return nil, usagef("token: give the file of tokens by --file")
	}
	t, err := token.ReadFile(o.file)
	if err != nil {
		return nil, err
	}
	warn(o.warnings, o.file)
	return t.All(), nil
}

// madeToken is the result of token new.
type madeToken struct {
	Secret string `json:"secret"`
	listedToken
}

func (m *madeToken) print(out io.Writer) { fmt.Fprintln(out, m.Secret) }

func (o *tokenOptions) add(out io.Writer) error {
	role, err := token.ParseRole(o.role)
	if err != nil {
		return usagef("--role %q: want read, write or admin", o.role)
	}
	t := token.Token{Role: role, Prefixes: o.prefixes, Note: o.note, Dimension: o.dimension, Limits: token.Quota{Worlds: o.worlds}}
	if o.bytes != "" {
		if t.Limits.Bytes, err = parseSize(o.bytes); err != nil {
			return usagef("--bytes %s: %v", o.bytes, err)
		}
	}
	if o.box != "" {
		if t.Box, err = token.ParseBlockBox(o.box); err != nil {
			return usageError{err}
		}
	}
	secret, t, err := token.New(t)
	if err != nil {
		return usageError{err}
	}
	all, err := o.read()
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return err
	}
	if err := token.WriteFile(o.file, append(all, t)); err != nil {
		return err
	}
	return report(out, &madeToken{secret, tokenOf(t)}, o.json)
}

// listedToken is one of what token list prints.
type listedToken struct {
	ID        string         `json:"id"`
	Role      string         `json:"role"`
	Prefixes  []string       `json:"prefixes"`
	Note      string         `json:"note"`
	Dimension string         `json:"dimension,omitempty"`
	Box       token.BlockBox `json:"box,omitzero"`
	token.Quota
}

// tokenDigits is how many digits of a hash are shown as an id.
const tokenDigits = 12

func tokenOf(t token.Token) listedToken {
	return listedToken{t.Hash.String()[:tokenDigits], t.Role.String(), append([]string{}, t.Prefixes...), t.Note, t.Dimension, t.Box, t.Limits}
}

// listedTokens is the result of token list and token remove.
type listedTokens struct {
	Tokens []listedToken `json:"tokens"`
}

func (l *listedTokens) print(out io.Writer) {
	if len(l.Tokens) == 0 {
		fmt.Fprintln(out, "no tokens")
		return
	}
	t := console.NewColumns(out)
	t.Row("id", "role", "for", "note")
	for _, tok := range l.Tokens {
		what := strings.Join(tok.Prefixes, ", ")
		if what == "" {
			what = "all worlds"
		}
		if tok.Dimension != "" {
			what += " " + console.Line(tok.Dimension) + " " + tok.Box.String()
		}
		if tok.Worlds > 0 {
			what += fmt.Sprintf(", at most %d worlds", tok.Worlds)
		}
		if tok.Bytes > 0 {
			what += ", at most " + table.Size(tok.Bytes)
		}
		t.Row(tok.ID, tok.Role, what, console.Line(tok.Note))
	}
	t.Flush()
}

func (o *tokenOptions) list(out io.Writer) error {
	all, err := o.read()
	if err != nil {
		return err
	}
	return report(out, listAll(all), o.json)
}

func listAll(all []token.Token) *listedTokens {
	l := &listedTokens{Tokens: []listedToken{}}
	for _, t := range all {
		l.Tokens = append(l.Tokens, tokenOf(t))
	}
	return l
}

// remove removes tokens from the file and prints the rest.
func (o *tokenOptions) remove(out io.Writer, ids []string) error {
	all, err := o.read()
	if err != nil {
		return err
	}
	const least = 4 // digits
	for _, id := range ids {
		is := func(t token.Token) bool { return strings.HasPrefix(t.Hash.String(), id) }
		at := slices.IndexFunc(all, is)
		switch {
		case len(id) < least:
			return usagef("%s: give at least %d digits of a token's id", id, least)
		case at < 0:
			return fmt.Errorf("%s: no token in %s has that id", id, o.file)
		case slices.ContainsFunc(all[at+1:], is):
			return fmt.Errorf("%s: several tokens in %s have an id that begins with it", id, o.file)
		}
		all = slices.Delete(all, at, at+1)
	}
	if err := token.WriteFile(o.file, all); err != nil {
		return err
	}
	return report(out, listAll(all), o.json)
}

package gateway_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// TestCopyModes loads rows in each mode, whatever ontosql.on_conflict says, in a block and outside.
func TestCopyModes(t *testing.T) {
	for _, ending := range []bool{true, false} {
		h := newHouse(t, shop(t))
		h.ending = ending
		c := h.copier(t)
		tagged(t, c, `INSERT INTO item (sku, title, price) VALUES (1, 'a', 1.5), (2, 'b', 2.5)`, "INSERT 0 2")
		const all = "SELECT sku, title, price::text FROM item ORDER BY 1"
		load := func(options, data string) (string, *pgerr.Error) {
			t.Helper()
			tag, err := c.load(t, "COPY item (title, sku, price) FROM STDIN WITH ("+options+")", strings.NewReader(data))
			if err != nil {
				return tag, asError(t, err)
			}
			return tag, nil
		}
		refuse := func(options, data, code, text string) {
			t.Helper()
			tag, e := load(options, data)
			if e == nil || e.Code != code || !strings.Contains(e.Message+" "+e.Detail, text) {
				t.Errorf("ending %v: (%s): tag %q, %v; want %s and %q", ending, options, tag, e, code, text)
			}
		}
		accept := func(options, data, want string, rows ...string) {
			t.Helper()
			if tag, e := load(options, data); e != nil || tag != want {
				t.Errorf("ending %v: (%s): tag %q, %v; want %q", ending, options, tag, e, want)
			}
			if diff := cmp.Diff(rows, must(t, c, all)); diff != "" {
				t.Errorf("ending %v: (%s): rows (-want +got):\n%s", ending, options, diff)
			}
		}
		must(t, c, "SET ontosql.on_conflict = 'update'")
		refuse("MODE append", "x\t1\t9\n", pgerr.UniqueViolation, "Key (sku)=(1) already exists.")
		accept("MODE append", "c\t3\t3.5\n", "COPY 1", "1|a|1.5", "2|b|2.5", "3|c|3.5")
		must(t, c, "SET ontosql.on_conflict = 'error'")
		accept("mode 'Merge'", "x\t1\t9\n", "COPY 1", "1|x|9", "2|b|2.5", "3|c|3.5")
		refuse("MODE overwrite", "y\t1\t9\nd\t4\t4\n", pgerr.ObjectNotInPrerequisiteState, "lacks 2 rows of \"item\" Key (sku)=(2), (3).")
		refuse("MODE overwrite", "", pgerr.ObjectNotInPrerequisiteState, "lacks 3 rows")
		refuse("MODE overwrite", "y\t1\tz\n", pgerr.InvalidTextRepresentation, "numeric")
		accept("MODE overwrite", "y\t1\t9\nb\t2\t2.5\nc\t3\t3.5\nd\t4\t4\n", "COPY 4", "1|y|9", "2|b|2.5", "3|c|3.5", "4|d|4")
		accept("MODE overwrite, KEEP_MISSING", "z\t1\t9\ne\t5\t5\n", "COPY 2", "1|z|9", "2|b|2.5", "3|c|3.5", "4|d|4", "5|e|5")

		refuse("MODE overwrite, KEEP_MISSING false", "z\t1\t9\n", pgerr.ObjectNotInPrerequisiteState, "lacks 4 rows")
		refuse("MODE replace", "", pgerr.InvalidParameterValue, "COPY mode \"replace\" not recognized")
		refuse("MODE", "", pgerr.SyntaxError, "mode requires a parameter")
		refuse("MODE merge, MODE append", "", pgerr.SyntaxError, "conflicting or redundant options")
		refuse("MODE merge, KEEP_MISSING", "", pgerr.FeatureNotSupported, "keep_missing only available in mode overwrite")
		refused(t, c, pgerr.FeatureNotSupported, "COPY item TO STDOUT WITH (MODE merge)")
		must(t, c, "CREATE TEMP TABLE scratch (id int)")
		if _, err := c.load(t, "COPY scratch FROM STDIN WITH (MODE merge)", strings.NewReader("1\n")); err == nil || asError(t, err).Code != pgerr.FeatureNotSupported {
			t.Errorf("MODE of a temporary table: %v", err)
		}
	}
}

// TestCopyOverwritesOwnRows counts rows of the transaction itself as rows of the type, and relations
// by all columns of their keys.
func TestCopyOverwritesOwnRows(t *testing.T) {
	h := newHouse(t, shop(t))
	c := h.copier(t)
	must(t, c, "BEGIN")
	must(t, c, "CREATE TABLE link (left_key bigint REFERENCES item, right_key bigint REFERENCES item, kind text, n bigint DEFAULT 7, PRIMARY KEY (left_key, right_key, kind))")
	must(t, c, "INSERT INTO link VALUES (1, 2, 'x', 1), (1, 2, 'y', 2)")
	_, err := c.load(t, "COPY link (left_key, right_key, kind) FROM STDIN WITH (MODE overwrite)", strings.NewReader("1\t2\ty\n"))
	if e := asError(t, err); e.Code != pgerr.ObjectNotInPrerequisiteState || e.Detail != "Key (left_key, right_key, kind)=(1, 2, x)." {
		t.Errorf("%v, %s", err, e.Detail)
	}
}

// overtaken is a Committer that lets another session commit first, once.
type overtaken struct {
	storage.Committer
	other func()
}

func (o *overtaken) Commit(ctx context.Context, tx writepath.Tx) (writepath.Outcome, error) {
	if other := o.other; other != nil {
		o.other = nil
		other()
	}
	return o.Committer.Commit(ctx, tx)
}

// TestCopyOverwriteIsOvertaken: rows that another session commits between the comparison of a COPY in
// mode overwrite and its commit are compared too, whether or not they conflict with the data. In a
// transaction block the isolation level decides.
func TestCopyOverwriteIsOvertaken(t *testing.T) {
	const (
		conflicting = "INSERT INTO shelf VALUES ('a', 9), ('new', 1) ON CONFLICT (name) DO UPDATE SET height = excluded.height"
		disjoint    = "INSERT INTO shelf VALUES ('new', 1)"
		lacks       = `the data of COPY lacks 1 rows of "shelf" Key (name)=(new).`
	)
	for i, c := range []struct {
		block, other, options string
		code                  string // of the refusal, by COPY or by COMMIT
		rows                  []string
	}{
		{other: conflicting, code: pgerr.ObjectNotInPrerequisiteState, rows: []string{"a|9", "new|1"}},
		{other: disjoint, code: pgerr.ObjectNotInPrerequisiteState, rows: []string{"a|1", "new|1"}},
		{other: conflicting, options: ", KEEP_MISSING", rows: []string{"a|3", "new|1"}},
		{other: disjoint, options: ", KEEP_MISSING", rows: []string{"a|3", "new|1"}},
		{block: "BEGIN", other: conflicting, code: pgerr.SerializationFailure, rows: []string{"a|9", "new|1"}},
		{block: "BEGIN", other: disjoint, rows: []string{"a|3", "new|1"}},
		{block: "BEGIN ISOLATION LEVEL SERIALIZABLE", other: disjoint, code: pgerr.SerializationFailure, rows: []string{"a|1", "new|1"}},
	} {
		for kind, open := range map[string]func() *house{
			"bucket": func() *house { return newHouse(t, shop(t)) },
			"file":   func() *house { return fileHouse(t, emptyFile(t), false) },
		} {
			h := open()
			h.ending = true
			s, other := h.copier(t), h.session(t, "onto")
			if kind == "file" {
				must(t, other, "CREATE TABLE shelf (name text PRIMARY KEY, height bigint)")
			}
			must(t, other, "INSERT INTO shelf VALUES ('a', 1)")
			if c.block != "" {
				must(t, s, c.block)
			}
			h.db.Committer = &overtaken{h.db.Committer, func() { must(t, other, c.other) }}
			tag, err := s.load(t, "COPY shelf FROM STDIN WITH (MODE overwrite"+c.options+")", strings.NewReader("a\t3\n"))
			if c.block != "" {
				if err != nil {
					t.Fatalf("%d, %s: %v", i, kind, err)
				}
				_, err = ask(t, s, "COMMIT")
			}
			switch e := (*pgerr.Error)(nil); {
			case c.code == "" && (err != nil || tag != "COPY 1"):
				t.Errorf("%d, %s: tag %q, %v", i, kind, tag, err)
			case c.code != "" && err == nil:
				t.Errorf("%d, %s: tag %q, want %s", i, kind, tag, c.code)
			case c.code != "":
				if e = asError(t, err); e.Code != c.code || c.block == "" && e.Message+" "+e.Detail != lacks {
					t.Errorf("%d, %s: %v %s", i, kind, e, e.Detail)
				}
			case c.options != "":
				if diff := cmp.Diff([]string{lacks}, s.notices); diff != "" {
					t.Errorf("%d, %s: notices (-want +got):\n%s", i, kind, diff)
				}
			}
			answers(t, other, "SELECT name, height FROM shelf ORDER BY 1", c.rows...)
		}
	}
}

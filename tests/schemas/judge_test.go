package schemas

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/wire"
)

// reads holds what a session sees of a table against the model, at the point of
// its transaction (0) or at an earlier one.
func (s *session) reads(w *world, name string, point int) error {
	t := w.tables[name]
	from, want := name, t.show(staged)
	if point > 0 {
		from, want = fmt.Sprintf("as_of.%s(%d)", name, point), t.show(point)
	}
	got, err := s.ask("SELECT " + t.list() + " FROM " + from)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("%s (-model +read):\n%s", from, diff)
	}
	return nil
}

// list is the select list that shows a row as the model does.
func (t *modelTable) list() string {
	list := t.keys()
	for _, c := range t.columns {
		list = append(list, c.name+"::text")
	}
	return strings.Join(list, ", ")
}

// shape compares the columns of a table in RowDescription with the model.
func (s *session) shape(w *world, name string) error {
	t := w.tables[name]
	st, err := s.Prepare(s.ctx, wire.Query{SQL: "SELECT * FROM " + name}, nil)
	if s.said != nil {
		s.said("prepare SELECT * FROM "+name, err)
	}
	if err != nil {
		return fmt.Errorf("columns of %s: %w", name, errors.Join(err, s.Sync(s.ctx, true)))
	}
	st.Close()
	if err := s.Sync(s.ctx, false); err != nil {
		return err
	}
	var got, want []string
	for _, c := range st.Columns() {
		got = append(got, fmt.Sprint(c.Name, " ", c.OID))
	}
	for _, key := range t.keys() {
		want = append(want, key+" 25")
	}
	for _, c := range t.columns {
		for _, typ := range types {
			if typ.name == c.typ {
				want = append(want, fmt.Sprint(c.name, " ", typ.oid))
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("columns of %s (-model +told):\n%s", name, diff)
	}
	return nil
}

// glance reads a table as a client sees it now, inside of its transaction or
// outside, and as it was at an earlier point.
func (h *history) glance(c *client, draw *rand.Rand) error {
	w := h.seenBy(c)
	names := append(w.names(false), w.names(true)...)
	if len(names) == 0 {
		return nil
	}
	if c.open {
		c.look(h.world)
	}
	name := names[draw.IntN(len(names))]
	if err := c.reads(w, name, 0); err != nil {
		return err
	}
	// What is prepared is planned by the schema that the gateway saw last, which
	// another one may have changed (decision A3): that is now.
	if err := c.shape(w, name); err != nil {
		return err
	}
	if w.head > 0 {
		return c.reads(w, name, 1+draw.IntN(w.head))
	}
	return nil
}

// everything holds what is committed against the model: every table at every
// point, its history, the catalog and the commits.
func (h *history) everything(s *session) error {
	w := h.world
	if got, err := s.ask("SELECT count(*), coalesce(max(commit_id), 0) FROM ontosql.commits"); err != nil || got[0] != fmt.Sprintf("%d|%d", w.head, w.head) {
		return fmt.Errorf("the commits are %q, %w, want %d", got, err, w.head)
	}
	var columns, tables []string
	for _, name := range append(w.names(false), w.names(true)...) {
		t := w.tables[name]
		for point := 1; point <= w.head; point++ {
			if err := s.reads(w, name, point); err != nil {
				return err
			}
		}
		before := ""
		for _, c := range t.columns {
			before += ", before ->> '" + c.name + "'"
		}
		for from, want := range map[string][]string{
			"commit_id FROM history." + name:                                     t.versions(w.head),
			"commit_id FROM " + name + " FOR SYSTEM_TIME ALL":                    t.versions(w.head),
			"commit_id, changed_fields::text" + before + " FROM changes." + name: t.changes(w.head),
		} {
			got, err := s.ask("SELECT " + t.list() + ", " + from)
			if err != nil {
				return fmt.Errorf("%s: %w", from, err)
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				return fmt.Errorf("%s (-model +read):\n%s", from, diff)
			}
		}
		if err := s.shape(w, name); err != nil {
			return err
		}
		tables = append(tables, fmt.Sprintf("%s|%d", name, t.schema))
		for _, key := range t.keys() {
			columns = append(columns, name+"|"+key+"|text|NO|false|NULL")
		}
		for _, c := range t.columns {
			nullable, said := "YES", "NULL"
			if c.notNull {
				nullable = "NO"
			}
			if c.comment != "" {
				said = c.comment
			}
			columns = append(columns, fmt.Sprintf("%s|%s|%s|%s|%t|%s", name, c.name, c.typ, nullable, c.def, said))
		}
	}
	for sql, want := range map[string][]string{
		"SELECT type_name, schema_version_id FROM ontosql.types": tables,
		`SELECT table_name, column_name, data_type, is_nullable, column_default IS NOT NULL, col_description(('public.' || table_name)::regclass, ordinal_position::int)
			FROM information_schema.columns WHERE table_schema = 'public'`: columns,
	} {
		got, err := s.ask(sql)
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("%s (-model +read):\n%s", sql, diff)
		}
	}
	return nil
}

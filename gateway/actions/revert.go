package actions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/writing"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// reversion is the revert of one type: what diff finds between the head and the point is written
// again, as an upsert (decision A67).
type reversion struct {
	*call
	of   *catalog.Type
	to   ontosql.CommitID
	from string // the FROM clause of the rows that differ, and the condition of a key
	kept int64  // rows that did not exist at the point
	keys string // those of the first of them
}

// shownKeys is the number of rows of a type that an error names.
const shownKeys = 10

// revert is ontosql.revert(point, type, key, keep_new).
func (c *call) revert(ctx context.Context) error {
	point, err := c.required(0)
	if err != nil {
		return err
	}
	to, err := c.session.CommitAt(c.pin, point)
	if err != nil {
		return err
	}
	keep, ok := settings.ParseBool(c.optional(3, "off"))
	if !ok {
		return pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type boolean: %q", *c.args[3])
	}
	types, err := c.types(to)
	if err != nil {
		return err
	}
	var all []*reversion
	var appeared []string
	for _, t := range types {
		if !c.pin.View.HasFiles(t.Ref, to, c.pin.Head.Commit) {
			continue
		}
		r := &reversion{call: c, of: t, to: to}
		if err := r.prepare(ctx); err != nil {
			return err
		}
		if all = append(all, r); r.kept > 0 {
			appeared = append(appeared, r.appeared())
		}
	}
	if len(appeared) > 0 && !keep {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "rows did not exist at %q", point).
			WithDetail("%s.", strings.Join(appeared, "; ")).
			WithHint("History is append-only, so they cannot be removed. With keep_new => true they stay, and the others are reverted.")
	}
	var changed int64
	for _, r := range all {
		n, err := r.write(ctx)
		if err != nil {
			return err
		}
		changed += n
		c.rows.Append(r.of.Ref.Kind.String(), r.of.Ref.Name, r.of.Table, n, r.kept)
	}
	if changed > 0 {
		c.session.Did("revert " + strings.Join(append(c.named(), "to "+point), " "))
	}
	return nil
}

// named is the type and the key of the call in words.
func (c *call) named() (words []string) {
	for _, i := range []int{1, 2} {
		if c.args[i] != nil {
			words = append(words, *c.args[i])
		}
	}
	return words
}

// types are the types that the call names. One that was dropped after the commit cannot be reverted.
func (c *call) types(to ontosql.CommitID) ([]*catalog.Type, error) {
	dropped := c.pin.View.DroppedAfter(to)
	if c.args[1] == nil {
		switch {
		case c.args[2] != nil:
			return nil, pgerr.New(pgerr.InvalidParameterValue, "ontosql.revert has a key without a type")
		case len(dropped) > 0:
			return nil, c.droppedSince(dropped[0])
		}
		return c.pin.Catalog.Types, nil
	}
	t, err := c.typeNamed(1)
	if err != nil {
		return nil, err
	}
	for _, ref := range dropped {
		if ref == t.Ref {
			return nil, c.droppedSince(ref)
		}
	}
	return []*catalog.Type{t}, nil
}

func (c *call) droppedSince(ref ontosql.TypeRef) error {
	return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "type %q was dropped in commit %d, after the point", ref.Name, c.pin.View.Floor(ref)).
		WithHint("Revert the other types one by one: SELECT * FROM ontosql.revert(point, type).")
}

// prepare checks that the type can be reverted and finds the rows that did not exist at the point.
func (r *reversion) prepare(ctx context.Context) error {
	if g := r.session.Tx.StagingOf(r.of.Ref); g != nil && g.Count() > 0 {
		return pgerr.Unsupported("a revert of %q after other writes to it in the same transaction is not supported", r.of.Table).
			WithHint("COMMIT first.")
	}
	where, err := r.ofKey(ctx)
	if err != nil {
		return err
	}
	r.from = fmt.Sprintf(" FROM diff.%s(%d, %d) AS d%s", str.QuoteIdent(r.of.Table), r.pin.Head.Commit, r.to, where)
	var keys []string
	for _, k := range r.of.Key {
		keys = append(keys, "d."+str.QuoteIdent(r.of.Columns[k].Name))
	}
	shown := keys[0] + "::text"
	if len(keys) > 1 {
		shown = "'(' || concat_ws(', ', " + strings.Join(keys, ", ") + ") || ')'"
	}
	sql := fmt.Sprintf("SELECT count(*), string_agg(CASE WHEN n <= %d THEN k END, ', ' ORDER BY n) FROM (SELECT row_number() OVER (ORDER BY %s) AS n, %s AS k%s AND d.to_commit_id IS NULL) AS x",
		shownKeys, strings.Join(keys, ", "), shown, r.from)
	p, err := r.plan(sql)
	if err != nil {
		return err
	}
	return reading.FirstRow(ctx, r.session, r.pin, p, nil, nil, func(b *column.Batch) error {
		if r.kept = b.Cols[0].I64[0]; r.kept > 0 {
			r.keys = string(b.Cols[1].Str[0])
		}
		return nil
	})
}

// appeared names the rows that did not exist at the point.
func (r *reversion) appeared() string {
	text := r.of.Table + ": " + r.keys
	if more := r.kept - shownKeys; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// write writes the values at the point. It returns the number of rows that change.
func (r *reversion) write(ctx context.Context) (int64, error) {
	was, err := r.columnsThen()
	if err != nil {
		return 0, err
	}
	table := str.QuoteIdent(r.of.Table)
	var names, values, keys, set, differ []string
	for i := range r.of.Columns {
		name := str.QuoteIdent(r.of.Columns[i].Name)
		value := "d." + str.QuoteIdent(catalog.FromPrefix+r.of.Columns[i].Name)
		if was[i] {
			value = "d." + str.QuoteIdent(catalog.ToPrefix+r.of.Columns[i].Name)
			set = append(set, name+" = excluded."+name)
			differ = append(differ, table+"."+name+" IS DISTINCT FROM excluded."+name)
		}
		names, values = append(names, name), append(values, value)
	}
	if len(set) == 0 { // no column of today existed
		return 0, nil
	}
	for _, k := range r.of.Key {
		keys = append(keys, str.QuoteIdent(r.of.Columns[k].Name))
	}
	sql := fmt.Sprintf("INSERT INTO public.%s (%s) SELECT %s%s AND d.to_commit_id IS NOT NULL ON CONFLICT (%s) DO UPDATE SET %s WHERE %s",
		table, strings.Join(names, ", "), strings.Join(values, ", "), r.from, strings.Join(keys, ", "), strings.Join(set, ", "), strings.Join(differ, " OR "))
	p, err := r.plan(sql)
	if err != nil {
		return 0, err
	}
	if err := r.session.PrepareCatalog(ctx, r.pin, p); err != nil {
		return 0, err
	}
	n, returned, err := writing.Stage(ctx, r.session, r.pin, p, nil, nil)
	if err != nil {
		return 0, err
	}
	returned.Close()
	return n, nil
}

func (r *reversion) plan(sql string) (*planner.Plan, error) {
	st, err := syntax.Analyze(sql)
	if err != nil {
		return nil, err
	}
	return r.session.Plan(r.pin, st, nil)
}

// columnsThen are the columns, by their indexes, that get the values of the point: those outside of
// the key that existed then. A column that had another type then is 55000, because its values may
// not be those of today's.
func (r *reversion) columnsThen() (map[int]bool, error) {
	version, err := r.versionThen()
	if err != nil {
		return nil, err
	}
	was := map[int]bool{}
	for i, c := range r.of.Columns {
		if slices.Contains(r.of.Key, i) {
			continue
		}
		kind, there := r.of.KindAt(c, version)
		switch {
		case r.hides(catalog.FromPrefix + c.Name), r.hides(catalog.ToPrefix + c.Name):
			return nil, pgerr.Unsupported("a revert of a type with a column %q is not supported", c.Name)
		case there && kind != c.Type.Kind:
			return nil, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "column %q of %q had another type at the point", c.Name, r.of.Table).
				WithHint("Write the values of as_of.%s in the type that they shall have.", str.QuoteIdent(r.of.Table))
		}
		was[i] = there
	}
	return was, nil
}

// hides reports whether diff has another column of this name than that of a column of the type.
func (r *reversion) hides(name string) bool {
	return name == catalog.FromPrefix+"commit_id" || name == catalog.ToPrefix+"commit_id" ||
		slices.ContainsFunc(r.of.Key, func(k int) bool { return r.of.Columns[k].Name == name })
}

// versionThen is the schema version of the type at the point, 0 before the first.
func (r *reversion) versionThen() (int64, error) {
	view := r.pin.View
	version, changed, err := view.SchemaVersionAt(r.of.Ref, r.to)
	if err != nil || changed || r.to == 0 {
		return version, err
	}
	at := view.Commit(r.to).Manifest.CreatedAt.Time
	for _, v := range r.of.Versions { // the original makes no commit of the first
		if !v.CreatedAt.After(at) {
			version = max(version, v.ID)
		}
	}
	return version, nil
}

// ofKey is the condition of the row with the key of the call; all rows where it has none.
func (r *reversion) ofKey(ctx context.Context) (string, error) {
	if r.args[2] == nil {
		return " WHERE true", nil
	}
	values := []string{*r.args[2]}
	if len(r.of.Key) > 1 {
		var err error
		if values, err = r.elements(ctx, *r.args[2]); err != nil {
			return "", err
		}
	}
	if len(values) != len(r.of.Key) {
		return "", pgerr.New(pgerr.InvalidParameterValue, "the key of %q has %d columns, not %d", r.of.Table, len(r.of.Key), len(values)).
			WithHint("For a relation it is an array of the values, such as ARRAY['c42', 'p7'].")
	}
	var list []string
	for i, k := range r.of.Key {
		list = append(list, "d."+str.QuoteIdent(r.of.Columns[k].Name)+" = "+str.QuoteLiteral(values[i]))
	}
	return " WHERE " + strings.Join(list, " AND "), nil
}

// elements are the elements of a text that is an array of texts.
func (r *reversion) elements(ctx context.Context, array string) (values []string, err error) {
	p, err := r.plan("SELECT unnest(" + str.QuoteLiteral(array) + "::text[])")
	if err != nil {
		return nil, err
	}
	err = reading.FirstRow(ctx, r.session, r.pin, p, nil, nil, func(b *column.Batch) error {
		if b == nil {
			return nil
		}
		for i := range b.Len {
			if b.Cols[0].IsNull(i) {
				return pgerr.New(pgerr.InvalidParameterValue, "the key of %q has an element that is NULL", r.of.Table)
			}
			values = append(values, string(b.Cols[0].Str[i]))
		}
		return nil
	})
	return values, err
}

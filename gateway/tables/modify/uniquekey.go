package modify

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// Unique keys are checked by queries of the heap, those of expressions too, and not by an index
// of the engine: an index of the engine knows one version of a row, and a heap has all of them
// with the transactions that made and ended them. While a statement looks for other rows with
// its keys and writes its own, no other session writes the heap (Session.Apply). So of two
// transactions that write the same key the second sees the row of the first, which has not
// committed, and waits for its end (Changes.meets).

// keyRows are rows whose keys are computed.
type keyRows struct {
	values []string // the expressions of the columns of the table
	from   string   // the FROM item of the rows
	kept   []string // integers that are in the query besides the key
}

// keptName is the name of a kept column of a query of keys.
func keptName(i int) string { return "m" + strconv.Itoa(i) }

// keyQuery is the query of the keys of rows without those that have NULL in the key, which are
// never equal, and without those that do not meet the condition of the index. Its columns are
// k0, k1 and so on, shown, which is the text of the key in errors, and m0, m1 and so on, which
// are the kept ones.
func keyQuery(s *session.Session, t *workspace.Table, k *workspace.Key, rows keyRows) (string, error) {
	query, err := keysOf(s, t, k, rows)
	if err != nil {
		return "", err
	}
	keys := keyNames("", len(k.Parts))
	names := append(slices.Clone(keys), "shown")
	for i := range rows.kept {
		names = append(names, keptName(i))
	}
	return "SELECT * FROM (" + query + ") AS keys(" + strings.Join(names, ", ") + ") WHERE " + NotNull(keys), nil
}

// keysOf is keyQuery for all rows, with other names of the columns.
func keysOf(s *session.Session, t *workspace.Table, k *workspace.Key, rows keyRows) (string, error) {
	shape := relation.StoredShape(t)
	if k.Columns() != nil {
		var items, texts []string
		for _, number := range k.Columns() {
			i := slices.IndexFunc(t.Columns, func(c workspace.Column) bool { return c.Number == number })
			items = append(items, rows.values[i])
			texts = append(texts, scope.Expr{SQL: rows.values[i], Type: t.Columns[i].Type}.Output())
		}
		items = append(items, enginesql.InDefaultStyle(strings.Join(texts, " || ', ' || ")))
		return "SELECT " + strings.Join(append(items, rows.kept...), ", ") + " FROM " + rows.from, nil
	}
	for i := range rows.kept {
		shape.Columns = append(shape.Columns, column.Named{Name: fmt.Sprintf("%s %d", rowDescription(t), i), Type: column.Type{Kind: column.Int64}})
		shape.Types = append(shape.Types, types.Of(types.Int8))
	}
	sc, err := ddlstmt.ScopeKey(shape, partTexts(t, k.Parts), k.Where, len(rows.kept), s.NewEnv())
	if err != nil {
		return "", err
	}
	var items []string
	values := slices.Concat(rows.values, rows.kept)
	for i, alias := range column.AliasesOf(shape.Columns) {
		items = append(items, values[i]+" AS "+duckdb.Ident(alias))
	}
	return sc.Bind([]string{"(SELECT " + strings.Join(items, ", ") + " FROM " + rows.from + ")"})
}

// partTexts are the columns and expressions of a key as SQL.
func partTexts(t *workspace.Table, parts []workspace.IndexKey) (texts []string) {
	for _, p := range parts {
		if p.Column != 0 {
			p.Text = str.QuoteIdent(t.Numbered(p.Column).Name)
		}
		texts = append(texts, p.Text)
	}
	return texts
}

// KeyTypes are the types of the columns and expressions of an index.
func KeyTypes(s *session.Session, t *workspace.Table, x *workspace.Index) (out []types.Type, err error) {
	sc, err := ddlstmt.ScopeKey(relation.StoredShape(t), partTexts(t, x.Keys), x.Where, 0, s.NewEnv())
	if err != nil {
		return nil, err
	}
	for _, c := range sc.Columns[:len(x.Keys)] {
		out = append(out, types.Type{OID: c.OID, Typmod: c.Typmod})
	}
	return out, nil
}

// keyText are the columns and expressions of a key in PostgreSQL's errors.
func keyText(t *workspace.Table, k *workspace.Key) string {
	texts := partTexts(t, k.Parts)
	for i, p := range k.Parts {
		if p.Column == 0 && !p.Call {
			texts[i] = "(" + texts[i] + ")"
		}
	}
	return strings.Join(texts, ", ")
}

// duplicate is the query of the text of a key that two rows of a query of keys have.
func duplicate(keys string, k *workspace.Key) string {
	return "SELECT any_value(shown) FROM (" + keys + ") GROUP BY " + strings.Join(keyNames("", len(k.Parts)), ", ") + " HAVING count(*) > 1 LIMIT 1"
}

// checkUnique checks that the new rows have keys that no other row has. A row that another
// running transaction has made or ended is a conflict. several says that there may be more than
// one new row.
func (c *Changes) checkUnique(ctx context.Context, k *workspace.Key, rows string, several bool) error {
	t := c.Write.Table
	now := c.Session.Tables.Newest()
	news, err := keyQuery(c.Session, t, k, keyRows{values: c.values(), from: rows + " AS new"})
	if err != nil {
		return err
	}
	olds, err := keyQuery(c.Session, t, k, keyRows{values: heapValues(t), from: "(" + t.Heap.Latest(now) + ") AS old", kept: workspace.Times("")})
	if err != nil {
		return err
	}
	found, text, made, ended := false, "", workspace.XID(0), workspace.XID(0)
	same := workspace.Equal(keyNames("new.", len(k.Parts)), keyNames("old.", len(k.Parts)))
	err = c.Conn.Each(ctx, "SELECT new.shown, old.m0, old.m1 FROM ("+news+") AS new JOIN ("+olds+") AS old ON "+same+" LIMIT 1", nil, func(b *column.Batch, i int) {
		found, text, made, ended = true, string(b.Cols[0].Str[i]), workspace.XID(b.Cols[1].I64[i]), workspace.XID(b.Cols[2].I64[i])
	})
	if err == nil && found {
		if err := c.meets(k, &now, made, ended); err != nil {
			return err
		}
	}
	if err == nil && !found && several {
		err = c.Conn.Each(ctx, duplicate(news, k), nil, func(b *column.Batch, i int) { found, text = true, string(b.Cols[0].Str[i]) })
	}
	if err != nil || !found {
		return err
	}
	return alreadyExists(t, k, text)
}

// alreadyExists is the error of a second row with a key.
func alreadyExists(t *workspace.Table, k *workspace.Key, text string) error {
	return pgerr.New(pgerr.UniqueViolation, "duplicate key value violates unique constraint %q", k.Name).
		WithDetail("Key (%s)=(%s) already exists.", keyText(t, k), text).WithConstraint(t.Schema, t.Name, k.Name)
}

// secondOfKey is the query of the row ids of the new rows of INSERT that have a key which an
// earlier one has.
func (c *Changes) secondOfKey(k *workspace.Key, inserts string) (string, error) {
	keys, err := keyQuery(c.Session, c.Write.Table, k, keyRows{values: c.values(), from: c.Name + " WHERE " + inserts, kept: []string{"rowid"}})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("SELECT m0 FROM (%s) QUALIFY row_number() OVER (PARTITION BY %s ORDER BY m0) > 1", keys, strings.Join(keyNames("", len(k.Parts)), ", ")), nil
}

// VerifyUnique checks that no two rows of a query of a heap have the same key.
func VerifyUnique(ctx context.Context, s *session.Session, conn *duckdb.Conn, t *workspace.Table, k *workspace.Key, source string) error {
	keys, err := keyQuery(s, t, k, keyRows{values: heapValues(t), from: "(" + source + ") AS old"})
	if err != nil {
		return err
	}
	text, found := "", false
	err = conn.Each(ctx, duplicate(keys, k), nil, func(b *column.Batch, i int) { text, found = string(b.Cols[0].Str[i]), true })
	if err != nil || !found {
		return err
	}
	return pgerr.New(pgerr.UniqueViolation, "could not create unique index %q", k.Name).
		WithDetail("Key (%s)=(%s) is duplicated.", keyText(t, k), text).WithConstraint(t.Schema, t.Name, k.Name)
}

// heapValues are the columns of a table in its heap.
func heapValues(t *workspace.Table) []string {
	var numbers []int
	for _, c := range t.Columns {
		numbers = append(numbers, c.Number)
	}
	return workspace.ColumnNames("", numbers)
}

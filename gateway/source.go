package gateway

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite"
)

// sources are the fragments of one execution, and what must be given back
// after it.
type sources struct {
	session   *Session
	dry       bool // nothing is fetched: EXPLAIN asks what would be
	fragments []string
	windows   []windowReport // one for each reference, for EXPLAIN
	leases    []*diskcache.Lease
	tables    []string // loaded for this execution
}

// windowReport tells what became of one reference.
type windowReport struct {
	relation   *relation
	window     ontosql.Window
	need       rewrite.Need
	keys       keyBounds
	considered int
	files      int
}

// find finds the data of every reference at pin. It is released by the caller,
// after an error too.
func (o *sources) find(ctx context.Context, pin *resolver.Pin, p *plan, args [][]byte) error {
	for i := range p.relations {
		if err := o.add(ctx, pin, p, i, args); err != nil {
			return err
		}
	}
	return nil
}

// release gives files back to the cache and drops tables.
func (o *sources) release(ctx context.Context) {
	for _, l := range o.leases {
		l.Release()
	}
	for _, table := range o.tables {
		if err := o.session.conn.Exec(ctx, "DROP TABLE IF EXISTS "+table); err != nil {
			o.session.log.WarnContext(ctx, "temporary relation stays", "error", err)
		}
	}
}

func (o *sources) add(ctx context.Context, pin *resolver.Pin, p *plan, i int, args [][]byte) error {
	r := &p.relations[i]
	var fragment string
	var err error
	report := windowReport{relation: r}
	switch {
	case r.typ != nil:
		fragment, err = o.window(ctx, pin, p, i, args, &report)
	case o.dry:
		fragment = r.empty(p.scoped.Needs[i])
	case r.virtual != nil:
		fragment, err = o.virtual(ctx, pin, r)
	case live[r.catalog.Name] != nil:
		fragment, err = o.live(ctx, r)
	default:
		fragment = "SELECT * FROM " + catalogTable(r.catalog)
	}
	if err != nil {
		return err
	}
	o.fragments = append(o.fragments, "("+fragment+")")
	o.windows = append(o.windows, report)
	return nil
}

// window is the fragment of one reference to a type.
func (o *sources) window(ctx context.Context, pin *resolver.Pin, p *plan, i int, args [][]byte, report *windowReport) (string, error) {
	s, r, need := o.session, &p.relations[i], p.scoped.Needs[i]
	t, ok := pin.Catalog.Type(r.typ.Ref)
	if !ok {
		return "", undefinedTable(r.typ.Table, r.ref.Position)
	}
	upper, err := s.pointOf(ctx, pin, p, r, args)
	if err != nil {
		return "", err
	}
	w := ontosql.Window{Mode: r.mode, Upper: upper}
	if w.Lower, w.Upper, err = narrow(need, w.Upper, args); err != nil {
		return "", err
	}
	report.window = w
	report.need, report.keys = need, keyTexts(t, need, args)
	request := scan.Request{Type: t, Window: w, KeyEquals: report.keys.equals(), Commits: commitsTable}
	if request.Files, err = o.files(ctx, pin, t, report); err != nil {
		return "", err
	}
	if o.dry {
		return r.empty(need), nil
	}
	if err := s.warnUnreadable(ctx, t, need, request.Files); err != nil {
		return "", err
	}
	if wantsTimes(r, need) {
		if err := s.db.loadCommits(ctx, pin.View); err != nil {
			return "", err
		}
	}
	if !r.ref.All {
		for _, c := range r.shape.System {
			if alias, asked := need.System[c.Name]; asked {
				request.Hidden = append(request.Hidden, scan.Hidden{Name: c.Name, As: alias})
			}
		}
		return scan.SQL(request)
	}
	history, err := scan.SQL(request)
	if err != nil {
		return "", err
	}
	return versionsAsTable(r, need, history), nil
}

// files resolves a window and brings its files into the cache.
func (o *sources) files(ctx context.Context, pin *resolver.Pin, t *catalog.Type, report *windowReport) ([]scan.File, error) {
	s := o.session
	for {
		res, err := s.db.store.Files(ctx, pin, t, report.window)
		if err != nil {
			return nil, err
		}
		for _, text := range res.Warnings {
			s.notice(warning(pgerr.IndexCorrupted, "%s", text))
		}
		files := s.db.prune(res.Files, report.keys)
		report.considered, report.files = res.Considered, len(files)
		if o.dry {
			return nil, nil
		}
		facts, lease, err := s.db.fetch(ctx, files)
		if err != nil {
			again, lost := s.db.distrustSnapshots(ctx, t.Ref, files)
			if lost != nil || !again {
				return nil, err
			}
			continue
		}
		o.leases = append(o.leases, lease)
		out := make([]scan.File, len(files))
		for i, path := range lease.Paths() {
			out[i] = scan.File{Path: path, Facts: facts[i], Min: files[i].Min, Max: files[i].Max}
		}
		return out, nil
	}
}

// versionsAsTable shows history's rows under public's columns, for FOR
// SYSTEM_TIME ALL.
func versionsAsTable(r *relation, need rewrite.Need, history string) string {
	var cols []string
	for _, c := range r.shape.Columns {
		cols = append(cols, duckdb.Ident(c.Name))
	}
	for _, c := range r.shape.System {
		if alias, asked := need.System[c.Name]; asked {
			cols = append(cols, duckdb.Ident(c.Name)+" AS "+duckdb.Ident(alias))
		}
	}
	return "SELECT " + strings.Join(cols, ", ") + " FROM (" + history + ")"
}

func wantsTimes(r *relation, need rewrite.Need) bool {
	_, asked := need.System["committed_at"]
	return asked || r.mode != ontosql.Latest
}

// pointOf is the commit a reference is read at.
func (s *Session) pointOf(ctx context.Context, pin *resolver.Pin, p *plan, r *relation, args [][]byte) (ontosql.CommitID, error) {
	at := r.ref.Point
	switch {
	case at == nil && r.ref.All:
		return s.horizon(pin), nil
	case at == nil:
		return s.present(pin)
	}
	text := at.Text
	switch {
	case at.Expr:
		var err error
		if text, err = s.evaluate(ctx, p, r.ref.ID, args); err != nil {
			return 0, err
		}
	case at.Param > 0:
		if at.Param > len(args) || args[at.Param-1] == nil {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "the point of %q is NULL", joined(r.ref)).At(at.Position)
		}
		text = string(args[at.Param-1])
	}
	id, err := s.commitAt(pin, text)
	if e, ok := err.(*pgerr.Error); ok {
		return 0, e.At(at.Position)
	}
	return id, err
}

// evaluate runs the argument of as_of.t(x).
func (s *Session) evaluate(ctx context.Context, p *plan, ref int, args [][]byte) (string, error) {
	sql, used, _, err := p.scoped.PointSQL(ref)
	if err != nil {
		return "", err
	}
	st, err := s.conn.Prepare(ctx, sql)
	if err != nil {
		return "", s.located(p, err)
	}
	defer st.Close()
	rows, err := st.Query(ctx, engineArgs(args, used))
	if err != nil {
		return "", s.located(p, err)
	}
	defer rows.Close()
	batch, err := rows.Next(ctx)
	if err == io.EOF || err == nil && batch.Cols[0].IsNull(0) {
		return "", pgerr.New(pgerr.InvalidParameterValue, "the point is NULL")
	}
	if err != nil {
		return "", err
	}
	return string(batch.Cols[0].Str[0]), nil
}

// narrow applies the bounds of the WHERE clause to a window.
func narrow(need rewrite.Need, upper ontosql.CommitID, args [][]byte) (low, high ontosql.CommitID, err error) {
	high = upper
	for _, b := range need.Lower {
		if v, ok := boundValue(b, args); ok {
			low = max(low, v)
		}
	}
	for _, b := range need.Upper {
		if v, ok := boundValue(b, args); ok {
			high = min(high, v)
		}
	}
	return min(low, high), max(high, 0), nil
}

func boundValue(b rewrite.Bound, args [][]byte) (ontosql.CommitID, bool) {
	if b.Param == 0 {
		return plus(b.Value, b.Delta), true
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(args[b.Param-1])), 10, 64)
	return plus(n, b.Delta), err == nil
}

// plus adds without wrapping around.
func plus(n, delta int64) ontosql.CommitID {
	switch sum := n + delta; {
	case delta > 0 && sum < n:
		return math.MaxInt64
	case delta < 0 && sum > n:
		return math.MinInt64
	default:
		return ontosql.CommitID(sum)
	}
}

// keyBounds are the canonical key texts a statement asks for, by stored column
// (decision A18).
type keyBounds map[string][]string

// keyTexts turns the key equalities of a statement into stored texts. A column
// whose values cannot all be told is left out: nothing is pruned by it.
func keyTexts(t *catalog.Type, need rewrite.Need, args [][]byte) keyBounds {
	bounds := keyBounds{}
	for _, k := range t.Key {
		c := t.Columns[k]
		operands, asked := need.KeyEquals[c.Name]
		if !asked {
			continue
		}
		var texts []string
		known := true
		for _, o := range operands {
			text, ok := keyText(c.Type.Kind, o, args)
			known = known && ok
			texts = append(texts, text)
		}
		if known && len(texts) > 0 {
			bounds[scan.KeyColumn(c.Role)] = texts
		}
	}
	return bounds
}

func keyText(kind column.Kind, o rewrite.Operand, args [][]byte) (string, bool) {
	text := o.Text
	if o.Param > 0 {
		if o.Param > len(args) || args[o.Param-1] == nil {
			return "", false
		}
		text = string(args[o.Param-1])
	}
	switch kind {
	case column.Text:
		return text, true
	case column.Int64:
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		return strconv.FormatInt(n, 10), err == nil
	}
	return "", false
}

// first are the texts of the first identity column, which files know bounds of.
func (b keyBounds) first() []string {
	if texts := b["entity_key"]; texts != nil {
		return texts
	}
	return b["left_key"]
}

// equals are the bounds as the scan writes them.
func (b keyBounds) equals() []scan.KeyEqual {
	var list []scan.KeyEqual
	for _, name := range []string{"entity_key", "left_key", "right_key", "instance_key"} {
		var exprs []string
		for _, text := range b[name] {
			exprs = append(exprs, duckdb.Literal(text))
		}
		if len(exprs) > 0 {
			list = append(list, scan.KeyEqual{Column: name, Texts: exprs})
		}
	}
	return list
}

// virtual loads the rows of a relation of the schema ontosql into a table of
// this execution.
func (o *sources) virtual(ctx context.Context, pin *resolver.Pin, r *relation) (string, error) {
	s := o.session
	b := column.NewBuilder(r.virtual.named())
	if err := r.virtual.rows(ctx, s, pin, b); err != nil {
		return "", err
	}
	return o.load(ctx, r.virtual.named(), b.Batch())
}

// live loads the rows that a relation of pg_catalog has at this moment.
func (o *sources) live(ctx context.Context, r *relation) (string, error) {
	batch, err := r.catalog.Batch(live[r.catalog.Name](o.session))
	if err != nil {
		return "", err
	}
	return o.load(ctx, r.catalog.Columns, batch)
}

// load puts rows into a table of this execution.
func (o *sources) load(ctx context.Context, cols []column.Named, batch *column.Batch) (string, error) {
	s := o.session
	s.temps++
	name := fmt.Sprintf("v%d_%d", s.serial, s.temps)
	if err := s.conn.Load(ctx, sessionSchema, name, cols, batch); err != nil {
		return "", err
	}
	table := sessionSchema + "." + name
	o.tables = append(o.tables, table)
	return "SELECT * FROM " + table, nil
}

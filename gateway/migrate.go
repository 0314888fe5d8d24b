package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite"
	"github.com/ontosql/ontosql/wire"
)

// run changes the schema, and rewrites the latest rows where what is stored of
// them changes, all in the transaction at hand; a statement alone holds the write
// lock meanwhile, so that no commit comes in between. On engine v2 the original reads
// only rows of the current version (COMPAT 4.4): there every row is written again.
func (m *alteration) run(ctx context.Context, pin *resolver.Pin, r *relation, before string) error {
	s, ref := m.session, m.typ.Ref
	if err := s.change(ctx, m.step(before), ref); err != nil {
		return err
	}
	next, _ := s.tx.pin.Catalog.Type(ref)
	schema, err := writeSchema(next)
	if err != nil {
		return err
	}
	m.next, m.image = next, newImager(next, schema)
	m.every = next.SchemaID != m.typ.SchemaID && pin.Engine == format.EngineV2
	g := s.newStaging(next, schema)
	g.migrated = true
	old := s.tx.stagingOf(ref)
	if m.every || len(m.made)+len(m.gone)+len(m.renamed) > 0 || old != nil && old.last > 0 {
		if s.alone() && s.hasRows(pin, m.typ) {
			if err := s.reserveAtPin(ctx); err != nil {
				return err
			}
		}
		err := s.underLock(ctx, func(ctx context.Context) error { return m.rewrite(ctx, pin, r, g) })
		if err != nil {
			g.drop(context.WithoutCancel(ctx))
			return err
		}
	}
	m.rows = g.last
	s.restage(ctx, ref, g)
	return nil
}

// rewrite stages the next version of every row that changes.
func (m *alteration) rewrite(ctx context.Context, pin *resolver.Pin, r *relation, g *staging) error {
	s := m.session
	target := *r
	target.shape.Defaults = maps.Clone(target.shape.Defaults)
	for _, name := range m.dropped {
		delete(target.shape.Defaults, name)
	}
	target.shape.Stored = append(scan.KeyColumns(m.typ.Ref.Kind), "commit_id", scan.StoredFields)
	p := &plan{version: s.planVersion(pin), relations: []relation{target}, env: &environment{session: s}}
	var err error
	if p.scoped, err = rewrite.ScopeMigration(target.shape, m.made, p.env); err != nil {
		return err
	}
	p.columns = make([]wire.Column, len(target.shape.Stored)+len(m.made))
	if err := s.prepareCatalog(ctx, pin, p); err != nil {
		return err
	}
	_, err = overMirror(ctx, sources{session: s, repeated: true}, func(src *sources) (struct{}, error) {
		none := struct{}{}
		if err := g.cut(ctx, 0); err != nil {
			return none, err
		}
		if err := src.find(ctx, pin, p, nil); err != nil {
			return none, err
		}
		err := m.stageRows(ctx, p, src, g)
		if err != nil {
			return none, m.ofRow(ctx, err, p, src.fragments[0])
		}
		src.release(context.WithoutCancel(ctx))
		return none, nil
	})
	return err
}

func (m *alteration) stageRows(ctx context.Context, p *plan, src *sources, g *staging) error {
	s := m.session
	r, err := s.stream(ctx, p, &sources{session: s, fragments: src.fragments, borrowed: src.uses, once: src.once}, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	before, read := s.tx.stagingOf(m.typ.Ref), int64(0)
	for {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range b.Len {
			if err := m.stageRow(ctx, b, i, before, g); err != nil {
				return err
			}
		}
		if read += int64(b.Len); m.progress != nil {
			m.progress(read)
		}
	}
}

// stageRow stages the next version of row i of a batch, if it changes.
func (m *alteration) stageRow(ctx context.Context, b *column.Batch, i int, before, g *staging) error {
	keys := len(scan.KeyColumns(m.typ.Ref.Kind))
	r := keyed(m.typ.Ref.Kind, b, i)
	id := g.identity(&r)
	commit := &b.Cols[keys]
	follows, staged := nothing, commit.IsNull(i)
	if staged {
		follows = before.stored[id]
	} else {
		follows = ontosql.CommitID(commit.I64[i])
	}
	fields, changed, err := m.fieldsOf(b, i, keys+1)
	if err != nil {
		var e *pgerr.Error
		if errors.As(err, &e) {
			e.Detail = keyOf(m.typ, &r) + "."
		}
		return err
	}
	if !changed && !m.every && !staged {
		return nil
	}
	r.Fields, r.SchemaVersionID = fields, m.next.SchemaID
	return g.put(ctx, id, r, follows)
}

// fieldsOf is what is stored of row i of a batch after the migration: the stored
// fields stand in a column, the values that are made anew in those behind it.
func (m *alteration) fieldsOf(b *column.Batch, i, stored int) (fields []byte, changed bool, err error) {
	before, err := format.ParseJSON(b.Cols[stored].Str[i])
	if err != nil || before.Kind() != format.JSONObject {
		return nil, false, pgerr.New(pgerr.DataCorrupted, "a stored version of relation %q cannot be migrated: its fields are no JSON object", m.typ.Table)
	}
	var members []format.Member
	for name, v := range before.Members() {
		to, renamed := m.renamed[name]
		switch {
		case slices.Contains(m.gone, name):
			changed = true
			continue
		case renamed:
			name, changed = to, true
		}
		members = append(members, format.Member{Name: name, Value: v})
	}
	for k, field := range m.fields {
		at := slices.IndexFunc(m.next.Columns, func(c catalog.Column) bool { return c.Field == field })
		c := &m.next.Columns[at]
		v, err := storedValue(&b.Cols[stored+1+k], i, c)
		if err == nil && v.IsNull() && c.NotNull {
			err = pgerr.New(pgerr.NotNullViolation, "column %q of relation %q contains null values", c.Name, m.typ.Table)
		}
		if err == nil && !v.IsNull() && m.image.rules[at] != nil {
			err = misfit(m.image.rules[at].Check(v), c)
		}
		if err != nil {
			return nil, false, located(err, m.typ, c)
		}
		old := slices.IndexFunc(members, func(f format.Member) bool { return f.Name == field })
		switch {
		case old < 0 && v.IsNull(): // it reads as NULL
		case old < 0:
			members, changed = append(members, format.Member{Name: field, Value: v}), true
		case !sameText(members[old].Value, v):
			members[old].Value, changed = v, true
		}
	}
	return format.Object(members...).Append(nil, format.Canonical), changed, nil
}

// sameText reports whether two values are stored as the same text: 1 and 1.0 are
// equal and are not.
func sameText(a, b format.Value) bool {
	return string(a.Append(nil, format.Canonical)) == string(b.Append(nil, format.Canonical))
}

// located adds the column that an error is about.
func located(err error, t *catalog.Type, c *catalog.Column) error {
	var e *pgerr.Error
	if errors.As(err, &e) {
		e.Schema, e.Table, e.Column = schemaPublic, t.Table, c.Name
	}
	return err
}

// ofRow adds to an error of the engine which row it is of. The engine names none,
// so that it is found by halves.
func (m *alteration) ofRow(ctx context.Context, cause error, p *plan, fragment string) error {
	var e *pgerr.Error
	if !errors.As(cause, &e) || !valueError(e.Code) || e.Column != "" { // stageRow has named the row and its column
		return cause
	}
	s := m.session
	var order []string
	for _, key := range scan.KeyColumns(m.typ.Ref.Kind) {
		order = append(order, duckdb.Ident(p.scoped.Needs[0].System[key]))
	}
	part := func(from, to int64) string {
		return fmt.Sprintf("(SELECT * FROM %s ORDER BY %s LIMIT %d OFFSET %d)", fragment, strings.Join(order, ", "), to-from, from)
	}
	fails := func(from, to int64) bool {
		sql, err := p.scoped.Bind([]string{part(from, to)})
		if err != nil {
			return false
		}
		err = s.located(p, s.runs(ctx, sql, nil))
		return errors.As(err, &e)
	}
	var rows int64
	err := s.conn.Each(ctx, "SELECT count(*) FROM "+fragment, nil, func(b *column.Batch, i int) { rows = b.Cols[0].I64[i] })
	if err != nil || !fails(0, rows) {
		return cause
	}
	from, to := int64(0), rows
	for to-from > 1 && ctx.Err() == nil {
		if mid := (from + to) / 2; fails(from, mid) {
			to = mid
		} else {
			from = mid
		}
	}
	if !fails(from, from+1) {
		return cause
	}
	found := *e
	err = s.conn.Each(ctx, fmt.Sprintf("SELECT %s FROM %s", strings.Join(order, ", "), part(from, from+1)), nil, func(b *column.Batch, i int) {
		r := keyed(m.typ.Ref.Kind, b, i)
		found.Detail = strings.TrimSuffix(keyOf(m.typ, &r)+". "+e.Detail, " ")
	})
	if err != nil {
		return cause
	}
	return &found
}

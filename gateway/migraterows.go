package gateway

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// migratedRows stages the next versions of rows as the engine gives them: the key
// columns, commit_id, the stored fields, and the values that are made anew.
type migratedRows struct {
	*alteration
	staging *staging
	before  *staging // what the transaction had staged of the type, nil for nothing
	keys    int      // key columns
	patch   *migrationPatch
}

func (m *alteration) stageRows(ctx context.Context, p *plan, src *sources, g *staging) error {
	s := m.session
	r, err := s.stream(ctx, p, &sources{session: s, fragments: src.fragments, borrowed: src.uses, once: src.once}, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	keys := len(scan.KeyColumns(m.typ.Ref.Kind))
	rows := &migratedRows{alteration: m, staging: g, before: s.tx.stagingOf(m.typ.Ref), keys: keys, patch: m.newPatch(keys + 1)}
	for read := int64(0); ; {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = rows.take(ctx, b)
		}
		if err != nil {
			return err
		}
		read += int64(b.Len)
		if s.activity.rewrites(read); m.progress != nil {
			m.progress(read)
		}
	}
}

// take stages the rows of a batch. When they are many, they go straight into their
// file, if they may.
func (m *migratedRows) take(ctx context.Context, b *column.Batch) error {
	g := m.staging
	if g.draft == nil && g.last >= mostTold {
		if err := g.startDraft(ctx, 0); err != nil {
			return err
		}
		if g.draft != nil { // each identity comes once, and nobody asks for it again
			clear(g.newest)
			clear(g.stored)
		}
	}
	if g.draft == nil {
		return m.eachRow(b, nil, func(r format.Row, follows ontosql.CommitID) error {
			return g.put(ctx, g.identity(&r), r, follows)
		})
	}
	batch := g.draft.Batch()
	err := m.eachRow(b, batch, func(r format.Row, _ ontosql.CommitID) error {
		g.number(&r)
		batch.Rows = append(batch.Rows, r)
		return nil
	})
	if err != nil {
		return err
	}
	return g.draft.Add(batch)
}

// eachRow gives the rows of a batch that change, with what they follow. Their fields
// lie in texts, if that is not nil.
func (m *migratedRows) eachRow(b *column.Batch, texts *writepath.Batch, each func(r format.Row, follows ontosql.CommitID) error) error {
	commit, stored := &b.Cols[m.keys], &b.Cols[m.keys+1]
	for i := range b.Len {
		r, staged := keyed(m.typ.Ref.Kind, b, i), commit.IsNull(i)
		changed, ok := false, false
		if m.patch != nil {
			changed, ok = m.patch.apply(b, i, stored.Str[i])
		}
		if !ok {
			var err error
			if r.Fields, changed, err = m.fieldsOf(b, i, m.keys+1); err != nil {
				return m.at(err, &r)
			}
		}
		switch {
		case !changed && !m.every && !staged:
			continue
		case !ok: // fieldsOf has made them
		case texts != nil:
			start := len(texts.Texts)
			texts.Texts = append(texts.Texts, m.image.text...)
			r.Fields = texts.Texts[start:len(texts.Texts):len(texts.Texts)]
		default:
			r.Fields = m.image.keep(m.image.text)
		}
		var follows ontosql.CommitID
		if staged {
			follows = m.before.stored[m.before.identity(&r)]
		} else {
			follows = ontosql.CommitID(commit.I64[i])
		}
		r.SchemaVersionID = m.next.SchemaID
		if err := each(r, follows); err != nil {
			return err
		}
	}
	return nil
}

// at adds to an error which row it is of.
func (m *migratedRows) at(err error, r *format.Row) error {
	var e *pgerr.Error
	if errors.As(err, &e) {
		e.Detail = keyOf(m.typ, r) + "."
	}
	return err
}

// fieldsOf is what is stored of row i of a batch after the migration: the stored
// fields stand in a column, the values that are made anew in those behind it.
func (m *alteration) fieldsOf(b *column.Batch, i, stored int) (fields []byte, changed bool, err error) {
	before, err := format.ParseJSON(b.Cols[stored].Str[i])
	if err != nil || before.Kind() != format.JSONObject {
		return nil, false, noDocument(m.typ, "migrated")
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
		at := fieldNamed(m.next, field)
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
		e.Schema, e.Table, e.Column = catalog.SchemaPublic, t.Table, c.Name
	}
	return err
}

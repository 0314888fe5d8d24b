package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/gateway/relation"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/copydata"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/rowjson"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/writing"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

// copyFrom runs COPY FROM STDIN: its rows are staged as they arrive, and
// committed at once where the statement is a transaction of its own.
func (p *statement) copyFrom(ctx context.Context, out *portal) (rows, error) {
	s := p.session
	if err := s.YieldStream(ctx); err != nil {
		return nil, err
	}
	defer s.Activity.End()
	switch t, err := namespace.FindForWrite(ctx, s.Session, p.st); {
	case err != nil:
		return nil, err
	case t != nil:
		return nil, p.copyIntoTable(ctx, out, t)
	}
	in, err := p.newCopyIn(ctx)
	if err != nil {
		return nil, err
	}
	if in.conflict() != dml.ConflictError || in.needsInsert() {
		return nil, p.copyThroughInsert(ctx, out, in)
	}
	g := s.StagingFor(in.typ, in.schema)
	mark := g.Count()
	if err := in.stage(ctx, g, mark); err != nil {
		return nil, err
	}
	out.tag = fmt.Sprintf("COPY %d", in.count)
	if s.Alone() {
		return nil, in.commit(ctx, g, mark)
	}
	return nil, in.refuseExisting(ctx, g, mark)
}

// conflict is what becomes of rows that exist.
func (in *copyIn) conflict() dml.Conflict {
	switch in.options.Mode() {
	case copydata.Append:
		return dml.ConflictError
	case copydata.Merge, copydata.Overwrite:
		return dml.ConflictUpdate
	}
	return in.session.Settings.OnConflict()
}

// needsInsert reports whether the rows have to go the way of an INSERT: there are
// defaults for columns that the data lacks.
func (in *copyIn) needsInsert() bool {
	for k, c := range in.typ.Columns {
		if c.Default != "" && !slices.Contains(in.fields, k) {
			return true
		}
	}
	return false
}

// given is the type as far as the data has to fit it: what it lacks, a default may
// give.
func (in *copyIn) given() *catalog.Type {
	t := *in.typ
	t.Columns = slices.Clone(t.Columns)
	for k := range t.Columns {
		c := &t.Columns[k]
		c.NotNull = c.NotNull && (c.Default == "" || slices.Contains(in.fields, k))
	}
	return &t
}

// commit commits a COPY that is its own transaction on the newest head, and again on the next
// head if another commit came first (decision A32). The client has sent its data, so the staged
// rows are not read again.
func (in *copyIn) commit(ctx context.Context, g *staging.Rows, mark int64) error {
	s := in.session
	defer s.Unstage(ctx)
	for until := time.Now().Add(writing.RetryTime); ; {
		if err := s.moveToHead(ctx); err != nil {
			return err
		}
		if err := in.refuseExisting(ctx, g, mark); err != nil {
			return err
		}
		_, err := writing.CommitOnce(ctx, s.Session)
		if !writing.RunsAgain(s.Session, err, until) {
			return err
		}
	}
}

// copyIn takes the rows of COPY FROM STDIN to where the transaction stages them.
type copyIn struct {
	session *Session
	typ     *catalog.Type
	schema  *format.Schema
	fields  []int // the columns of the type that the data has, in its order
	options *copydata.Options
	data    *wire.CopyReader
	name    string // of the relation, as errors name it
	count   int64

	batch *copydata.Batch
	image *rowjson.Encoder
	lines copydata.Lines
}

// newCopyIn resolves the statement and asks the client for the data.
func (p *statement) newCopyIn(ctx context.Context) (*copyIn, error) {
	s := p.session
	named := *p.st
	named.Tag = "COPY FROM"
	st := &named
	r, err := s.copyRelation(ctx, *st.Target)
	if sqlstate.IsUndefinedTable(err) {
		if past := planner.CheckAsOf(s.Tx.Pin, st); past != nil {
			err = past
		}
	}
	if err != nil {
		return nil, err
	}
	if err := s.CheckTarget(r, st); err != nil {
		return nil, err
	}
	if err := s.CheckWrites(st.Tag); err != nil {
		return nil, err
	}
	in := &copyIn{session: s, typ: r.Type, name: r.Shape.Table}
	err = copydata.EachColumn(in.name, r.Shape.Columns, nil, st.Copy.Columns, func(name string) error {
		in.fields = append(in.fields, r.Type.ColumnIndex(name))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if st.Copy.Where {
		return nil, sqlstate.NotSupportedYet("COPY FROM ... WHERE")
	}
	options, err := copydata.ReadOptions(&st.Copy)
	if err == nil {
		err = options.RefuseFreeze()
	}
	if err != nil {
		return nil, err
	}
	columns := make([]wire.Column, len(in.fields))
	for i, k := range in.fields {
		columns[i] = wire.Column{Name: r.Type.Columns[k].Name, OID: pgcatalog.TypeOID(r.Type.Columns[k].Type)}
	}
	in.options = options
	if err := in.permitted(r); err != nil {
		return nil, err
	}
	form, err := options.Copy(in.name, r.Shape.Columns, columns, s.ClientEncoding)
	if err != nil {
		return nil, err
	}
	if in.schema, err = rowjson.WriteSchema(in.typ); err != nil {
		return nil, err
	}
	in.batch, in.image = copydata.NewBatch(in.typ, in.fields, s.Zone(), s.TimeInput()), rowjson.New(in.given(), in.schema)
	in.image.Style = s.Style
	in.data = s.copyData(form, copyWork(introspect.CopyFrom, r))
	return in, nil
}

// permitted is the error of a COPY into a type whose rows the session's role may not write.
func (in *copyIn) permitted(r *relation.Relation) error {
	s := in.session
	if !s.Tx.Pin.Catalog.RequireGrants {
		return nil
	}
	names := make([]string, len(in.fields))
	for i, k := range in.fields {
		names[i] = in.typ.Columns[k].Name
	}
	demands := []planner.Demand{{Relation: r, Privilege: acl.Insert, Columns: names}}
	if in.conflict() == dml.ConflictUpdate { // it replaces rows that exist
		demands = append(demands, planner.Demand{Relation: r, Privilege: acl.Update, Columns: names})
	}
	if in.options.Mode() == copydata.Overwrite { // it names the keys of rows that the data lacks
		demands = append(demands, planner.Demand{Relation: r, Privilege: acl.Select, Columns: in.keyNames()})
	}
	return s.Permitted(s.Tx.Pin.Catalog, demands)
}

// moveToHead moves the pin of a COPY that is its own transaction to the newest head, because
// sending the data may have taken long. If the catalog has changed, the pin stays and the
// commit reports the conflict.
func (s *Session) moveToHead(ctx context.Context) error {
	began := s.Tx.Pin
	s.Tx.Pin = nil
	pin, err := s.Pin(ctx)
	if err != nil || pin.Catalog.Version != began.Catalog.Version {
		s.Tx.Pin = began
	}
	return err
}

// stage takes all rows, which come after number mark.
func (in *copyIn) stage(ctx context.Context, g *staging.Rows, mark int64) error {
	for {
		rows, more := in.data.Next(ctx)
		batch := g.NewBatch(rows.Len)
		if err := in.convert(rows, more, batch); err != nil {
			return err
		}
		images := batch.Rows
		done, err := g.InsertAll(ctx, batch, mark)
		for i := range done {
			in.count++
			in.lines.Add(in.count, rows.Line(i))
		}
		switch {
		case errors.Is(err, staging.ErrDuplicate):
			if err := in.refuseExisting(ctx, g, mark); err != nil {
				return err // of a row before it
			}
			return in.inLine(g.DuplicateError(&images[done]), rows.Line(done))
		case err != nil:
			return err
		case more == io.EOF:
			return nil
		}
	}
}

// refuseExisting is the error of the first row whose identity exists already, with
// its line.
func (in *copyIn) refuseExisting(ctx context.Context, g *staging.Rows, mark int64) error {
	pin, err := in.session.Pin(ctx)
	if err != nil {
		return err
	}
	taken, err := writing.SearchStore(in.session.Session, g).Existing(ctx, pin, mark)
	if err != nil || taken == nil {
		return err
	}
	return in.inLine(g.DuplicateError(&taken.Row), in.lines.Line(taken.Number-mark))
}

// convert makes images of the rows of a batch. The first error is the one that
// PostgreSQL finds first, row by row; more is what follows the rows.
func (in *copyIn) convert(rows *wire.CopyRows, more error, images *writepath.Batch) error {
	whole, failed := in.batch.Fill(rows)
	if err := in.image.Batch(images, &in.batch.Batch, whole); err != nil {
		return in.located(rows, len(images.Rows), err)
	}
	switch {
	case failed != nil:
		return failed
	case more != io.EOF:
		return more
	}
	return nil
}

// located places an error of the imager in the data.
func (in *copyIn) located(rows *wire.CopyRows, i int, err error) error {
	var e *pgerr.Error
	if errors.As(err, &e) {
		e.Where = "" // the imager's own count of rows
	}
	if e == nil || e.Code == pgerr.NotNullViolation {
		return rows.InRow(err, i)
	}
	for n, k := range in.fields {
		if in.typ.Columns[k].Name == e.Column {
			return rows.InValue(err, i, n)
		}
	}
	return rows.InRow(err, i)
}

// inLine places an error in a line of the data, 0 for one that is not known.
func (in *copyIn) inLine(err error, line int64) error {
	var e *pgerr.Error
	if errors.As(err, &e) {
		if e.Where = "COPY " + in.name; line > 0 {
			e.Where += fmt.Sprintf(", line %d", line)
		}
	}
	return err
}

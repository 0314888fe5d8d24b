package wire

import (
	"context"
	"io"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
)

// portal is a bound statement and the position up to which its rows have been sent.
type portal struct {
	Portal
	statement *statement // nil if DECLARE created the portal
	name      string
	declared  bool
	serial    int     // number among the portals that Bind created
	formats   []int16 // empty: text; one: for all columns; otherwise one for each column
	rows      rowEncoder

	batch     *column.Batch // the current batch, nil before the first
	sent      int           // rows of the batch that were sent
	copied    bool          // the batch is a copy that the portal owns
	atEnd     bool
	delivered int64 // number of rows that were sent, or taken by FETCH
	finished  bool  // it has failed, or has run and returns no rows, so that it cannot be run again

	active bool // it is running, so that a FETCH in it must not read its rows
}

// bind creates a portal of st, which holds a reference to st.
func (s *session) bind(ctx context.Context, st *statement, name string, args [][]byte, formats []int16) (*portal, error) {
	bound, err := st.Bind(ctx, args)
	if err != nil {
		return nil, err
	}
	p := &portal{Portal: bound, statement: st, name: name, formats: formats}
	st.users++
	if err := p.checkFormats(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *portal) close() {
	p.Portal.Close()
	if p.statement != nil {
		p.statement.release()
	}
}

func (p *portal) columns() []Column { return p.Portal.Columns() }

// checkFormats checks the number of formats. Their values are checked with the first rows, as
// in PostgreSQL.
func (p *portal) checkFormats() error {
	if n := len(p.columns()); p.columns() != nil && len(p.formats) > 1 && len(p.formats) != n {
		return errProtocol("bind message has %d result formats but query has %d columns", len(p.formats), n)
	}
	return nil
}

func checkFormatCodes(formats []int16) error {
	for _, f := range formats {
		if f != pgproto3.TextFormat && f != pgproto3.BinaryFormat {
			return pgerr.New(pgerr.InvalidParameterValue, "unsupported format code: %d", f)
		}
	}
	return nil
}

// formatOf returns the format of item i. No formats mean text, one format applies to all items
// (PostgreSQL manual, 55.2.3).
func formatOf(formats []int16, i int) int16 {
	switch len(formats) {
	case 0:
		return pgproto3.TextFormat
	case 1:
		return formats[0]
	}
	return formats[i]
}

// sendColumns describes rows, nil for a statement that returns none.
func (s *session) sendColumns(columns []Column, formats []int16) error {
	if columns == nil {
		s.out.send(&pgproto3.NoData{})
		return nil
	}
	d := &pgproto3.RowDescription{Fields: make([]pgproto3.FieldDescription, len(columns))}
	for i, c := range columns {
		name, err := s.encoding().Encode([]byte(c.Name))
		if err != nil {
			return err
		}
		d.Fields[i] = pgproto3.FieldDescription{
			Name: name, TableOID: c.TableOID, TableAttributeNumber: uint16(c.Attnum),
			DataTypeOID: c.OID, DataTypeSize: c.Size, TypeModifier: c.Typmod, Format: formatOf(formats, i),
		}
	}
	s.out.send(d)
	return nil
}

// run executes p or continues it, for at most limit rows (0 for all), and returns the message
// that ends the Execute. As in PostgreSQL, a portal that has sent exactly its limit is
// suspended even if there is no further row, and one that runs again after its last row
// completes with no rows.
func (s *session) run(ctx context.Context, p *portal, limit uint64) (pgproto3.BackendMessage, error) {
	if s.handler.Status() == Failed && (p.finished || p.atEnd || p.batch != nil) { // otherwise reading the rows reports the error
		if _, err := p.Next(ctx); err != nil && err != io.EOF {
			return nil, err
		}
	}
	if p.finished {
		return nil, p.cannotRun()
	}
	p.active = true
	defer func() { p.active = false }()
	if _, ok := p.Portal.(Movable); ok { // its position may have changed since the last Execute
		p.batch, p.atEnd = nil, false
	}
	before := s.out.total()
	rows, err := s.sendAll(ctx, p, limit)
	if a, ok := p.Portal.(Accountant); ok {
		a.Sent(rows, s.out.total()-before, err)
	}
	if err != nil {
		p.finished = true
		return nil, err
	}
	if !p.atEnd {
		p.keepRest()
		return &pgproto3.PortalSuspended{}, nil
	}
	tag, countRows := p.Tag()
	if tag == "" {
		return &pgproto3.EmptyQueryResponse{}, nil
	}
	p.finished = p.columns() == nil
	if countRows {
		tag += " " + strconv.FormatUint(rows, 10)
	}
	return &pgproto3.CommandComplete{CommandTag: []byte(tag)}, nil
}

func (p *portal) cannotRun() error {
	return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "portal %q cannot be run", p.name)
}

// keepRest copies the unsent rows of a suspended portal: other statements run before the client
// asks for them.
func (p *portal) keepRest() {
	switch {
	case p.batch == nil || p.copied:
	case p.sent == p.batch.Len:
		p.batch = nil
	default:
		p.batch, p.sent, p.copied = p.batch.Copy(p.sent), 0, true
	}
}

// sendAll sends the result of p: rows, or the data of a COPY.
func (s *session) sendAll(ctx context.Context, p *portal, limit uint64) (sent uint64, err error) {
	if out, ok := p.Portal.(CopyOut); ok {
		return s.copyOut(ctx, p, out)
	}
	return s.sendRows(ctx, p, limit)
}

func (s *session) sendRows(ctx context.Context, p *portal, limit uint64) (sent uint64, err error) {
	for !p.atEnd {
		if p.batch == nil || p.sent == p.batch.Len {
			switch err := s.nextBatch(ctx, p, limit-min(sent, limit)); {
			case err == io.EOF: // not an error of the connection
				p.atEnd, p.batch = true, nil
				return sent, nil
			case err != nil:
				return sent, err
			}
			continue // the batch may be empty
		}
		if err := s.prepareRows(p, p.batch); err != nil {
			return sent, err
		}
		until := p.batch.Len
		if limit > 0 {
			until = min(until, p.sent+int(min(limit-sent, uint64(until))))
		}
		for row := p.sent; row < until; row++ {
			var err error
			if s.out.buf, err = p.rows.appendRow(s.out.buf, p.batch, row); err != nil {
				return sent + uint64(row-p.sent), err
			}
			if len(s.out.buf) >= outputFlushBytes {
				if err := s.out.flush(); err != nil {
					return sent + uint64(row+1-p.sent), err
				}
			}
		}
		sent += uint64(until - p.sent)
		p.delivered += int64(until - p.sent)
		p.sent = until
		if sent == limit && limit > 0 {
			return sent, nil
		}
	}
	return sent, nil
}

// nextBatch reads the next batch and checks it against the description. From a Movable portal it reads
// at most limit rows, 0 for all.
func (s *session) nextBatch(ctx context.Context, p *portal, limit uint64) (err error) {
	var batch *column.Batch
	if m, ok := p.Portal.(Movable); ok && limit > 0 {
		batch, err = m.NextRows(ctx, int64(min(limit, math.MaxInt64)))
	} else {
		batch, err = p.Next(ctx)
	}
	if err != nil {
		return err
	}
	if err := s.prepareRows(p, batch); err != nil {
		return err
	}
	if err := p.rows.check(batch); err != nil {
		return err
	}
	p.batch, p.sent, p.copied = batch, 0, false
	return nil
}

// prepareRows chooses the encoders of the columns once. If FETCH has read from the portal, there may
// already be a batch.
func (s *session) prepareRows(p *portal, batch *column.Batch) (err error) {
	if p.rows.columns != nil {
		return nil
	}
	if err := p.checkFormats(); err != nil {
		return err
	}
	if err := checkFormatCodes(p.formats); err != nil {
		return err
	}
	p.rows, err = newRowEncoder(p.columns(), batch, p.formats, s.handler.Style(), s.encoding())
	return err
}

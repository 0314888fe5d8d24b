package writepath

import (
	"context"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/format"
)

// maxInMemory is the size of the rows of one type in bytes above which they are written to a
// temporary file before the transaction waits for the lock. The same happens above maxExact
// rows.
const maxInMemory = 8 << 20

// prepare checks a transaction as far as possible without the store, and writes the data files
// of a large one before the lock is taken. The caller calls release.
func (c *Committer) prepare(ctx context.Context, tx Tx) (_ *pending, err error) {
	p := &pending{Pending: NewPending(ctx, tx), writes: map[ontosql.TypeRef]*identities{}, spools: map[ontosql.TypeRef]*spool{}}
	defer func() {
		if err != nil {
			p.release()
		}
	}()
	for key := range tx.Metadata {
		if strings.HasPrefix(key, reservedPrefix) {
			return nil, fmt.Errorf("metadata key %q is reserved", key)
		}
	}
	for i := range tx.Events {
		if err := objects.CheckNamespace(tx.Events[i].Namespace); err != nil {
			return nil, err
		}
	}
	rows := 0
	for _, d := range tx.Data {
		if p.writes[d.Type] != nil {
			return nil, fmt.Errorf("write %s: the type occurs twice", d.Type)
		}
		if err := c.collect(p, d); err != nil {
			return nil, fmt.Errorf("write %s: %w", d.Type, err)
		}
		rows += p.writes[d.Type].len()
	}
	if tx.Empty(rows > 0) {
		return nil, errEmpty
	}
	return p, nil
}

// release closes the temporary files of a transaction.
func (p *pending) release() {
	for _, d := range p.Data {
		if s := p.spools[d.Type]; s != nil && d.Draft == nil {
			s.close()
		}
	}
}

// collect reads the rows of a type for their identities.
func (c *Committer) collect(p *pending, d Data) error {
	if d.Draft != nil {
		if err := d.Draft.end(); err != nil {
			return err
		}
		p.writes[d.Type], p.spools[d.Type] = d.Draft.identities, d.Draft.spool
		return nil
	}
	found, size, large := newIdentities(c.seed), 0, false
	for row, err := range d.Rows {
		if err != nil {
			return err
		}
		if err := found.addRow(d.Type.Kind, &row); err != nil {
			return err
		}
		if size += rowSize(&row.Row); size > maxInMemory || found.hashed != nil {
			large = true
			break // Rows must not be iterated twice at the same time
		}
	}
	if large {
		return c.spool(p, d)
	}
	p.writes[d.Type] = found
	p.size += size
	return nil
}

// addRow adds the identity of a row.
func (s *identities) addRow(kind ontosql.Kind, row *Row) error {
	id := Identity(kind, &row.Row)
	if s.add(id, row.Expected) {
		return fmt.Errorf("identity %q occurs twice", id)
	}
	return nil
}

// rowSize estimates a row's size in memory.
func rowSize(r *format.Row) int {
	return len(r.Key) + len(r.Left) + len(r.Right) + len(r.Instance) + len(r.Fields)
}

// spool is collect for many or large rows, which it writes to a temporary file. The number of
// transactions doing so at a time is limited, to save memory.
func (c *Committer) spool(p *pending, d Data) error {
	select {
	case c.spooling <- struct{}{}:
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
	defer func() { <-c.spooling }()
	found := newIdentities(c.seed)
	rows := func(yield func(format.Row, error) bool) {
		n := 0
		for row, err := range d.Rows {
			if n++; err == nil && n%1024 == 0 && p.ctx.Err() != nil {
				err = context.Cause(p.ctx)
			}
			if err == nil {
				err = found.addRow(d.Type.Kind, &row)
			}
			row.SchemaVersionID = d.SchemaVersion
			if !yield(row.Row, err) {
				return
			}
		}
	}
	s, err := newSpool(c.o.TempDir, d, rows)
	if err != nil {
		return err
	}
	p.writes[d.Type], p.spools[d.Type] = found, s
	return nil
}

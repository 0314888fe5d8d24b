package sqlite

import (
	"fmt"
	"math"
	"slices"
	"strings"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/pages"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// recordLayout has the positions of a history's values in its records.
type recordLayout struct {
	sql      string // of the table, to detect changes
	columns  int    // maximum number in a record
	id       int    // NULL in each record: it is the rowid
	typeName int
	keys     []int // -1 for a missing column, which is empty
	commit   int
	version  int // -1 for NULL
	fields   int
	// Of a row from before a column was added the record ends before it.
	shortest int
}

// maxColumns bounds the columns of a table that are read.
const maxColumns = 16

// recordLayoutOf returns the positions of a history's values in the table's records, if its
// rows can be read by page; otherwise nil.
func recordLayoutOf(c *conn, h dbschema.History, sql string) (*recordLayout, error) {
	s := &recordLayout{sql: sql, id: -1, typeName: -1, commit: -1, version: -1, fields: -1}
	for range h.KeyColumns {
		s.keys = append(s.keys, -1)
	}
	// A column that compares in another way than by bytes, or a table whose rows are the
	// entries of an index.
	if text := strings.ToLower(sql); strings.Contains(text, "collate") || strings.Contains(text, "without") {
		return nil, nil
	}
	ok := true
	err := sqlconn.Each(c.Conn, "SELECT cid, name, type, dflt_value, hidden FROM pragma_table_xinfo(?)", func(row *lite.Stmt) error {
		at, name, otherwise := row.ColumnInt(0), row.ColumnText(1), row.ColumnText(3)
		ok = ok && at == s.columns && row.ColumnInt(4) == 0
		s.columns++
		into := map[string]*int{"id": &s.id, h.TypeColumn: &s.typeName, "commit_id": &s.commit, h.VersionColumn: &s.version, "fields_json": &s.fields}[name]
		if k := slices.Index(h.KeyColumns, name); k >= 0 {
			into = &s.keys[k]
		}
		switch {
		case name == "id": // NULL where it is the row's number
		case name == "instance_key" && otherwise == "''", name == h.VersionColumn && (row.ColumnIsNull(3) || strings.EqualFold(otherwise, "NULL")):
			// A record may end before it.
			ok = ok && into != nil
		case into != nil:
			s.shortest = s.columns
		}
		if into != nil {
			*into = at
			ok = ok && at < maxColumns
		}
		return nil
	}, h.Table)
	if err != nil {
		return nil, err
	}
	for k, name := range h.KeyColumns {
		ok = ok && (s.keys[k] >= 0 || name == "''")
	}
	if !ok || s.id < 0 || s.typeName < 0 || s.commit < 0 || s.fields < 0 {
		return nil, nil
	}
	if numbered, err := idIsRowID(c, h); err != nil || !numbered {
		return nil, err
	}
	return s, nil
}

// idIsRowID reports whether a row's id is its rowid, with which index entries end: that is a
// primary key of type INTEGER without an index.
func idIsRowID(c *conn, h dbschema.History) (is bool, err error) {
	err = sqlconn.Each(c.Conn, `SELECT 1 FROM pragma_table_info(?1) WHERE name = 'id' AND pk > 0 AND upper(type) = 'INTEGER'
		AND NOT EXISTS (SELECT 1 FROM pragma_index_list(?1) WHERE origin = 'pk')`, func(*lite.Stmt) error {
		is = true
		return nil
	}, h.Table)
	return is, err
}

// byPage fills the batch from the next ranges and returns the remaining ones. If it cannot, it
// returns an error and leaves them unchanged.
func (c *Cursor) byPage(conn *conn, ranges []span) ([]span, error) {
	root, sql := uint32(0), ""
	err := sqlconn.Each(conn.Conn, "SELECT rootpage, sql FROM sqlite_schema WHERE type = 'table' AND name = ?", func(row *lite.Stmt) error {
		root, sql = uint32(row.ColumnInt64(0)), row.ColumnText(1)
		return nil
	}, c.history.Table)
	if err != nil {
		return nil, err
	}
	if c.stored == nil || c.stored.sql != sql {
		if c.stored, err = recordLayoutOf(conn, c.history, sql); err != nil {
			return nil, err
		}
	}
	if c.stored == nil {
		return nil, pages.ErrMalformed
	}
	p, err := pages.Open(conn.Conn, conn.File)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return c.readPages(p, root, ranges)
}

// readPages is byPage on the pages of the table's tree.
func (c *Cursor) readPages(p *pages.Pages, root uint32, ranges []span) ([]span, error) {
	left := slices.Clone(ranges)
	var spare []byte // a leaf's of which nothing is wanted
	buffer := func(n int) []byte {
		if spare == nil {
			return c.batch.texts.Bytes(n)
		}
		page := spare
		spare = nil
		return page
	}
	for len(left) > 0 {
		s := &left[c.next(left)]
		id := s.first
		if c.newest {
			id = s.last
		}
		leaf, low, high, err := p.Leaf(root, id, buffer)
		if err != nil {
			return nil, err
		}
		before := c.batch.n
		full, err := c.readLeaf(p, &leaf, low, high, *s)
		if err != nil {
			return nil, err
		}
		if c.batch.n == before {
			spare = leaf.Page[:p.Size]
		}
		switch {
		case full && c.newest:
			s.last = c.batch.lastID() - 1
		case full:
			s.first = c.batch.lastID() + 1
		case c.newest && low >= s.first:
			s.last = low
		case !c.newest && high < s.last:
			s.first = high + 1
		default:
			left = c.withoutNext(left)
			continue
		}
		if full {
			return left, nil
		}
	}
	return left, nil
}

// readLeaf adds the rows of a leaf within a range, until the batch is full. All ids of the
// leaf are in (low, high].
func (c *Cursor) readLeaf(p *pages.Pages, leaf *pages.Cells, low, high int64, s span) (full bool, err error) {
	last := low
	if c.newest {
		last = high
	}
	for n := range leaf.Count {
		i := n
		if c.newest {
			i = leaf.Count - 1 - n
		}
		cell, err := leaf.Cell(i)
		if err != nil {
			return false, err
		}
		size, k := pages.Varint(cell)
		if k == 0 {
			return false, pages.ErrMalformed
		}
		number, l := pages.Varint(cell[k:])
		id := int64(number)
		switch {
		case l == 0, id <= low && low > math.MinInt64, id > high:
			return false, pages.ErrMalformed
		case n > 0 && (c.newest && id >= last || !c.newest && id <= last):
			return false, pages.ErrMalformed
		}
		last = id
		if id < s.first || id > s.last {
			continue
		}
		if full, err := c.readRecord(p, cell[k+l:], size, id); err != nil || full {
			return full, err
		}
	}
	return false, nil
}

// readRecord adds a row, if the cursor returns it.
func (c *Cursor) readRecord(p *pages.Pages, cell []byte, size uint64, id int64) (full bool, err error) {
	payload, next, err := p.Payload(cell, size, false)
	if err != nil {
		return false, err
	}
	at := c.stored
	found := &c.batch.found
	n, err := pages.Values(payload, found[:min(at.columns, maxColumns)])
	if err != nil || n < at.shortest || !found[at.id].IsNull() {
		return false, pages.ErrMalformed
	}
	name, ok := found[at.typeName].Text(payload)
	commit, known := found[at.commit].Int64(payload)
	if next != 0 && (!ok || string(name) == c.ref.Name) { // it is needed as a whole
		if payload, err = p.Whole(payload, next, size); err != nil {
			return false, err
		}
		name, ok = found[at.typeName].Text(payload)
		commit, known = found[at.commit].Int64(payload)
		c.batch.texts.Used += len(payload)
	}
	if !ok {
		return false, pages.ErrMalformed
	}
	if string(name) != c.ref.Name {
		return false, nil
	}
	if !known {
		return false, pages.ErrMalformed
	}
	if commit <= int64(c.lower) || commit > int64(c.upper) {
		return false, nil
	}
	if c.batch.full() {
		return true, nil
	}
	image, ok := found[at.fields].Text(payload)
	if !ok {
		return false, pages.ErrMalformed
	}
	version, noVersion := int64(0), true
	if at.version >= 0 && at.version < n && !found[at.version].IsNull() {
		noVersion = false
		if version, ok = found[at.version].Int64(payload); !ok {
			return false, pages.ErrMalformed
		}
	}
	for k, place := range at.keys {
		var key []byte
		if place >= 0 && place < n {
			if key, ok = found[place].Text(payload); !ok {
				return false, pages.ErrMalformed
			}
		}
		c.batch.key(k, key)
	}
	c.batch.image(image)
	c.batch.numbers(commit, version, noVersion, id)
	return false, nil
}

// scanIndex is scan by the pages of an index that has a row's type and commit.
func (f *rowCounts) scanIndex(c *conn, h dbschema.History) error {
	of, commit, columns, root := 0, 0, 0, uint32(0)
	err := sqlconn.Each(c.Conn, `SELECT s.rootpage, max(iif(i.name = ?1, i.seqno, NULL)) AS of_type, max(iif(i.name = 'commit_id', i.seqno, NULL)) AS of_commit, count(*)
		FROM pragma_index_list(?2) AS l JOIN sqlite_schema AS s ON s.name = l.name JOIN pragma_index_info(l.name) AS i
		WHERE NOT l.partial GROUP BY l.name HAVING of_type IS NOT NULL AND of_commit IS NOT NULL LIMIT 1`, func(row *lite.Stmt) error {
		root, of, commit, columns = uint32(row.ColumnInt64(0)), row.ColumnInt(1), row.ColumnInt(2), row.ColumnInt(3)
		return nil
	}, h.TypeColumn, h.Table)
	if err != nil {
		return err
	}
	if root == 0 || columns >= maxColumns {
		return pages.ErrMalformed
	}
	if numbered, err := idIsRowID(c, h); err != nil {
		return err
	} else if !numbered {
		return pages.ErrMalformed
	}
	p, err := pages.Open(c.Conn, c.File)
	if err != nil {
		return err
	}
	defer p.Close()
	count := f.counter(h)
	var values [maxColumns]pages.Value
	err = p.EachEntry(root, func(payload []byte) error {
		n, err := pages.Values(payload, values[:columns+1])
		if err != nil || n <= columns {
			return pages.ErrMalformed
		}
		name, isText := values[of].Text(payload)
		number, isNumber := values[commit].Int64(payload)
		id, hasID := values[columns].Int64(payload)
		if !isText || !isNumber || !hasID {
			return pages.ErrMalformed
		}
		count.add(name, ontosql.CommitID(number), id)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	f.lastRowIDs[h.Kind] = count.last
	return nil
}

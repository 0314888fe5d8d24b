package format

import (
	"bytes"
	"strings"

	"github.com/ontosql/ontosql"
)

// ReadRows reads the system columns of every row of a local data file, in file order. It is for
// tests and tools, because all rows are in memory. Unreadable content is ErrDamagedFile.
func ReadRows(path string) (rows []Row, err error) {
	defer recoverDamage(&err)
	p, err := openParquet(path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	for group := range p.reader.NumRowGroups() {
		if rows, err = p.appendRows(rows, group); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// ReadIdentities calls each for every row of a local data file, in file order, with its
// identity. Unreadable content is ErrDamagedFile. Memory does not grow with the file.
func ReadIdentities(path string, each func(*Row)) (err error) {
	defer recoverDamage(&err)
	p, err := openParquet(path)
	if err != nil {
		return err
	}
	defer p.close()
	return p.identities(func(r *Row) bool {
		each(r)
		return true
	})
}

// identities calls each for every row until it returns false. Only the identity of each Row is set.
func (p *parquetFile) identities(each func(*Row) bool) error {
	for group := range p.reader.NumRowGroups() {
		if more, err := p.readIdentities(group, each); err != nil || !more {
			return err
		}
	}
	return nil
}

func (p *parquetFile) readIdentities(group int, each func(*Row) bool) (more bool, err error) {
	names := p.identityColumns()
	columns := make([]*columnReader, len(names))
	for i, name := range names {
		if columns[i], err = p.column(group, name); err != nil {
			return false, err
		}
	}
	left := p.reader.MetaData().RowGroup(group).NumRows()
	for batch := make([]Row, max(0, min(left, columnBatchRows))); left > 0; {
		rows := batch[:min(left, columnBatchRows)]
		for i, c := range columns {
			texts, err := c.keys(len(rows))
			if err != nil {
				return false, err
			}
			setTexts(rows, names[i], texts)
		}
		for k := range rows {
			if !each(&rows[k]) {
				return false, nil
			}
		}
		left -= int64(len(rows))
	}
	return true, nil
}

func (p *parquetFile) appendRows(rows []Row, group int) ([]Row, error) {
	columns, err := p.systemReaders(group)
	if err != nil {
		return nil, err
	}
	for left := p.reader.MetaData().RowGroup(group).NumRows(); left > 0; {
		n := int(min(left, columnBatchRows))
		batch := make([]Row, n)
		if err := p.readBatch(batch, columns); err != nil {
			return nil, err
		}
		rows = append(rows, batch...)
		left -= int64(n)
	}
	return rows, nil
}

func (p *parquetFile) readBatch(batch []Row, columns map[string]*columnReader) error {
	commits, err := columns["commit_id"].numbers(len(batch), false)
	if err != nil {
		return err
	}
	for i, n := range commits {
		batch[i].Commit = ontosql.CommitID(n)
	}
	versions, err := columns["schema_version_id"].numbers(len(batch), true)
	if err != nil {
		return err
	}
	for i, n := range versions {
		batch[i].SchemaVersionID = n
	}
	for _, name := range p.identityColumns() {
		texts, err := columns[name].keys(len(batch))
		if err != nil {
			return err
		}
		setTexts(batch, name, texts)
	}
	return columns["fields_json"].fields(batch)
}

// fields sets the fields of rows.
func (c *columnReader) fields(rows []Row) error {
	texts, err := c.keys(len(rows))
	if err != nil {
		return err
	}
	for i, text := range texts {
		if c.kind != KindString { // strings are copies already, other texts are the reader's
			text = bytes.Clone(text)
		}
		rows[i].Fields = text[:len(text):len(text)]
	}
	return nil
}

// setTexts sets an identity column of rows. The values share one piece of memory.
func setTexts(rows []Row, column string, texts [][]byte) {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	var b strings.Builder
	b.Grow(size)
	for _, text := range texts {
		b.Write(text)
	}
	all := b.String()
	for i, text := range texts {
		value := all[:len(text)]
		all = all[len(text):]
		switch r := &rows[i]; column {
		case "entity_key":
			r.Key = value
		case "left_key":
			r.Left = value
		case "right_key":
			r.Right = value
		case "instance_key":
			r.Instance = value
		}
	}
}

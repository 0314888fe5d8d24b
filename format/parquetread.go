package format

import (
	"github.com/ontosql/ontosql"
)

// ReadRows reads every row of a local data file, in file order, its system
// columns only. It is for tests and tools: all rows are in memory. A content
// that cannot be read is ErrDamagedFile.
func ReadRows(path string) (rows []Row, err error) {
	defer rescue(&err)
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

func (p *parquetFile) appendRows(rows []Row, group int) ([]Row, error) {
	columns := map[string]*columnReader{}
	for _, name := range systemColumns(p.kind) {
		if name == "entity_type" || name == "relation_type" {
			continue
		}
		c, err := p.column(group, name)
		if err != nil {
			return nil, err
		}
		columns[name] = c
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
	for _, name := range append(p.identityColumns(), "fields_json") {
		texts, err := columns[name].keys(len(batch))
		if err != nil {
			return err
		}
		for i, text := range texts {
			batch[i].set(name, text)
		}
	}
	return nil
}

// set puts the value of a text column into its place.
func (r *Row) set(column string, text []byte) {
	switch column {
	case "entity_key":
		r.Key = string(text)
	case "left_key":
		r.Left = string(text)
	case "right_key":
		r.Right = string(text)
	case "instance_key":
		r.Instance = string(text)
	case "fields_json":
		r.Fields = append([]byte(nil), text...)
	}
}

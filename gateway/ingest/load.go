package ingest

import (
	"context"
	"strings"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// Load creates a table of the engine with all rows of the reader, and returns how a scan
// reads it. path identifies the rows for other statements (scan.File.Path); "" means that
// no other statement reads the same rows. The caller drops the table, after an error too.
func (r *Reader) Load(ctx context.Context, conn *duckdb.Conn, schema, name, path string) ([]scan.File, error) {
	if err := conn.LoadFrom(ctx, schema, name, tableColumns(r.typ), r); err != nil {
		return nil, err
	}
	table := schema + "." + name
	duplicates, err := r.conv.duplicates.inTable(ctx, conn, table, r.typ.Ref.Kind)
	if err != nil {
		return nil, err
	}
	return r.tableFiles(table, path, duplicates), nil
}

// tableFiles are the rows of a table as two files: the rows whose typed columns are
// complete, and the others. With duplicates it is one file, because the order of rows
// matters then.
func (r *Reader) tableFiles(table, path string, duplicates bool) []scan.File {
	t, all := r.typ, r.conv
	file := scan.File{Path: path, Facts: typedFacts(t), Min: all.least, Max: all.most}
	file.Facts.Rows, file.Facts.Duplicates = all.rows-all.incomplete, duplicates
	var files []scan.File
	others := " WHERE NOT " + completeColumn
	if duplicates {
		others = ""
	} else if all.rows > all.incomplete {
		file.Rows = "(SELECT " + typedSelectList(t) + " FROM " + table + " WHERE " + completeColumn + ") AS own"
		files = append(files, file)
	}
	if duplicates || all.incomplete > 0 {
		facts := RowFacts(t)
		facts.Rows, facts.Duplicates, facts.Plain = all.incomplete, duplicates, !all.odd
		if duplicates {
			facts.Rows = all.rows
		}
		file.Facts = facts
		if file.Path != "" {
			file.Path += ", not read"
		}
		file.Rows = "(SELECT " + strings.Join(rowColumns(t), ", ") + " FROM " + table + others + ") AS own"
		files = append(files, file)
	}
	return files
}

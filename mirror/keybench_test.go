package mirror_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/mirror"
)

var item = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Item"}

// items is a world of one type with an integer key and one field, in four commits.
func items(b *testing.B) *world {
	w := newWorld(b, 1)
	w.types = []*catalog.Type{{Ref: item, SchemaID: 1, Key: []int{0}, Columns: []catalog.Column{key("id", catalog.FromEntityKey, column.Int64), field("price", column.Float64)}}}
	conn := w.conn()
	defer conn.Close()
	for id := range 4 {
		path := filepath.Join(w.dir, fmt.Sprintf("item-%d.parquet", id+1))
		err := conn.Exec(b.Context(), fmt.Sprintf(`COPY (SELECT CAST(range AS VARCHAR) AS entity_key, 'Item' AS entity_type, CAST(%d AS BIGINT) AS commit_id, CAST(1 AS BIGINT) AS schema_version_id,
			range / 7.0 AS price, format('{{"id":{},"price":{}}}', range, range / 7.0) AS fields_json FROM range(%d)) TO %s (FORMAT parquet)`, id+1, *benchKeys, duckdb.Literal(path)))
		if err != nil {
			b.Fatal(err)
		}
		facts, err := format.Inspect(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		file := scan.File{Path: path, Facts: facts, Min: ontosql.CommitID(id + 1), Max: ontosql.CommitID(id + 1)}
		w.commits = append(w.commits, commit{mark: fmt.Sprint(id), files: map[ontosql.TypeRef][]scan.File{item: {file}}})
	}
	return w
}

// BenchmarkIntegerKey compares an integer key, which files store as text, with an integer
// field, over the mirror and over files.
func BenchmarkIntegerKey(b *testing.B) {
	w := items(b)
	m := w.mirror(1 << 40)
	v := w.view()
	v.settledWithin(m, time.Minute, item)
	conn := w.conn()
	defer conn.Close()
	for _, question := range []struct {
		name, form string
		key        []scan.KeyEqual
	}{
		{"sum of field", "SELECT sum(price) FROM (%s)", nil},
		{"sum of key", "SELECT sum(id) FROM (%s)", nil},
		{"range of keys", "SELECT count(*) FROM (%s) WHERE id BETWEEN 500 AND 600", nil},
		{"join on keys", "SELECT count(*) FROM (%s) AS i JOIN range(100, 200) AS r ON r.range = i.id", nil},
		{"one key", "SELECT * FROM (%s) WHERE id = 77", []scan.KeyEqual{{Column: "entity_key", Texts: []string{"'77'"}}}},
	} {
		for _, m := range []*mirror.Mirror{m, nil} {
			r := scan.Request{Type: v.types[0], Window: ontosql.Window{Upper: v.Head()}, KeyEquals: question.key}
			name := question.name + "/files"
			if m != nil {
				u := m.Use(v, r.Type, mirror.Window{Window: r.Window})
				defer u.Release()
				r.Mirror, name = &u.Source, question.name+"/mirror"
			} else {
				r.Files = v.files(r.Type, 0, v.Head())
			}
			sql, err := scan.SQL(r)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if err := conn.Exec(b.Context(), fmt.Sprintf(question.form, sql)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

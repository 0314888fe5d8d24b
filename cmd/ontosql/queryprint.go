package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/typedquery"
)

// jsonList prints a list of JSON values as they come, indented by two.
type jsonList struct {
	w     io.Writer
	count int
}

func (l *jsonList) add(text []byte) error {
	var b bytes.Buffer
	b.WriteString(",\n  ")
	if l.count++; l.count == 1 {
		b.Reset()
		b.WriteString("[\n  ")
	}
	if err := json.Indent(&b, text, "  ", "  "); err != nil {
		return err
	}
	_, err := l.w.Write(b.Bytes())
	return err
}

// end ends the list.
func (l *jsonList) end() error {
	text := "\n]\n"
	if l.count == 0 {
		text = "[]\n"
	}
	_, err := io.WriteString(l.w, text)
	return err
}

// answer prints the rows of a query: JSON as they come, or a table at the end.
type answer struct {
	p      *program
	list   jsonList
	header []string
	cells  [][]string
}

func (p *program) newAnswer(header ...string) answer {
	return answer{p: p, list: jsonList{w: p.out}, header: header}
}

func (a *answer) end() error {
	switch {
	case a.p.cfg.JSON:
		return a.list.end()
	case len(a.cells) == 0:
		_, err := fmt.Fprintln(a.p.out, "No results.")
		return err
	}
	printTable(a.p.out, a.header, a.cells)
	return nil
}

func (a *answer) object(v format.Value) error { return a.list.add(v.Append(nil, format.SpacedInOrder)) }

// cellOf is a value in a table: a text as it is, nothing for null, and otherwise JSON.
func cellOf(v format.Value) string {
	switch v.Kind() {
	case format.JSONString:
		text := v.Text()
		return shownText(&text)
	case format.JSONNull:
		return ""
	}
	return string(v.Append(nil, format.SpacedInOrder))
}

// records prints entities or relations.
type records struct {
	answer
	kind ontosql.Kind
	rows []map[string]string // of the table, by the header
}

func (p *program) newRecords(kind ontosql.Kind) *records {
	return &records{answer: p.newAnswer(), kind: kind}
}

// add prints a row of a target.
func (r *records) add(t *typedquery.Target, text []byte) error {
	row, err := t.Read(text)
	if err != nil {
		return err
	}
	object := row.Object(r.kind)
	if r.p.cfg.JSON {
		return r.object(object)
	}
	cells := map[string]string{}
	for name, value := range object.Members() {
		if cells[name] = cellOf(value); !slices.Contains(r.header, name) {
			r.header = append(r.header, name) // a hop may lead to another type
		}
	}
	r.rows = append(r.rows, cells)
	return nil
}

func (r *records) end() error {
	for _, row := range r.rows {
		cells := make([]string, len(r.header))
		for i, name := range r.header {
			cells[i] = row[name]
		}
		r.cells = append(r.cells, cells)
	}
	return r.answer.end()
}

// paths prints the paths of a traversal.
type paths struct {
	answer
	source    *typedquery.Record // of the path that is being read
	relations []format.Value
}

func (p *program) newPaths() *paths {
	return &paths{answer: p.newAnswer("source_key", "left_key", "right_key", "fields")}
}

// start begins the path of a source.
func (q *paths) start(t *typedquery.Target, text []byte) (err error) {
	if err := q.finish(); err != nil {
		return err
	}
	q.source, err = t.Read(text)
	return err
}

// follow adds a relation to the path.
func (q *paths) follow(t *typedquery.Target, text []byte) error {
	r, err := t.Read(text)
	if err != nil {
		return err
	}
	fields := format.Object(r.Fields...)
	q.relations = append(q.relations, format.Object(
		format.Member{Name: "left_key", Value: format.String(r.Left)},
		format.Member{Name: "right_key", Value: format.String(r.Right)},
		format.Member{Name: "fields", Value: fields},
	))
	return nil
}

// finish prints the path that was read, if there is one.
func (q *paths) finish() error {
	if q.source == nil {
		return nil
	}
	defer func() { q.source, q.relations = nil, nil }()
	if q.p.cfg.JSON {
		return q.object(format.Object(
			format.Member{Name: "source_key", Value: format.String(q.source.Key)},
			format.Member{Name: "source", Value: format.Object(q.source.Fields...)},
			format.Member{Name: "relations", Value: format.Array(q.relations...)},
		))
	}
	for _, r := range q.relations {
		cells := []string{shownText(&q.source.Key)}
		for _, member := range r.Members() {
			cells = append(cells, cellOf(member))
		}
		q.cells = append(q.cells, cells)
	}
	if len(q.relations) == 0 {
		q.cells = append(q.cells, []string{shownText(&q.source.Key), "", "", ""})
	}
	return nil
}

func (q *paths) end() error {
	if err := q.finish(); err != nil {
		return err
	}
	return q.answer.end()
}

package pgcatalog

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

//go:embed views.sql
var viewFile string

// Derived is a DuckDB query of the rows of a relation that follows from others and the
// functions, "" for one of Tables. A column of the relation that it has not is NULL.
// database is the name that clients connected to; source writes a relation that the
// query reads.
func (r *Relation) Derived(database string, source func(*Relation) (string, error)) (string, error) {
	query, ok := views().queries[r]
	if !ok {
		return "", nil
	}
	literal := "'" + strings.ReplaceAll(database, "'", "''") + "'"
	var err error
	query = qualified.ReplaceAllStringFunc(query, func(name string) string {
		schema, bare, _ := strings.Cut(name, ".")
		of := Find(schema, bare)
		if of == nil { // a function
			return Schema + "." + bare
		}
		text, failed := source(of)
		err = errors.Join(err, failed)
		return text
	})
	return strings.ReplaceAll(query, "{database}", literal), err
}

// qualified is the name of a relation or a function in views.sql.
var qualified = regexp.MustCompile(`\b(?:pg_catalog|information_schema)\.[a-z_]+`)

// Views are the relations that are Derived, each behind those that it reads.
func Views() []*Relation { return views().order }

type derivations struct {
	order   []*Relation
	queries map[*Relation]string
}

// views is views.sql.
var views = sync.OnceValue(func() *derivations {
	v := &derivations{queries: map[*Relation]string{}}
	for _, section := range strings.Split(viewFile, "\n\n-- ")[1:] {
		name, query, _ := strings.Cut(section, "\n")
		r := shape().byName[name]
		if r == nil {
			panic(fmt.Sprintf("views.sql: no relation %s", name))
		}
		v.order = append(v.order, r)
		v.queries[r] = query
	}
	return v
})

package gateway

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Scripts and migrations begin with CREATE ... IF NOT EXISTS of what a database has from
// its beginning, and with DROP ... IF EXISTS of what they make. An ontology has no views,
// functions, triggers and so on: what is asked of them is answered as PostgreSQL answers
// where they are not there, and what belongs to the system stays.

// extension is the one that pg_extension has.
const extension = "plpgsql"

// createExisting answers CREATE SCHEMA and CREATE EXTENSION of what is there already.
// Another one cannot be created yet.
func (s *Session) createExisting(st *syntax.Statement) error {
	exists := pgerr.New(pgerr.DuplicateObject, "extension %q already exists", st.Name)
	switch {
	case st.Kind == syntax.CreateSchema && slices.Contains(catalog.Schemas, st.Name):
		exists = pgerr.New(pgerr.DuplicateSchema, "schema %q already exists", st.Name)
	case st.Kind == syntax.CreateSchema, st.Name != extension:
		return sqlstate.NotSupportedYet(st.Tag)
	}
	if !st.IfNot {
		return exists
	}
	exists.Severity, exists.Message = "NOTICE", exists.Message+", skipping"
	s.notice(exists)
	return nil
}

// dropOther answers DROP of what is no table, for name i.
func (s *Session) dropOther(pin *resolver.Pin, st *syntax.Statement, drops *rewrite.Drops, i int) error {
	missing, err := s.missing(pin, st, drops, drops.Names[i], drops.Parts[i])
	switch {
	case err != nil:
		return err
	case !drops.IfExists:
		return missing
	}
	s.notice(sqlstate.Notice("%s, skipping", missing.Message))
	return nil
}

// missing is the error that says that an object of DROP is not there. err is what else is
// wrong with it.
func (s *Session) missing(pin *resolver.Pin, st *syntax.Statement, drops *rewrite.Drops, ref syntax.Ref, part string) (missing *pgerr.Error, err error) {
	switch drops.Object {
	case "schema":
		if slices.Contains(catalog.Schemas, ref.Name) {
			return nil, sqlstate.NotSupportedYet(st.Tag)
		}
		return noSchema(ref.Name), nil
	case "extension":
		if ref.Name == extension {
			return nil, sqlstate.NotSupportedYet(st.Tag)
		}
		return pgerr.New(pgerr.UndefinedObject, "extension %q does not exist", ref.Name), nil
	case "function", "procedure":
		if part == "" && !drops.IfExists {
			return pgerr.New(pgerr.UndefinedFunction, "could not find a %s named %q", drops.Object, joined(ref)), nil
		}
		return pgerr.New(pgerr.UndefinedFunction, "%s %s%s does not exist", drops.Object, joined(ref), cmp.Or(part, "()")), nil
	}
	r, err := s.named(pin, ref)
	there := err == nil
	if missing = absence(err); !there && missing == nil {
		return nil, err
	}
	noSchema := missing != nil && missing.Code == pgerr.InvalidSchemaName
	switch drops.Object {
	case "trigger", "policy", "rule":
		if !there {
			return missing, nil
		}
		on := "table"
		if drops.IfExists || drops.Object == "rule" {
			on = "relation"
		}
		return pgerr.New(pgerr.UndefinedObject, "%s %q for %s %q does not exist", drops.Object, part, on, r.shape.Table), nil
	case "type":
		if there { // that of a table's rows
			return nil, sqlstate.NotSupportedYet(st.Tag)
		}
		if noSchema {
			return missing, nil
		}
		return pgerr.New(pgerr.UndefinedObject, "type %q does not exist", joined(ref)), nil
	}
	switch {
	case there && r.typ != nil && r.mode == ontosql.Latest:
		return nil, pgerr.New(pgerr.WrongObjectType, "%q is not %s", ref.Name, withArticle(drops.Object)).WithHint("Use DROP TABLE to remove a table.")
	case there:
		return nil, sqlstate.NotSupportedYet(st.Tag)
	case noSchema:
		return missing, nil
	case drops.Object != "index" && drops.Object != "foreign table":
		return pgerr.New(pgerr.UndefinedTable, "%s %q does not exist", drops.Object, ref.Name), nil
	}
	if table, ok := strings.CutSuffix(ref.Name, "_pkey"); ok && drops.Object == "index" {
		if _, err := s.named(pin, syntax.Ref{Schema: ref.Schema, Name: table}); err == nil {
			return nil, pgerr.New(pgerr.DependentObjectsStillExist, "cannot drop index %s because constraint %s on table %s requires it", ref.Name, ref.Name, table).
				WithHint("You can drop constraint %s on table %s instead.", ref.Name, table)
		}
	}
	return pgerr.New(pgerr.UndefinedObject, "%s %q does not exist", drops.Object, ref.Name), nil
}

func withArticle(noun string) string {
	if strings.HasPrefix(noun, "i") {
		return "an " + noun
	}
	return "a " + noun
}

// absence is the error that says that a relation, or its schema, is not there; nil of
// another error.
func absence(err error) *pgerr.Error {
	var e *pgerr.Error
	if errors.As(err, &e) && (e.Code == pgerr.UndefinedTable || e.Code == pgerr.InvalidSchemaName) {
		return e
	}
	return nil
}

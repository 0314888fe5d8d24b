package typeddl

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Scripts begin with CREATE ... IF NOT EXISTS of objects that every database has, and with
// DROP ... IF EXISTS of objects that they create. An ontology has no views, functions,
// triggers and so on. DROP returns what PostgreSQL returns if they do not exist; objects of
// the system cannot be dropped.

// extension is the only row of pg_extension.
const extension = "plpgsql"

// CreateExisting executes CREATE SCHEMA and CREATE EXTENSION of one that exists. Others cannot
// be created yet.
func CreateExisting(s Session, st *syntax.Statement) error {
	exists := pgerr.New(pgerr.DuplicateObject, "extension %q already exists", st.Name)
	switch {
	case st.Kind == syntax.CreateSchema && st.Name == catalog.SchemaCatalog:
		return pgerr.New(pgerr.ReservedName, "unacceptable schema name %q", st.Name).WithDetail("The prefix \"pg_\" is reserved for system schemas.")
	case st.Kind == syntax.CreateSchema && slices.Contains(catalog.Schemas, st.Name):
		exists = pgerr.New(pgerr.DuplicateSchema, "schema %q already exists", st.Name)
	case st.Kind == syntax.CreateSchema, st.Name != extension:
		return sqlstate.NotSupportedYet(st.Tag)
	}
	if !st.IfNot {
		return exists
	}
	exists.Severity, exists.Message = "NOTICE", exists.Message+", skipping"
	s.Notice(exists)
	return nil
}

// dropOther executes DROP of name i, which is not a table.
func dropOther(s Session, pin *resolver.Pin, st *syntax.Statement, drops *ddlstmt.Drops, i int) error {
	missing, err := missingObject(s, pin, st, drops, drops.Names[i], drops.Parts[i])
	switch {
	case err != nil:
		return err
	case !drops.IfExists:
		return missing
	}
	s.Notice(sqlstate.Notice("%s, skipping", missing.Message))
	return nil
}

// missingObject is the error of an object of DROP that does not exist. err is any other error
// of the name.
func missingObject(s Session, pin *resolver.Pin, st *syntax.Statement, drops *ddlstmt.Drops, ref syntax.Ref, part string) (missing *pgerr.Error, err error) {
	switch drops.Object {
	case "schema":
		if ref.Name == catalog.SchemaCatalog {
			return nil, pgerr.New(pgerr.DependentObjectsStillExist, "cannot drop schema %s because it is required by the database system", ref.Name)
		}
		if slices.Contains(catalog.Schemas, ref.Name) {
			return nil, sqlstate.NotSupportedYet(st.Tag)
		}
		return sqlstate.UndefinedSchema(ref.Name), nil
	case "extension":
		if ref.Name == extension {
			return nil, sqlstate.NotSupportedYet(st.Tag)
		}
		return pgerr.New(pgerr.UndefinedObject, "extension %q does not exist", ref.Name), nil
	case "function", "procedure":
		if part == "" && !drops.IfExists {
			return pgerr.New(pgerr.UndefinedFunction, "could not find a %s named %q", drops.Object, sqlstate.RelationName(ref)), nil
		}
		return pgerr.New(pgerr.UndefinedFunction, "%s %s%s does not exist", drops.Object, sqlstate.RelationName(ref), cmp.Or(part, "()")), nil
	}
	r, err := s.Named(pin, ref)
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
		return pgerr.New(pgerr.UndefinedObject, "%s %q for %s %q does not exist", drops.Object, part, on, r.Name), nil
	case "type":
		if there { // that of a table's rows
			return nil, sqlstate.NotSupportedYet(st.Tag)
		}
		if noSchema {
			return missing, nil
		}
		return pgerr.New(pgerr.UndefinedObject, "type %q does not exist", sqlstate.RelationName(ref)), nil
	}
	switch {
	case there && r.isTable():
		return nil, pgerr.New(pgerr.WrongObjectType, "%q is not %s", ref.Name, withArticle(drops.Object)).WithHint("Use DROP TABLE to remove a table.")
	case there:
		return nil, sqlstate.NotSupportedYet(st.Tag)
	case noSchema:
		return missing, nil
	case drops.Object != "index" && drops.Object != "foreign table":
		return pgerr.New(pgerr.UndefinedTable, "%s %q does not exist", drops.Object, ref.Name), nil
	}
	if table, ok := strings.CutSuffix(ref.Name, "_pkey"); ok && drops.Object == "index" {
		if _, err := s.Named(pin, syntax.Ref{Schema: ref.Schema, Name: table}); err == nil {
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

// absence is err if it says that a relation or its schema does not exist, else nil.
func absence(err error) *pgerr.Error {
	var e *pgerr.Error
	if errors.As(err, &e) && (e.Code == pgerr.UndefinedTable || e.Code == pgerr.InvalidSchemaName) {
		return e
	}
	return nil
}

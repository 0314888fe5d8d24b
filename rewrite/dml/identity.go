package dml

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// generatedAlways is PostgreSQL's SQLSTATE of a value for a column that is always generated.
const generatedAlways = "428C9"

// overrides reports whether a statement has OVERRIDING.
func overrides(o pg.OverridingKind) bool {
	return o == pg.OverridingKind_OVERRIDING_USER_VALUE || o == pg.OverridingKind_OVERRIDING_SYSTEM_VALUE
}

// generated reports whether a given value of a column is not used, because of OVERRIDING USER
// VALUE. A value for a GENERATED ALWAYS column without OVERRIDING is an error, and so is one for
// a column that an expression generates.
func (in *insertion) generated(b *query.Binder, column int) bool {
	name := in.target.Columns[column].Name
	if in.target.Generated[name] != "" {
		b.Fail(pgerr.New(generatedAlways, "cannot insert a non-DEFAULT value into column %q", name).
			WithDetail("Column %q is a generated column.", name), -1)
	}
	kind := in.target.Identity[name]
	switch {
	case kind == 0 || in.override == pg.OverridingKind_OVERRIDING_SYSTEM_VALUE:
		return false
	case in.override == pg.OverridingKind_OVERRIDING_USER_VALUE:
		return true
	case kind == 'a':
		b.Fail(pgerr.New(generatedAlways, "cannot insert a non-DEFAULT value into column %q", name).
			WithDetail("Column %q is an identity column defined as GENERATED ALWAYS.", name).
			WithHint("Use OVERRIDING SYSTEM VALUE to override."), -1)
	}
	return false
}

// refuseSet is the error of an UPDATE that gives a generated column another value than its
// DEFAULT.
func refuseSet(b *query.Binder, target *scope.Shape, name string) {
	detail := ""
	switch {
	case target.Generated[name] != "":
		detail = "Column %q is a generated column."
	case target.Identity[name] == 'a':
		detail = "Column %q is an identity column defined as GENERATED ALWAYS."
	default:
		return
	}
	b.Fail(pgerr.New(generatedAlways, "column %q can only be updated to DEFAULT", name).WithDetail(detail, name), -1)
}

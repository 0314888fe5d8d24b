package namespace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/workspace"
)

// Dependents are the objects that depend on what a statement drops, in PostgreSQL's order.
type Dependents struct {
	session       *session.Session
	path          []string // the search path
	Views         []*workspace.View
	Keys          []workspace.Reference // foreign keys
	depend, drops []string              // the lines of the error and of the notice
}

// NewDependents returns an empty collection.
func NewDependents(s *session.Session) *Dependents {
	return &Dependents{session: s, path: s.Resolver().SearchPath()}
}

// Add adds a view that depends on an object.
func (d *Dependents) Add(v *workspace.View, on string) {
	if slices.Contains(d.Views, v) {
		return
	}
	d.Views = append(d.Views, v)
	d.Describe(v.Kind()+" "+d.Shown(v.Schema, v.Name), on)
}

// Describe adds an object to the error and to the notice, for example "table t" that depends on
// "schema s".
func (d *Dependents) Describe(object, on string) {
	d.depend = append(d.depend, object+" depends on "+on)
	d.drops = append(d.drops, "drop cascades to "+object)
}

// AddDependent adds a view that depends on a relation of a kind, or on a view that does.
func (d *Dependents) AddDependent(v workspace.Dependent, kind, schema, name string) {
	if v.On != nil {
		kind, schema, name = v.On.Kind(), v.On.Schema, v.On.Name
	}
	d.Add(v.View, kind+" "+d.Shown(schema, name))
}

// Shown is the name of a relation: with its schema, unless the search path finds it without.
func (d *Dependents) Shown(schema, name string) string {
	for _, s := range d.path {
		if s == schema {
			return QuotedName("", name)
		}
		if d.session.Tables.Of(s).HasRelation(s, name) {
			break
		}
	}
	if schema == workspace.TempSchema {
		schema = fmt.Sprintf("pg_temp_%d", d.session.Serial)
	}
	return QuotedName(schema, name)
}

// Report is the error of the views or, with CASCADE, the notice that they are dropped. what is
// the end of the error's message.
func (d *Dependents) Report(what string, cascade bool) error {
	switch {
	case len(d.depend) == 0:
	case !cascade:
		return pgerr.New(pgerr.DependentObjectsStillExist, "cannot drop %s", what).
			WithDetail("%s", reported(d.depend)).WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
	case len(d.drops) == 1:
		d.session.Notice(sqlstate.Notice("%s", d.drops[0]))
	default:
		d.session.Notice(sqlstate.Notice("drop cascades to %d other objects", len(d.drops)).WithDetail("%s", reported(d.drops)))
	}
	return nil
}

// maxReported is how many dependent objects an error or a notice names (PostgreSQL's
// MAX_REPORTED_DEPS).
const maxReported = 100

// reported are the lines of a DETAIL.
func reported(lines []string) string {
	rest := len(lines) - maxReported
	if rest <= 0 {
		return strings.Join(lines, "\n")
	}
	text := strings.Join(lines[:maxReported], "\n") + fmt.Sprintf("\nand %d other object", rest)
	if rest > 1 {
		text += "s"
	}
	return text + " (see server log for list)"
}

// QuotedName is a name as PostgreSQL's messages about dependencies show it.
func QuotedName(schema, name string) string {
	if schema == "" {
		return str.QuoteIdent(name)
	}
	return str.QuoteIdent(schema) + "." + str.QuoteIdent(name)
}

// AddReference adds a foreign key that depends on an object which is dropped.
func (d *Dependents) AddReference(r workspace.Reference, on string) {
	d.Describe("constraint "+QuotedName("", r.Key.Name)+" on table "+d.Shown(r.Table.Schema, r.Table.Name), on)
	d.Keys = append(d.Keys, r)
}

// AddReferences adds the foreign keys of other tables that lead to tables which are dropped.
func (d *Dependents) AddReferences(tables []*workspace.Table) {
	for _, t := range tables {
		for _, r := range d.session.Tables.Of(t.Schema).ReferencesTo(t.Schema, t.Name) {
			if !slices.Contains(tables, r.Table) {
				d.AddReference(r, "table "+d.Shown(t.Schema, t.Name))
			}
		}
	}
}

// DropKeys drops the foreign keys that were added.
func (d *Dependents) DropKeys(ctx context.Context) error {
	for _, r := range d.Keys {
		if err := Lock(ctx, d.session, r.Table, database.AccessExclusive); err != nil {
			return err
		}
		child := d.session.Tables.Table(r.Table.Schema, r.Table.Name)
		if child == nil {
			continue
		}
		next := *child
		next.ForeignKeys = slices.DeleteFunc(slices.Clone(child.ForeignKeys), func(k workspace.ForeignKey) bool { return k.Name == r.Key.Name })
		d.session.Tables.Put(&next)
	}
	return nil
}

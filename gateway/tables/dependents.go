package tables

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/workspace"
)

// dependents are the views that cannot be without what a statement drops, in PostgreSQL's
// order.
type dependents struct {
	session       *session.Session
	path          []string // the search path
	views         []*workspace.View
	keys          []workspace.Reference // foreign keys
	depend, drops []string              // the lines of the error and of the notice
}

func newDependents(s *session.Session) *dependents {
	return &dependents{session: s, path: s.Resolver().SearchPath()}
}

// add adds a view that depends on an object.
func (d *dependents) add(v *workspace.View, on string) {
	if slices.Contains(d.views, v) {
		return
	}
	d.views = append(d.views, v)
	name := d.shown(v.Schema, v.Name)
	d.depend = append(d.depend, fmt.Sprintf("%s %s depends on %s", v.Kind(), name, on))
	d.drops = append(d.drops, "drop cascades to "+v.Kind()+" "+name)
}

// addTable adds a table that depends on an object.
func (d *dependents) addTable(t *workspace.Table, on string) {
	name := d.shown(t.Schema, t.Name)
	d.depend = append(d.depend, fmt.Sprintf("table %s depends on %s", name, on))
	d.drops = append(d.drops, "drop cascades to table "+name)
}

// addDependent adds a view that depends on a relation of a kind, or on a view that does.
func (d *dependents) addDependent(v workspace.Dependent, kind, schema, name string) {
	if v.On != nil {
		kind, schema, name = v.On.Kind(), v.On.Schema, v.On.Name
	}
	d.add(v.View, kind+" "+d.shown(schema, name))
}

// shown is the name of a relation: with its schema, unless the search path finds it without.
func (d *dependents) shown(schema, name string) string {
	for _, s := range d.path {
		if s == schema {
			return quotedName("", name)
		}
		if d.session.Tables.Of(s).HasRelation(s, name) {
			break
		}
	}
	if schema == workspace.TempSchema {
		schema = fmt.Sprintf("pg_temp_%d", d.session.Serial)
	}
	return quotedName(schema, name)
}

// report is the error of the views or, with CASCADE, the notice that they are dropped. what is
// the end of the error's message.
func (d *dependents) report(what string, cascade bool) error {
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

// dropViews drops the views that read a column which is dropped with CASCADE, when the
// statement is finished. Without CASCADE they are an error.
func (a *alteration) dropViews(c *workspace.Column, cascade bool) error {
	d := newDependents(a.session)
	column := "column " + c.Name + " of table " + d.shown(a.old.Schema, a.old.Name)
	for _, v := range a.session.Tables.Everything().ColumnDependents(a.old.Schema, a.old.Name, c.Number) {
		switch {
		case slices.Contains(a.views, v.View):
		case v.On == nil:
			d.add(v.View, column)
		default:
			d.addDependent(v, "", "", "")
		}
	}
	if err := d.report(column+" because other objects depend on it", cascade); err != nil {
		return err
	}
	a.views = append(a.views, d.views...)
	return nil
}

// checkViews is the error of views that read a column which gets another type.
func (a *alteration) checkViews(c *workspace.Column) error {
	for _, v := range a.session.Tables.Everything().UsedBy(a.old.Schema, a.old.Name) {
		if v.Reads(a.old.Schema, a.old.Name, c.Number) {
			return pgerr.Unsupported("cannot alter type of a column used by a view or rule").
				WithDetail("rule _RETURN on %s %s depends on column %q", v.Kind(), newDependents(a.session).shown(v.Schema, v.Name), c.Name)
		}
	}
	return nil
}

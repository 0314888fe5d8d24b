package actions

import (
	"context"
	"errors"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// call is one call of an action.
type call struct {
	session *session.Session
	pin     *resolver.Pin
	of      *introspect.Relation
	args    []*string // by the parameters, nil for NULL
	rows    *column.Builder
}

// Run runs the action whose arguments a plan computes, in the transaction of the session: once for each
// row of arguments, when all are known. parts are those that the arguments read. It returns the rows of
// the action.
func Run(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, parts reading.Parts, args [][]byte) (*column.Batch, error) {
	c := &call{session: s, pin: pin, of: introspect.Find(p.Action, true)}
	c.rows = column.NewBuilder(c.of.Named())
	var all [][]*string
	err := reading.AllRows(ctx, s, pin, p, parts, args, func(b *column.Batch) error {
		for row := range b.Len {
			all = append(all, c.take(b, row))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(all) != 1 && !syntax.Actions[p.Action].AtOnce {
		return nil, pgerr.Unsupported("set-returning functions in the arguments of ontosql.%s are not supported", c.of.Name)
	}
	for _, c.args = range all {
		if err := c.run(ctx); err != nil {
			return nil, unplaced(err)
		}
	}
	return c.rows.Batch(), nil
}

func (c *call) run(ctx context.Context) error {
	switch c.of.Name {
	case "compact":
		return c.compact(ctx)
	case "revert":
		return c.revert(ctx)
	case "untag":
		return c.untag()
	case "claim":
		return c.claim(ctx)
	case "ack":
		return c.ack(ctx)
	case "release":
		return c.release(ctx)
	case "extend":
		return c.extend(ctx)
	case "replay":
		return c.replay(ctx)
	case "cleanup_events":
		return c.cleanupEvents(ctx)
	case "branches":
		return c.branches(ctx)
	case "branch_diff":
		return c.branchDiff(ctx)
	case "merge":
		return c.merge(ctx)
	case "ns_create":
		return sqlstate.OfRecord(c.nsCreate(ctx))
	case "ns_push":
		return sqlstate.OfRecord(c.nsPush(ctx))
	case "ns_retract":
		return sqlstate.OfRecord(c.nsRetract(ctx))
	case "ns_lock":
		return sqlstate.OfRecord(c.nsLock(ctx))
	case "ns_unlock":
		return sqlstate.OfRecord(c.nsUnlock(ctx))
	case "ns_changed_since":
		return sqlstate.OfRecord(c.nsChangedSince(ctx))
	}
	return c.tag()
}

// unplaced is an error without its position, which is one in a query of the action.
func unplaced(err error) error {
	var e *pgerr.Error
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	out.Position = 0
	return &out
}

// take takes the arguments from a row of their query.
func (c *call) take(b *column.Batch, row int) []*string {
	args := make([]*string, len(c.of.Arguments))
	for i := range args {
		if k := &b.Cols[i]; !k.IsNull(row) {
			text := string(k.Str[row])
			args[i] = &text
		}
	}
	return args
}

// required is an argument that must not be NULL.
func (c *call) required(i int) (string, error) {
	if c.args[i] == nil {
		return "", pgerr.New(pgerr.NullValueNotAllowed, "argument %q of ontosql.%s must not be NULL", c.of.Arguments[i], c.of.Name)
	}
	return *c.args[i], nil
}

// optional is an argument that may be NULL, which means the default.
func (c *call) optional(i int, ifNull string) string {
	if c.args[i] == nil {
		return ifNull
	}
	return *c.args[i]
}

// typeNamed is the type that an argument names: by its table, or as it was registered if it is the
// only type of that name.
func (c *call) typeNamed(i int) (*catalog.Type, error) {
	name, err := c.required(i)
	if err != nil {
		return nil, err
	}
	var found []*catalog.Type
	for _, t := range c.pin.Catalog.Types {
		switch name {
		case t.Table:
			return t, nil
		case t.Ref.Name:
			found = append(found, t)
		}
	}
	switch len(found) {
	case 0:
		return nil, sqlstate.UndefinedTable(name, 0).WithDetail("ontosql.%s takes the name of a type or of its table.", c.of.Name)
	case 1:
		return found[0], nil
	}
	return nil, pgerr.New(pgerr.AmbiguousAlias, "type name %q is ambiguous", name).
		WithDetail("An entity and a relation have it.").
		WithHint("Give the name of a table: %q or %q.", found[0].Table, found[1].Table)
}

package workspace

import (
	"maps"
	"slices"
)

// ConstraintID names a constraint of a table.
type ConstraintID struct{ Schema, Table, Name string }

// Constraints are the deferrable constraints of a transaction: those that have to be checked
// before it commits, and the settings of SET CONSTRAINTS.
type Constraints struct {
	awaited  []ConstraintID
	all      *bool                 // what SET CONSTRAINTS ALL said: whether they are deferred
	deferred map[ConstraintID]bool // what it said of single ones, after that
}

// clone is a copy that does not change with the constraints.
func (c *Constraints) clone() Constraints {
	return Constraints{slices.Clone(c.awaited), c.all, maps.Clone(c.deferred)}
}

// Defers reports whether the transaction checks a constraint later.
func (c *Constraints) Defers(id ConstraintID, d Deferral) bool {
	if d == NotDeferrable {
		return false
	}
	if deferred, said := c.deferred[id]; said {
		return deferred
	}
	if c.all != nil {
		return *c.all
	}
	return d == InitiallyDeferred
}

// SetDeferred is SET CONSTRAINTS of some constraints.
func (c *Constraints) SetDeferred(ids []ConstraintID, deferred bool) {
	if c.deferred == nil {
		c.deferred = map[ConstraintID]bool{}
	}
	for _, id := range ids {
		c.deferred[id] = deferred
	}
}

// SetAllDeferred is SET CONSTRAINTS ALL.
func (c *Constraints) SetAllDeferred(deferred bool) { c.all, c.deferred = &deferred, nil }

// Await records that a constraint has to be checked before the transaction commits.
func (c *Constraints) Await(id ConstraintID) {
	if !slices.Contains(c.awaited, id) {
		c.awaited = append(c.awaited, id)
	}
}

// Awaited are the constraints that have to be checked.
func (c *Constraints) Awaited() []ConstraintID { return slices.Clone(c.awaited) }

// Checked records that a constraint was checked.
func (c *Constraints) Checked(id ConstraintID) {
	c.awaited = slices.DeleteFunc(slices.Clone(c.awaited), func(o ConstraintID) bool { return o == id })
}

// AwaitRows is Await for rows that the transaction has just written: its own check will find out
// whether the referenced rows still exist.
func (t *Session) AwaitRows(id ConstraintID) {
	t.Constraints.Await(id)
	x := t.xacts
	x.mu.Lock()
	defer x.mu.Unlock()
	xid := t.current
	if x.unchecked[xid] == nil {
		x.unchecked[xid] = map[ConstraintID]bool{}
	}
	x.unchecked[xid][id] = true
}

// Checks records that the transaction starts to check its rows for a constraint. From now on a
// transaction that changes the referenced rows has to check these rows itself.
func (t *Session) Checks(id ConstraintID) {
	x := t.xacts
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, xid := range t.ids {
		delete(x.unchecked[xid], id)
	}
}

// Unchecked are the transactions of others that run and will check their rows for a constraint.
func (t *Session) Unchecked(id ConstraintID) (out []XID) {
	x := t.xacts
	x.mu.Lock()
	defer x.mu.Unlock()
	for xid, ids := range x.unchecked {
		if ids[id] && !slices.Contains(t.ids, xid) {
			out = append(out, xid)
		}
	}
	return out
}

// NotMadeBy is the condition that a row of a FROM item was made by none of some transactions.
func NotMadeBy(item string, ids []XID) string {
	if len(ids) == 0 {
		return "true"
	}
	return item + "." + xmin + " NOT IN (" + list(ids) + ")"
}

package schemas

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/pgerr"
)

// client is a session and what the model says that it sees.
type client struct {
	*session
	open  bool
	base  *world // what was committed when the transaction began to look; nil before that
	view  *world // the same with what it did since
	saves []moment

	touched map[string]touch
}

// moment is a savepoint.
type moment struct {
	view    *world
	touched map[string]touch
}

// mark notes what a statement changed.
func (c *client) mark(table string, what touch) {
	if c.touched == nil {
		c.touched = map[string]touch{}
	}
	was := c.touched[table]
	c.touched[table] = touch{was.rows || what.rows, was.schema || what.schema, was.declared || what.declared, was.altered || what.altered}
}

func (c *client) forget() {
	c.open, c.base, c.view, c.saves, c.touched = false, nil, nil, nil, nil
}

// look pins what is committed for the transaction.
func (c *client) look(now *world) {
	if c.base == nil {
		c.base, c.view = now.clone(), now.clone()
	}
}

// seenBy is what a client sees when it looks now.
func (h *history) seenBy(c *client) *world {
	if c.view != nil {
		return c.view
	}
	return h.world
}

// take runs an operation on a client and on the model.
func (h *history) take(c *client, o op) error {
	switch {
	case o.What == foreign:
		return h.theirs(o)
	case o.What >= block && !c.open:
		c.open = true
		return c.run("BEGIN", "")
	case o.What >= block:
		return h.control(c, o)
	}
	s := stepOf(h.seenBy(c), o)
	if s == nil {
		return nil
	}
	c.look(h.world)
	if err := c.run(s.sql, s.state); err != nil {
		return err
	}
	if s.state != "" {
		if c.open {
			if err := c.run("ROLLBACK", ""); err != nil {
				return err
			}
		}
		c.forget()
		return nil
	}
	s.apply(c.view, c.mark)
	if c.open {
		return nil
	}
	defer c.forget()
	return h.land(c)
}

// theirs lets the original write a row of an entity type, with nothing but its key.
func (h *history) theirs(o op) error {
	names := h.world.names(false)
	if len(names) == 0 {
		return nil
	}
	name, key := names[o.A%len(names)], fmt.Sprint("t", o.N%4)
	t := h.world.tables[name]
	if h.disk == nil || slices.ContainsFunc(t.columns, func(c modelColumn) bool { return c.notNull }) {
		return nil
	}
	w := &original.Writer{Bucket: h.disk, Owner: "original"}
	_, err := w.Commit(context.Background(), func(*format.Head) ([]original.Data, error) {
		row := format.Row{Key: key, Fields: fmt.Appendf(nil, `{"id":%q}`, key)}
		return []original.Data{{Type: ontosql.TypeRef{Kind: ontosql.Entity, Name: name}, Rows: []format.Row{row}}}, nil
	})
	if err != nil {
		return err
	}
	h.world.head++
	t.put(key, fields{})
	t.settle(h.world.head)
	return nil
}

// run runs the statements of a step; the last one ends with state.
func (c *client) run(sql, state string) error {
	statements := strings.Split(sql, "; ")
	for i, one := range statements {
		_, err := c.ask(one)
		want := ""
		if i == len(statements)-1 {
			want = state
		}
		if got := stateOf(err); got != want {
			return fmt.Errorf("%s: want SQLSTATE %q: %w", one, want, err)
		}
	}
	return nil
}

// control is an operation on the transaction that is open.
func (h *history) control(c *client, o op) error {
	switch o.N % 8 {
	case 0:
		defer c.forget()
		return c.run("ROLLBACK", "")
	case 1, 2:
		c.look(h.world) // else there is nothing to go back to
		if err := c.run("SELECT 1 FROM ontosql.types", ""); err != nil {
			return err
		}
		c.saves = append(c.saves, moment{c.view.clone(), maps.Clone(c.touched)})
		return c.run(fmt.Sprint("SAVEPOINT s", len(c.saves)), "")
	case 3, 4:
		if len(c.saves) == 0 {
			return nil
		}
		at := o.A % len(c.saves)
		c.view, c.touched = c.saves[at].view.clone(), maps.Clone(c.saves[at].touched)
		c.saves = c.saves[:at+1]
		return c.run(fmt.Sprint("ROLLBACK TO s", at+1), "")
	}
	return h.commit(c)
}

// overtaken are the SQLSTATEs of a commit before which another one came: by it the
// table is changed, there, not there, or linked.
var overtaken = []string{pgerr.SerializationFailure, pgerr.DuplicateTable, pgerr.UndefinedTable, pgerr.DependentObjectsStillExist}

// commit commits a transaction, which is refused where another one came first.
func (h *history) commit(c *client) error {
	defer c.forget()
	must, may := h.conflicts(c)
	if !c.makes() {
		must = false // there is nothing that could be refused
	}
	_, err := c.ask("COMMIT")
	switch state := stateOf(err); {
	case may && slices.Contains(overtaken, state):
		return nil
	case state != "":
		return fmt.Errorf("COMMIT of what changed %s: %w", c.changes(), err)
	case must:
		return fmt.Errorf("COMMIT of what changed %s: done, although another transaction changed it first", c.changes())
	}
	return h.land(c)
}

func (c *client) changes() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(c.touched)) {
		all = append(all, fmt.Sprintf("%s %+v", name, c.touched[name]))
	}
	return strings.Join(all, ", ")
}

// conflicts reports whether a commit must be refused and whether it may be, for
// what others committed since the transaction began to look.
func (h *history) conflicts(c *client) (must, may bool) {
	for name, what := range c.touched {
		then, now, next := c.base.tables[name], h.world.tables[name], c.view.tables[name]
		same := then != nil && now != nil && then.born == now.born
		if next != nil && next.left != "" && what.schema {
			for _, end := range []string{next.left, next.right} {
				if c.view.tables[end].born != staged && h.world.tables[end] == nil {
					must = true
				}
			}
		}
		if then == nil && now == nil {
			continue
		}
		changed := !same || now.schema != then.schema || now.declared > c.base.head || now.lastRow() > c.base.head
		may = may || changed
		if next == nil && now != nil { // dropped
			for r, t := range h.world.tables {
				if t.left == name || t.right == name {
					_, dropped := c.touched[r]
					must = must || !dropped
				}
			}
		}
		switch {
		case then == nil:
			must = must || next != nil // two of one name
		case what.schema && next == nil:
			must = must || now == nil || now.lastRow() > c.base.head
		case what.schema:
			must = must || !same || now.schema != then.schema || now.lastRow() > c.base.head
		case !same || what.rows && now.schema != then.schema:
			must = true
		case what.rows:
			for key, versions := range next.rows {
				other := now.rows[key]
				must = must || versions[len(versions)-1].commit == staged && len(other) > 0 && other[len(other)-1].commit > c.base.head
			}
		}
	}
	return must, may || must
}

// makes reports whether a client's changes come to a commit: a row, or a table that is
// described otherwise than before.
func (c *client) makes() (made bool) {
	for name, what := range c.touched {
		next := c.view.tables[name]
		if next != nil && !what.altered && !what.schema {
			next.withoutSame()
		}
		made = made || next != nil && next.settle(0) || !next.described(c.base.tables[name])
	}
	return made
}

// described reports whether a table is described as it was.
func (t *modelTable) described(was *modelTable) bool {
	if t == nil || was == nil {
		return t == was
	}
	return t.born == was.born && t.schema == was.schema && t.comment == was.comment && slices.Equal(t.columns, was.columns)
}

// land makes a commit of what a client changed.
func (h *history) land(c *client) error {
	if !c.makes() {
		return nil
	}
	id := h.world.head + 1
	for name, what := range c.touched {
		next, now := c.view.tables[name], h.world.tables[name]
		switch {
		case next == nil:
			delete(h.world.tables, name)
			continue
		case what.schema || now == nil:
			h.world.tables[name] = next
		default:
			for key, versions := range next.rows {
				if last := versions[len(versions)-1]; last.commit == staged {
					now.rows[key] = append(slices.Clip(now.rows[key]), last)
				}
			}
			if what.declared {
				now.declared, now.comment = staged, next.comment
				now.columns = slices.Clone(next.columns)
			}
		}
		h.world.tables[name].settle(id)
	}
	h.world.head = id
	return nil
}

// withoutSame takes out what is staged of rows and is what is stored of them.
func (t *modelTable) withoutSame() {
	for key, versions := range t.rows {
		n := len(versions)
		if n > 1 && versions[n-1].commit == staged && maps.EqualFunc(versions[n-1].fields, versions[n-2].fields, same) {
			t.rows[key] = versions[:n-1]
		}
	}
}

// settle gives what is staged its commit, and reports whether there was any row;
// 0 only asks.
func (t *modelTable) settle(id int) (rows bool) {
	for key, versions := range t.rows {
		last := len(versions) - 1
		if versions[last].commit != staged {
			continue
		}
		if rows = true; id > 0 {
			versions = slices.Clone(versions)
			versions[last].commit = id
			t.rows[key] = versions
		}
	}
	for _, at := range []*int{&t.born, &t.declared} {
		if id > 0 && *at == staged {
			*at = id
		}
	}
	return rows
}

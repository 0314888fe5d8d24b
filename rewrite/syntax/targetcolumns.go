package syntax

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
)

// TargetColumns are the columns of its target that a write names, for the privileges that it needs
// (PostgreSQL manual, INSERT, UPDATE, DELETE and MERGE). A list may name columns that the target does
// not have: those of other relations of the statement.
type TargetColumns struct {
	Inserts, Updates, Deletes bool // what the statement may do with rows
	Inserted, Updated         ColumnNames
	Read                      ColumnNames // in conditions, values and RETURNING
	Reads                     bool        // it reads the target, perhaps without naming a column
	// Name is how expressions call the target. Where Read has it and the target has no such column, it
	// is the whole row.
	Name string
}

// ColumnNames are names of columns, or all of them.
type ColumnNames struct {
	All   bool
	Names []string
}

func (c *ColumnNames) add(name string) {
	if !slices.Contains(c.Names, name) {
		c.Names = append(c.Names, name)
	}
}

// TargetColumns finds the columns of the target of an INSERT, UPDATE, DELETE or MERGE.
func (st *Statement) TargetColumns() TargetColumns {
	t := TargetColumns{Name: st.targetName()}
	switch n := st.Node.Node.(type) {
	case *pg.Node_InsertStmt:
		t.insert(n.InsertStmt)
	case *pg.Node_UpdateStmt:
		t.Updates = true
		t.Updated = assigned(n.UpdateStmt.TargetList)
		t.reads(n.UpdateStmt.TargetList...)
		t.reads(n.UpdateStmt.FromClause...)
		t.reads(n.UpdateStmt.WhereClause)
		t.reads(n.UpdateStmt.ReturningList...)
	case *pg.Node_DeleteStmt:
		t.Deletes = true
		t.reads(n.DeleteStmt.UsingClause...)
		t.reads(n.DeleteStmt.WhereClause)
		t.reads(n.DeleteStmt.ReturningList...)
	case *pg.Node_MergeStmt:
		t.reads(n.MergeStmt.JoinCondition)
		t.Reads = true
		for _, when := range n.MergeStmt.MergeWhenClauses {
			t.when(when.GetMergeWhenClause())
		}
	}
	return t
}

// targetName is the alias of the target, or its name.
func (st *Statement) targetName() string {
	var of *pg.RangeVar
	switch n := st.Node.Node.(type) {
	case *pg.Node_InsertStmt:
		of = n.InsertStmt.Relation
	case *pg.Node_UpdateStmt:
		of = n.UpdateStmt.Relation
	case *pg.Node_DeleteStmt:
		of = n.DeleteStmt.Relation
	case *pg.Node_MergeStmt:
		of = n.MergeStmt.Relation
	}
	if alias := of.GetAlias().GetAliasname(); alias != "" {
		return alias
	}
	return of.GetRelname()
}

func (t *TargetColumns) insert(n *pg.InsertStmt) {
	t.Inserts = true
	t.Inserted = insertedColumns(n.Cols, n.SelectStmt == nil)
	t.reads(n.ReturningList...)
	c := n.OnConflictClause
	if c == nil {
		return
	}
	for _, of := range c.GetInfer().GetIndexElems() {
		if name := of.GetIndexElem().GetName(); name != "" {
			t.Reads = true
			t.Read.add(name)
		} else {
			t.reads(of)
		}
	}
	if c.Action == pg.OnConflictAction_ONCONFLICT_UPDATE {
		t.Updates = true
		t.Updated = assigned(c.TargetList)
		t.reads(c.TargetList...)
		t.reads(c.WhereClause)
	}
}

func (t *TargetColumns) when(w *pg.MergeWhenClause) {
	t.reads(w.Condition)
	switch w.CommandType {
	case pg.CmdType_CMD_INSERT:
		t.Inserts = true
		columns := insertedColumns(w.TargetList, len(w.Values) == 0)
		t.Inserted.All = t.Inserted.All || columns.All
		for _, name := range columns.Names {
			t.Inserted.add(name)
		}
	case pg.CmdType_CMD_UPDATE:
		t.Updates = true
		for _, name := range assigned(w.TargetList).Names {
			t.Updated.add(name)
		}
		t.reads(w.TargetList...)
	case pg.CmdType_CMD_DELETE:
		t.Deletes = true
	}
}

// insertedColumns are those of the list of an INSERT. Without a list they are all, with DEFAULT VALUES none.
func insertedColumns(list []*pg.Node, defaults bool) ColumnNames {
	if len(list) == 0 {
		return ColumnNames{All: !defaults}
	}
	return assigned(list)
}

// assigned are the columns of SET, or of a list of columns.
func assigned(list []*pg.Node) (c ColumnNames) {
	for _, n := range list {
		c.add(n.GetResTarget().GetName())
	}
	return c
}

// reads adds the columns that expressions name. A name with the name of another relation before it, such as
// EXCLUDED, is not the target's.
func (t *TargetColumns) reads(list ...*pg.Node) {
	for _, n := range list {
		if n == nil {
			continue
		}
		Visit(proto.Message(n).ProtoReflect(), func(of any) bool {
			ref, ok := of.(*pg.ColumnRef)
			if !ok {
				return true
			}
			t.read(ref)
			return true
		})
	}
}

func (t *TargetColumns) read(ref *pg.ColumnRef) {
	last := len(ref.Fields) - 1
	if last > 0 && ref.Fields[last-1].GetString_().GetSval() != t.Name {
		return
	}
	t.Reads = true
	if ref.Fields[last].GetAStar() != nil {
		t.Read.All = true
		return
	}
	t.Read.add(ref.Fields[last].GetString_().GetSval())
}

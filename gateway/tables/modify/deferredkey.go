package modify

import (
	"context"
	"errors"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/workspace"
)

// checkKey is checkUnique of a constraint that may be deferred: then a duplicate, or a row that
// may become one, is only noted, as PostgreSQL does (UNIQUE_CHECK_PARTIAL). Of two transactions
// that write a key the second notes it, so one of them finds it in the end.
func (c *Changes) checkKey(ctx context.Context, k *workspace.Key, rows string, several, whole bool) error {
	err := c.checkUnique(ctx, k, rows, several)
	t := c.Write.Table
	id := workspace.ConstraintID{Schema: t.Schema, Table: t.Name, Name: k.Name}
	if err == nil || k.Deferral == workspace.NotDeferrable || !c.defers(id, k.Deferral, whole) {
		return err
	}
	var met *conflict
	var e *pgerr.Error
	if !errors.As(err, &met) && (!errors.As(err, &e) || e.Code != pgerr.UniqueViolation) {
		return err
	}
	c.Session.Tables.Constraints.Await(id)
	return nil
}

// checkUniqueRows checks that the rows that the transaction has written have keys that no other
// row has. A row that another running transaction has made or ended is a conflict.
func checkUniqueRows(ctx context.Context, s *session.Session, conn *duckdb.Conn, t *workspace.Table, k *workspace.Key) error {
	now := s.Tables.Newest()
	query := func(rows string) (string, error) {
		return keyQuery(s, t, k, keyRows{values: heapValues(t), from: "(" + rows + ") AS r", kept: append(workspace.Times(""), "row")})
	}
	news, err := query(t.Heap.MadeRows(s.Tables.IDs()))
	if err != nil {
		return err
	}
	olds, err := query(t.Heap.LatestRows(now))
	if err != nil {
		return err
	}
	found, text, made, ended := false, "", workspace.XID(0), workspace.XID(0)
	same := workspace.Equal(keyNames("new.", len(k.Parts)), keyNames("old.", len(k.Parts)))
	err = conn.Each(ctx, "SELECT new.shown, old.m0, old.m1 FROM ("+news+") AS new JOIN ("+olds+") AS old ON "+same+" AND new.m2 <> old.m2 ORDER BY new.m2 LIMIT 1", nil, func(b *column.Batch, i int) {
		found, text, made, ended = true, string(b.Cols[0].Str[i]), workspace.XID(b.Cols[1].I64[i]), workspace.XID(b.Cols[2].I64[i])
	})
	if err != nil || !found {
		return err
	}
	if err := inDoubt(&now, made, ended); err != nil {
		return err
	}
	return alreadyExists(t, k, text)
}

// checkArbiters is the error of a row that ON CONFLICT compares with a constraint that is
// deferrable. A row that is in conflict with an earlier constraint is not compared.
func (c *Changes) checkArbiters(ctx context.Context) error {
	name := c.Write.Scoped.DeferrableArbiter
	if name == "" {
		return nil
	}
	compared, err := c.exists(ctx, "SELECT 1 FROM "+c.Name+" WHERE "+c.is(dml.Inserts))
	if err != nil || !compared {
		return err
	}
	t := c.Write.Table
	return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters").
		WithConstraint(t.Schema, t.Name, name)
}

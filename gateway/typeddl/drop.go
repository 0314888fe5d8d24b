package typeddl

import (
	"context"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// DropObjects executes DROP.
func DropObjects(ctx context.Context, s Session, st *syntax.Statement) error {
	drops, err := ddlstmt.ParseDrops(st)
	if err != nil {
		return err
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	if drops.Object == "table" {
		return dropTables(ctx, s, pin, drops)
	}
	for i := range drops.Names {
		if err := dropOther(s, pin, st, drops, i); err != nil {
			return err
		}
	}
	return nil
}

// dropTables executes DROP TABLE.
func dropTables(ctx context.Context, s Session, pin *resolver.Pin, drops *ddlstmt.Drops) error {
	var types []*catalog.Type
	for _, ref := range drops.Names {
		t, err := changeable(s, pin, ref)
		if sqlstate.IsUndefinedTable(err) {
			err = pgerr.New(pgerr.UndefinedTable, "table %q does not exist", ref.Name)
		}
		if e := absence(err); drops.IfExists && e != nil {
			s.Notice(sqlstate.Notice("%s, skipping", e.Message))
			continue
		}
		if err != nil {
			return err
		}
		types = append(types, t)
	}
	return dropTypes(ctx, s, pin, types, drops.Cascade)
}

// dropTypes drops types. Those that have rows need ontosql.purge_history.
func dropTypes(ctx context.Context, s Session, pin *resolver.Pin, types []*catalog.Type, cascade bool) error {
	types, err := dependents(s, pin, types, cascade)
	if err != nil {
		return err
	}
	purge := s.PurgeHistory()
	for _, t := range types {
		if !purge && s.HasRows(pin, t) {
			return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cannot drop table %q because it has rows", t.Table).
				WithDetail("Its history would not be shown any more.").
				WithHint("SET %s = on to drop it all the same.", settings.PurgeHistory)
		}
	}
	for _, t := range types {
		if err := s.Drop(ctx, t, purge); err != nil {
			return err
		}
	}
	return nil
}

// dependents adds the relation types that link dropped entity types, before them. Without
// CASCADE they are an error (PostgreSQL manual, 5.14).
func dependents(s Session, pin *resolver.Pin, types []*catalog.Type, cascade bool) ([]*catalog.Type, error) {
	dropped := map[ontosql.TypeRef]bool{}
	for _, t := range types {
		dropped[t.Ref] = true
	}
	var relations, entities []*catalog.Type
	for _, t := range types {
		if t.Ref.Kind == ontosql.Relation {
			relations = append(relations, t)
			continue
		}
		entities = append(entities, t)
		var detail []string
		for _, r := range pin.Catalog.Types {
			if r.Ref.Kind != ontosql.Relation || r.Left != t.Ref.Name && r.Right != t.Ref.Name || dropped[r.Ref] {
				continue
			}
			for i, end := range []string{r.Left, r.Right} {
				if end == t.Ref.Name {
					detail = append(detail, fmt.Sprintf("constraint %s_%s_fkey on table %s depends on table %s", r.Table, endpoints[i], r.Table, t.Table))
				}
			}
			if cascade {
				relations, dropped[r.Ref] = append(relations, r), true
				s.Notice(sqlstate.Notice("drop cascades to table %s", r.Table))
			}
		}
		if len(detail) > 0 && !cascade {
			return nil, pgerr.New(pgerr.DependentObjectsStillExist, "cannot drop table %s because other objects depend on it", t.Table).
				WithDetail("%s", strings.Join(detail, "\n")).
				WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
		}
	}
	return append(relations, entities...), nil
}

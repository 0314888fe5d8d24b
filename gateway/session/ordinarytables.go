package session

import (
	"fmt"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/workspace"
)

// HasTables reports whether pg_catalog shows the session ordinary tables, or schemas of them.
func (s *Session) HasTables() bool {
	return len(s.Tables.Objects.All())+len(s.Tables.Objects.Views())+len(s.Tables.Objects.Sequences()) > 0 || len(s.Tables.Shared().Schemas()) > 0
}

// KeepsSnapshot reports whether all statements of the transaction see the same rows of others:
// it is REPEATABLE READ or SERIALIZABLE.
func (s *Session) KeepsSnapshot() bool {
	level := s.Mode("isolation")
	return level == "repeatable read" || level == "serializable"
}

// ordinaryTables are the ordinary tables as pg_catalog shows them to the session.
func (s *Session) ordinaryTables() database.OrdinaryTables {
	out := database.OrdinaryTables{Version: fmt.Sprint(s.Tables.StoreVersion())}
	shared := s.Tables.Shared()
	out.Defaults = catalogDefaults(shared.Defaults(""))
	for _, name := range shared.Schemas() {
		d := shared.Schema(name)
		out.Schemas = append(out.Schemas, pgcatalog.TableSchema{Name: name, Comment: d.Comment, Owner: d.Owner, Grants: d.Grants, Defaults: catalogDefaults(d.Defaults), Tables: s.catalogTables(shared.In(name)), Views: s.catalogViews(name), Sequences: catalogSequences(shared, name)})
	}
	if temp := s.Tables.Objects.All(); len(temp)+len(s.Tables.Objects.Views())+len(s.Tables.Objects.Sequences()) > 0 {
		out.Own = true
		out.Schemas = append(out.Schemas, pgcatalog.TableSchema{Name: fmt.Sprintf("pg_temp_%d", s.Serial), Temporary: true, Tables: s.catalogTables(temp), Views: s.catalogViews(workspace.TempSchema), Sequences: catalogSequences(s.Tables.Objects, workspace.TempSchema)})
	}
	if out.Own = out.Own || s.Tables.Edited(); out.Own {
		out.Version += fmt.Sprintf(" %d %d", s.Serial, s.Tables.Version)
	}
	return out
}

// catalogTables are tables as pg_catalog shows them.
func (s *Session) catalogTables(tables []*workspace.Table) (out []pgcatalog.Table) {
	for _, t := range tables {
		c := pgcatalog.Table{Name: t.Name, Comment: t.Comment, Options: t.Options, Owner: t.Owner, Grants: t.Grants, Columns: make([]pgcatalog.TableColumn, t.NextNumber()-1)}
		for _, k := range t.Columns {
			c.Columns[k.Number-1] = pgcatalog.TableColumn{
				Name: k.Name, Type: k.Type.OID, Typmod: k.Type.Typmod, NotNull: k.NotNull, Default: k.Default, Comment: k.Comment,
			}
			if k.Identity != 0 {
				c.Columns[k.Number-1].Default, c.Columns[k.Number-1].Identity = "", string(k.Identity)
			}
			if k.Generated != nil {
				c.Columns[k.Number-1].Generated, c.Columns[k.Number-1].Default, c.Columns[k.Number-1].Reads = true, k.Generated.Text, numbers(k.Generated.Columns)
			}
		}
		for _, k := range t.Dropped {
			c.Columns[k.Number-1] = pgcatalog.TableColumn{Type: k.Type.OID, Typmod: k.Type.Typmod, Dropped: true}
		}
		if t.Key != nil {
			key := catalogKey(*t.Key)
			c.Key = &key
		}
		for _, u := range t.Uniques {
			c.Uniques = append(c.Uniques, catalogKey(u))
		}
		for _, k := range t.Checks {
			c.Checks = append(c.Checks, pgcatalog.TableCheck{Name: k.Name, Text: k.Text, Columns: numbers(k.Columns), NotValid: k.NotValid, Comment: k.Comment})
		}
		if t.View != nil {
			v := s.catalogView(t.View, t.ColumnNames())
			c.Query, c.Unpopulated = &v, t.Unpopulated
		}
		for i := range t.ForeignKeys {
			c.Foreign = append(c.Foreign, catalogForeignKey(&t.ForeignKeys[i]))
		}
		for i := range t.Indexes {
			c.Indexes = append(c.Indexes, catalogIndex(&t.Indexes[i]))
		}
		out = append(out, c)
	}
	return out
}

// catalogDefaults are default privileges as pg_catalog shows them.
func catalogDefaults(defaults []workspace.DefaultGrants) (out []pgcatalog.DefaultGrants) {
	for _, d := range defaults {
		out = append(out, pgcatalog.DefaultGrants{Role: d.Role, Kind: d.Kind, Grants: d.Grants})
	}
	return out
}

// catalogKey is a constraint as pg_catalog shows it.
func catalogKey(u workspace.Unique) pgcatalog.TableKey {
	return pgcatalog.TableKey{Name: u.Name, Columns: numbers(u.Columns), Timing: catalogTiming(u.Deferral), Comment: u.Comment, IndexComment: u.IndexComment, Options: u.Storage}
}

// catalogTiming is when a constraint is checked, as pg_catalog shows it.
func catalogTiming(d workspace.Deferral) pgcatalog.Timing {
	return pgcatalog.Timing{Deferrable: d != workspace.NotDeferrable, Deferred: d == workspace.InitiallyDeferred}
}

// catalogSequences are the sequences of a schema as pg_catalog shows them.
func catalogSequences(o *workspace.Objects, schema string) (out []pgcatalog.TableSequence) {
	for _, q := range o.Sequences() {
		if q.Schema != schema {
			continue
		}
		out = append(out, pgcatalog.TableSequence{
			Name: q.Name, Type: q.Type, Start: q.Start, Increment: q.Increment, Max: q.Max, Min: q.Min, Cache: q.Cache, Cycle: q.Cycle, Comment: q.Comment, Owner: q.Role, Grants: q.Grants,
			Table: q.Owner.Table, Column: int16(q.Owner.Column), Identity: q.Owner.Identity,
		})
	}
	return out
}

// catalogIndex is an index as pg_catalog shows it.
func catalogIndex(x *workspace.Index) pgcatalog.TableIndex {
	out := pgcatalog.TableIndex{
		Name: x.Name, Unique: x.Unique, Method: x.Method, Include: numbers(x.Include), Where: x.Where, Options: x.Storage, Comment: x.Comment,
		WhereColumns: numbers(x.WhereColumns),
	}
	for _, k := range x.Keys {
		out.Keys = append(out.Keys, pgcatalog.TableIndexKey{
			Column: int16(k.Column), Text: k.Text, Columns: numbers(k.Columns), Type: k.Type.OID, Label: k.Label, Call: k.Call,
			Collation: k.Collation, Class: k.Class, Desc: k.Desc, First: k.First,
		})
	}
	return out
}

// numbers are the numbers of columns as pg_catalog has them.
func numbers(of []int) []int16 {
	var out []int16
	for _, n := range of {
		out = append(out, int16(n))
	}
	return out
}

// catalogForeignKey is a foreign key as pg_catalog shows it.
func catalogForeignKey(k *workspace.ForeignKey) pgcatalog.TableForeignKey {
	return pgcatalog.TableForeignKey{
		Name: k.Name, Columns: numbers(k.Columns), Schema: k.Schema, Table: k.Table, References: numbers(k.References), Key: k.Key,
		OnUpdate: string(k.OnUpdate), OnDelete: string(k.OnDelete), Full: k.Full, SetColumns: numbers(k.SetColumns),
		Timing: catalogTiming(k.Deferral), NotValid: k.NotValid, Comment: k.Comment,
	}
}

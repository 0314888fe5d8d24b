package typeddl

import (
	"context"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// Grant executes GRANT and REVOKE on types, their windows and ontosql.events, as one change of the
// schema (decision A89). grantees are names of roles that exist, "" for PUBLIC.
func Grant(ctx context.Context, s Session, def *ddlstmt.Grant, grantees []string) error {
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	if err := def.Check("U"); err != nil {
		return err
	}
	if def.Schemas != nil {
		return onSchemas(s, def)
	}
	if _, all := def.Letters(ddlstmt.OnTable); !all {
		return ddlstmt.NoUsage()
	}
	g := &grant{Grant: def, session: s, grantees: grantees, types: map[ontosql.TypeRef]*redeclared{}}
	starts := !pin.Catalog.RequireGrants && !def.Revoke
	if starts {
		if err := checkDatabaseOwner(s, "make the first grant in the database"); err != nil {
			return err
		}
	}
	if err := g.find(pin); err != nil {
		return err
	}
	for _, w := range g.windows {
		if err := g.apply(pin, w); err != nil {
			return err
		}
	}
	if g.onEvents {
		if err := g.applyToEvents(pin); err != nil {
			return err
		}
	}
	if starts {
		s.Notice(grantsRequired())
	}
	if len(g.types) == 0 && !g.onEvents && !starts {
		return nil
	}
	return redeclare(ctx, s, slices.Collect(maps.Values(g.types)), func(state *migration.State) error {
		state.RequireGrants = state.RequireGrants || starts
		if !g.onEvents {
			return nil
		}
		return state.GrantEvents(pin.Catalog.EventGrants, g.events)
	})
}

// grant is a GRANT or REVOKE on types, with what it has changed so far.
type grant struct {
	*ddlstmt.Grant
	session  Session
	grantees []string
	windows  []window
	onEvents bool
	events   acl.Grants // on the event bus, after the statement
	types    map[ontosql.TypeRef]*redeclared
}

// window is a type, as it is seen through a schema.
type window struct {
	*catalog.Type
	schema string
}

// find finds the types that the statement names.
func (g *grant) find(pin *resolver.Pin) error {
	for _, ref := range g.Refs {
		r, err := g.session.Named(pin, ref)
		switch {
		case err != nil:
			return err
		case r.Type == nil:
			ours, err := namesEvents(r)
			if err != nil {
				return err
			}
			if ours {
				g.onEvents = true
				continue
			}
			return pgerr.Unsupported("privileges on %q are not supported yet", r.Schema+"."+r.Name)
		}
		g.windows = append(g.windows, window{r.Type, r.Schema})
	}
	for _, schema := range g.All {
		if g.On == ddlstmt.OnSequence {
			continue // the ontology has none
		}
		if schema == catalog.SchemaOntosql {
			g.onEvents = true
			continue
		}
		for _, t := range pin.Catalog.Types {
			g.windows = append(g.windows, window{t, schema})
		}
	}
	return nil
}

// apply changes the privileges on one window, as far as the role may grant them.
func (g *grant) apply(pin *resolver.Pin, w window) error {
	of := g.types[w.Ref]
	if of == nil {
		of = declarationsOf(g.session, pin, w.Type)
		g.types[w.Ref] = of
	}
	grants := withOwn(of.now.Grants, w)
	who := g.session.Role()
	typ := *w.Type
	typ.Grants = grants
	object := access.OfType(&typ, w.schema)
	wanted, _ := g.Letters(ddlstmt.OnTable)
	columns := g.ColumnLetters()
	for _, of := range columns {
		wanted += of
	}
	grantor, allowed, warning, err := who.Grantor(object, wanted, g.Revoke)
	switch {
	case err != nil:
		return err
	case warning != nil:
		g.session.Notice(warning)
	}
	whole, _ := g.Letters(ddlstmt.OnTable)
	if letters := only(whole, allowed); letters != "" {
		if grants, err = g.change(grants, object, w.schema, "", grantor, letters); err != nil {
			return err
		}
		if g.Revoke {
			if grants, err = g.revokeOnFields(grants, object, w.schema, grantor, letters); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		i := w.ColumnIndex(name)
		if i < 0 {
			return pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", name, w.Table)
		}
		if letters := only(columns[name], allowed); letters != "" {
			if grants, err = g.change(grants, object, w.schema, w.Columns[i].Field, grantor, letters); err != nil {
				return err
			}
		}
	}
	of.now.Grants = grants
	return nil
}

// withOwn are grants in which a window has privileges of its own, those of the table at first.
func withOwn(grants []format.TypeGrants, w window) []format.TypeGrants {
	grants = slices.Clone(grants)
	if through := catalog.ThroughSchema(grants, w.schema); through != w.schema {
		for _, of := range slices.Clone(grants) {
			if of.Schema == through {
				of.Schema = w.schema
				grants = append(grants, of)
			}
		}
	}
	whole := func(of format.TypeGrants) bool { return of.Schema == w.schema && of.Field == "" }
	if !slices.ContainsFunc(grants, whole) {
		grants = append(grants, format.TypeGrants{Schema: w.schema, Grants: access.OwnGrants(w.Owner, access.TableLetters)})
	}
	return grants
}

// revokeOnFields takes privileges on fields back with those on the whole window, and those that were granted by
// roles that may not grant any more.
func (g *grant) revokeOnFields(all []format.TypeGrants, o access.Object, schema, grantor, letters string) (_ []format.TypeGrants, err error) {
	whole := slices.IndexFunc(all, func(of format.TypeGrants) bool { return of.Schema == schema && of.Field == "" })
	after := all[whole].Grants
	for _, of := range slices.Clone(all) {
		if of.Schema != schema || of.Field == "" {
			continue
		}
		if all, err = g.change(all, o, schema, of.Field, grantor, letters); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(now format.TypeGrants) bool { return now.Schema == schema && now.Field == of.Field })
		if i < 0 {
			continue
		}
		lost := all[i].Grants.Dependent(o.Grants, after)
		if len(lost) > 0 && !g.Cascade {
			return nil, access.Dependent()
		}
		if all[i].Grants = all[i].Grants.Except(lost); len(all[i].Grants) == 0 {
			all = slices.Delete(all, i, i+1)
		}
	}
	return all, nil
}

// change grants or revokes privileges on a whole window or one field of it.
func (g *grant) change(all []format.TypeGrants, o access.Object, schema, field, grantor, letters string) ([]format.TypeGrants, error) {
	i := slices.IndexFunc(all, func(of format.TypeGrants) bool { return of.Schema == schema && of.Field == field })
	if i < 0 {
		if g.Revoke && field != "" {
			return all, nil
		}
		i = len(all)
		all = append(all, format.TypeGrants{Schema: schema, Field: field})
	}
	grants, err := g.changed(o, all[i].Grants, grantor, letters)
	if err != nil {
		return nil, err
	}
	if all[i].Grants = grants; field != "" && len(grants) == 0 {
		return slices.Delete(all, i, i+1), nil
	}
	return all, nil
}

// changed are grants on an object after the statement granted or revoked privileges on it.
func (g *grant) changed(o access.Object, grants acl.Grants, grantor, letters string) (acl.Grants, error) {
	if g.Revoke {
		return g.session.Role().Revoke(o, grants, grantor, g.grantees, letters, g.Option, g.Cascade)
	}
	for _, name := range g.grantees {
		grants = grants.Granted(grantor, name, letters, g.Option)
	}
	return grants, nil
}

// only are the letters that are among others.
func only(letters, others string) (out string) {
	for _, l := range letters {
		if acl.Has(others, string(l)) {
			out += string(l)
		}
	}
	return out
}

// onSchemas answers GRANT and REVOKE on schemas of the ontology: every role may use them, and only owners of
// the database create types.
func onSchemas(s Session, def *ddlstmt.Grant) error {
	letters, _ := def.Letters(ddlstmt.OnSchema)
	if def.Revoke || letters != acl.Usage {
		return sqlstate.NotSupportedYet("changing privileges on schemas of the ontology").
			WithDetail("Every role may use them, and only owners of the database may create tables in public.")
	}
	for _, name := range def.Schemas {
		s.Notice(sqlstate.Notice("every role may use schema %q already", name))
	}
	return nil
}

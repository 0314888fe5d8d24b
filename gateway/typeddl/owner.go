package typeddl

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// giveTable executes ALTER TABLE OWNER TO.
func giveTable(ctx context.Context, s Session, st *syntax.Statement, to []ddlstmt.Role) error {
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	ref := *st.Target
	ref.Position = 0
	t, err := changeable(s, pin, ref)
	switch {
	case absence(err) != nil:
		return missingTable(s, ref, ddlstmt.IfExists(st), err)
	case err != nil:
		return err
	}
	if kind := ddlstmt.Altered(st); kind != "" {
		return pgerr.New(pgerr.WrongObjectType, "%q is not %s", t.Table, withArticle(kind))
	}
	o := access.OfType(t, catalog.SchemaPublic)
	var owners []string
	for _, r := range to {
		owner, err := s.RoleName(r)
		if err != nil {
			return err
		}
		given, notice, err := s.Role().Give(o, owner, access.Public)
		switch {
		case err != nil:
			return err
		case notice != nil:
			s.Notice(notice)
		case given:
			o, owners = o.Given(owner), append(owners, owner)
		}
	}
	return redeclare(ctx, s, redeclaring(s, pin, []*catalog.Type{t}, func(e *format.Extras) {
		for _, owner := range owners {
			giveType(e, owner)
		}
	}), nil)
}

// giveType changes the owner in what is declared of a type. The privileges of the old owner are the new one's,
// on all windows and columns.
func giveType(e *format.Extras, to string) {
	from := access.Object{Owner: e.Owner}
	for i, g := range e.Grants {
		e.Grants[i].Grants = g.Grants.Given(from.Owned(), to)
	}
	e.Owner = from.Given(to).Owner
}

// redeclared is what is declared of a type, before and after a statement.
type redeclared struct{ was, now format.Extras }

// declarationsOf are those of a type before anything was changed.
func declarationsOf(s Session, pin *resolver.Pin, t *catalog.Type) *redeclared {
	was := Extras(s, pin, t)
	now := was
	now.Grants = slices.Clone(was.Grants)
	return &redeclared{was, now}
}

// redeclaring are the types of which edit changes what is declared.
func redeclaring(s Session, pin *resolver.Pin, types []*catalog.Type, edit func(*format.Extras)) (all []*redeclared) {
	for _, t := range types {
		of := declarationsOf(s, pin, t)
		if edit(&of.now); !format.SameExtras([]format.Extras{of.was}, []format.Extras{of.now}) {
			all = append(all, of)
		}
	}
	return all
}

// redeclare changes what is declared of types, in one change of the schema, with a further step if there is one.
func redeclare(ctx context.Context, s Session, types []*redeclared, further Step) error {
	if types == nil && further == nil {
		return nil
	}
	return s.Change(ctx, func(state *migration.State) error {
		for _, of := range types {
			if err := state.StillDeclared(of.was); err != nil {
				return err
			}
			if err := state.Describe(of.now); err != nil {
				return err
			}
		}
		if further == nil {
			return nil
		}
		return further(state)
	})
}

// Concern reports whether one of the roles owns a type or, with grants, has or has granted privileges on one
// or on the event bus.
func Concern(pin *resolver.Pin, roles []string, grants bool) bool {
	if grants && slices.ContainsFunc(roles, pin.Catalog.EventGrants.Concern) {
		return true
	}
	return slices.ContainsFunc(pin.Catalog.Types, func(t *catalog.Type) bool {
		return slices.Contains(roles, t.Owner) || grants && granted(t, roles)
	})
}

// granted reports whether one of the roles has or has granted privileges on a type.
func granted(t *catalog.Type, roles []string) bool {
	return slices.ContainsFunc(t.Grants, func(of format.TypeGrants) bool { return slices.ContainsFunc(roles, of.Grants.Concern) })
}

// Reassign executes REASSIGN OWNED on types: those of the roles get another owner.
func Reassign(ctx context.Context, s Session, from []string, to string) error {
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	return redeclare(ctx, s, redeclaring(s, pin, ownedBy(pin, from), func(e *format.Extras) { giveType(e, to) }), nil)
}

// DropOwned executes DROP OWNED on types: those of the roles are dropped, and their privileges on others are revoked.
func DropOwned(ctx context.Context, s Session, roles []string, cascade bool) error {
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	if err := dropTypes(ctx, s, pin, ownedBy(pin, roles), cascade); err != nil {
		return err
	}
	if pin, err = s.Pin(ctx); err != nil {
		return err
	}
	var types []*catalog.Type
	revoked := map[ontosql.TypeRef]string{}
	for _, t := range pin.Catalog.Types {
		if !granted(t, roles) {
			continue
		}
		_, letters, warning, err := s.Role().Grantor(access.OfType(t, catalog.SchemaPublic), access.TableLetters, true)
		switch {
		case err != nil:
			return err
		case warning != nil:
			s.Notice(warning)
		}
		types, revoked[t.Ref] = append(types, t), letters
	}
	events, err := dropFromEvents(s, pin, roles)
	if err != nil {
		return err
	}
	return redeclare(ctx, s, redeclaring(s, pin, types, func(e *format.Extras) {
		for _, role := range roles {
			e.Grants = without(e.Grants, role, revoked[e.Ref()])
		}
	}), events)
}

// without are grants on windows and columns without privileges of a role.
func without(grants []format.TypeGrants, role, letters string) (out []format.TypeGrants) {
	for _, of := range grants {
		if of.Grants = of.Grants.Without(role, letters); len(of.Grants) > 0 || of.Field == "" {
			out = append(out, of)
		}
	}
	return out
}

// ownedBy are the types of which one of the roles is the owner.
func ownedBy(pin *resolver.Pin, roles []string) (out []*catalog.Type) {
	for _, t := range pin.Catalog.Types {
		if slices.Contains(roles, t.Owner) {
			out = append(out, t)
		}
	}
	return out
}

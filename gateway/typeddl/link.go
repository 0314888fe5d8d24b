package typeddl

import (
	"cmp"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// endpoints are the names of the first two columns of a relation.
var endpoints = [2]string{"left_key", "right_key"}

// link finds the entity types that the first two columns of a composite key reference, and
// renames these columns to endpoints.
func (d *Table) link() error {
	def := d.Definition
	if len(def.Key) > 3 {
		return compositeKey(def)
	}
	var ends [2]*catalog.Type
	for _, ref := range def.References {
		side := -1
		if len(ref.Columns) == 1 {
			side = slices.IndexFunc(def.Key[:2], func(k ddlstmt.KeyColumn) bool { return k.Name == ref.Columns[0] })
		}
		if side < 0 || ends[side] != nil {
			return pgerr.Unsupported("a foreign key is supported for the first two columns of a composite primary key only").At(ref.Position)
		}
		var err error
		if ends[side], err = d.endpoint(&ref); err != nil {
			return err
		}
	}
	if ends[0] == nil || ends[1] == nil {
		return compositeKey(def)
	}
	d.schema.Left, d.schema.Right = ends[0].Ref.Name, ends[1].Ref.Name
	for i, name := range endpoints {
		if err := d.nameEndpoint(&def.Key[i], name); err != nil {
			return err
		}
	}
	return nil
}

func compositeKey(def *ddlstmt.Definition) error {
	return pgerr.Unsupported("a composite primary key is supported for tables that link two others only").
		WithDetail("Its first two columns REFERENCE the tables of entities; a third, of type text, tells several links of the same two rows apart.").
		At(def.Key[0].Position)
}

// endpoint is the entity type that a foreign key references.
func (d *Table) endpoint(ref *ddlstmt.Reference) (*catalog.Type, error) {
	r, err := d.session.Resolve(d.Pin, ref.Table)
	if err != nil {
		return nil, err
	}
	if !r.isTable() {
		return nil, pgerr.New(pgerr.WrongObjectType, "referenced relation %q is not a table", r.Name)
	}
	if r.Type.Ref.Kind != ontosql.Entity {
		return nil, pgerr.Unsupported("%q links two tables itself and cannot be linked", r.Name).At(ref.Position)
	}
	key := r.Type.Columns[r.Type.Key[0]]
	if ref.TableColumns != nil && !slices.Equal(ref.TableColumns, []string{key.Name}) {
		for _, name := range ref.TableColumns {
			if r.Type.ColumnIndex(name) < 0 {
				return nil, pgerr.New(pgerr.UndefinedColumn, "column %q referenced in foreign key constraint does not exist", name)
			}
		}
		return nil, pgerr.New(pgerr.InvalidForeignKey, "there is no unique constraint matching given keys for referenced table %q", r.Name)
	}
	own := d.Definition.Columns[slices.IndexFunc(d.Definition.Columns, func(c ddlstmt.ColumnDefinition) bool { return c.Name == ref.Columns[0] })]
	field, err := newField(&own)
	if err != nil {
		return nil, err
	}
	of, _ := format.ParseSpelling(field.Type)
	if keyOf, _ := format.ParseSpelling(key.Spelling); of != keyOf {
		return nil, pgerr.New(pgerr.DatatypeMismatch, "foreign key constraint %q cannot be implemented", d.Definition.Table.Name+"_"+own.Name+"_fkey").
			WithDetail("Key columns %q and %q are of incompatible types.", own.Name, key.Name)
	}
	return r.Type, nil
}

// nameEndpoint renames a column of the key to left_key or right_key.
func (d *Table) nameEndpoint(key *ddlstmt.KeyColumn, name string) error {
	def := d.Definition
	if key.Name == name {
		return nil
	}
	find := func(name string) int {
		return slices.IndexFunc(def.Columns, func(c ddlstmt.ColumnDefinition) bool { return c.Name == name })
	}
	if other := find(name); other >= 0 {
		return pgerr.New(pgerr.DuplicateColumn, "column %q of a relation is the one that links it", name).At(def.Columns[other].Position)
	}
	d.session.Notice(sqlstate.Notice("column %q of relation %q is named %q", key.Name, def.Table.Name, name))
	def.Columns[find(key.Name)].Name, key.Name = name, name
	return nil
}

// like adds the columns of LIKE clauses.
func (d *Table) like() error {
	def := d.Definition
	if len(def.Likes) == 0 {
		return nil
	}
	d.comments = map[string]string{}
	sources := make([]ddlstmt.LikeSource, len(def.Likes))
	for i, like := range def.Likes {
		r, err := d.session.Resolve(d.Pin, like.Table)
		if err != nil {
			return err
		}
		if !r.isTable() {
			return pgerr.Unsupported("LIKE is supported for tables only").At(like.Table.Position)
		}
		for k, c := range r.Type.Columns {
			declared, err := ddlstmt.DeclareType(c.Name, pgcatalog.TypeOID(c.Type), cmp.Or(c.Typmod, -1))
			if err != nil {
				return err
			}
			sources[i].Columns = append(sources[i].Columns, ddlstmt.ColumnDefinition{Name: c.Name, Type: declared, NotNull: c.NotNull, Default: c.Default})
			if slices.Contains(r.Type.Key, k) {
				sources[i].Key = append(sources[i].Key, c.Name)
			}
			if like.Comments && c.Comment != "" {
				d.comments[c.Name] = c.Comment
			}
		}
	}
	return def.Include(sources)
}

package typeddl

import (
	"context"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// CreateTable executes CREATE TABLE.
func CreateTable(ctx context.Context, s Session, st *syntax.Statement) error {
	d, exists, err := NewTable(ctx, s, st)
	if exists || err != nil {
		return err
	}
	def := d.Definition
	for _, c := range def.Named {
		s.Notice(sqlstate.Notice("constraint %q of relation %q is named %q", c.Given, def.Table.Name, c.Name))
	}
	if err := d.like(); err != nil {
		return err
	}
	return d.Create(ctx)
}

// Table is a table that a statement creates.
type Table struct {
	session    Session
	Pin        *resolver.Pin
	Definition *ddlstmt.Definition
	comments   map[string]string // by column, from INCLUDING COMMENTS
	schema     format.Schema
	extras     format.Extras
}

// NewTable is the table of CREATE TABLE or CREATE TABLE AS. exists is true for IF NOT
// EXISTS of a table that exists; there is nothing to do then.
func NewTable(ctx context.Context, s Session, st *syntax.Statement) (d *Table, exists bool, err error) {
	def, err := ddlstmt.ParseDefinition(st, s.Env())
	if err != nil {
		return nil, false, err
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, false, err
	}
	table := def.Table
	if def.Query != nil {
		table.Position = 0 // PostgreSQL gives none
	}
	exists, err = mayCreate(s, pin, table, def.IfNotExists)
	if err == nil && !exists && pin.Catalog.RequireGrants && !s.Role().Owns("") {
		err = access.Object{Kind: "schema", Name: catalog.SchemaPublic}.Denied().At(def.Table.Position)
	}
	return &Table{session: s, Pin: pin, Definition: def}, exists, err
}

// Create adds the type to the schema of the transaction.
func (d *Table) Create(ctx context.Context) error {
	if err := d.declare(); err != nil {
		return err
	}
	if d.Pin.Catalog.RequireGrants {
		d.extras.Owner = d.session.Role().Name
	}
	return d.session.Change(ctx, func(state *migration.State) error { return state.Create(&d.schema, d.extras) })
}

// declare works out the schema. A primary key of one column makes an entity type; one whose
// first two columns reference entity tables makes a relation type.
func (d *Table) declare() error {
	def := d.Definition
	if len(def.Key) == 0 {
		return pgerr.Unsupported("a table without a primary key is not supported").
			WithHint("Every row of an ontology has an identity: declare a PRIMARY KEY.").At(def.Table.Position)
	}
	d.schema.Ref = ontosql.TypeRef{Kind: ontosql.Entity, Name: def.Table.Name}
	if len(def.Key) > 1 {
		d.schema.Ref.Kind = ontosql.Relation
		if err := d.link(); err != nil {
			return err
		}
	} else if len(def.References) > 0 {
		return pgerr.Unsupported("a foreign key is supported for the first two columns of a composite primary key only").
			WithHint("A table that links two others has PRIMARY KEY (left_key, right_key).").At(def.References[0].Position)
	}
	for i := range def.Columns {
		if err := d.column(&def.Columns[i]); err != nil {
			return err
		}
	}
	slices.SortFunc(d.schema.Fields, func(a, b format.SchemaField) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// column declares one column.
func (d *Table) column(c *ddlstmt.ColumnDefinition) error {
	field, err := newField(c)
	if err != nil {
		return err
	}
	extra := newExtra(c, &field)
	extra.Comment = d.comments[c.Name]
	switch d.role(c.Name) {
	case catalog.FromLeftKey, catalog.FromRightKey:
		extra.Type, extra.NotNull = "", false
		d.extras.Columns = append(d.extras.Columns, extra)
		return nil
	case catalog.FromEntityKey:
		if !keyable(c.Type.OID) {
			return pgerr.Unsupported("a primary key of type %s is not supported", c.Type.Name).
				WithHint("Use text, bigint, uuid or date.").At(c.Position)
		}
		field.PrimaryKey = true
	case catalog.FromInstanceKey:
		if of, _ := format.ParseSpelling(field.Type); of != format.FieldStr || c.Default != "" {
			return pgerr.Unsupported("the third column of the primary key of a relation is of type text and has no default").At(c.Position)
		}
		d.schema.InstanceKey = c.Name
	}
	d.schema.Fields = append(d.schema.Fields, field)
	d.extras.Columns = append(d.extras.Columns, extra)
	return nil
}

// role is the role of a column in the primary key, FromField for other columns.
func (d *Table) role(name string) catalog.Role {
	at := slices.IndexFunc(d.Definition.Key, func(k ddlstmt.KeyColumn) bool { return k.Name == name })
	switch {
	case at < 0:
		return catalog.FromField
	case d.schema.Ref.Kind == ontosql.Entity:
		return catalog.FromEntityKey
	}
	return []catalog.Role{catalog.FromLeftKey, catalog.FromRightKey, catalog.FromInstanceKey}[at]
}

// fieldTypes maps the OIDs of SQL types to Python types.
var fieldTypes = map[uint32]format.FieldType{
	25: format.FieldStr, 1043: format.FieldStr, 1042: format.FieldStr,
	20: format.FieldInt, 23: format.FieldInt, 21: format.FieldInt,
	701: format.FieldFloat, 700: format.FieldFloat,
	16:   format.FieldBool,
	1184: format.FieldDatetime, 1082: format.FieldDate,
	1700: format.FieldDecimal, 2950: format.FieldUUID, 17: format.FieldBytes,
	3802: format.FieldJSON, 114: format.FieldJSON,
}

// newField is the field of a column.
func newField(c *ddlstmt.ColumnDefinition) (format.SchemaField, error) {
	of, ok := fieldTypes[c.Type.OID]
	if !ok {
		e := pgerr.Unsupported("a column of type %s is not supported", c.Type.Name).At(c.Position)
		switch {
		case c.Type.OID == 1114:
			e = e.WithHint("Use timestamp with time zone.")
		case strings.HasSuffix(c.Type.Name, "[]"):
			e = e.WithHint("Use jsonb, which holds arrays.")
		default:
			e = e.WithHint("The types are text, bigint, double precision, boolean, numeric, timestamptz, date, uuid, bytea and jsonb.")
		}
		return format.SchemaField{}, e
	}
	return format.NewField(c.Name, of, !c.NotNull), nil
}

// newExtra is what a new column declares besides its field.
func newExtra(c *ddlstmt.ColumnDefinition, field *format.SchemaField) format.ColumnExtras {
	return format.ColumnExtras{
		Field: c.Name, Default: c.Default, Type: declaredType(c.Type), NotNull: c.NotNull && isAny(field), Quoted: catalog.Quoted(c.Name),
	}
}

// declaredType is a type with its length or precision, "" for one without them.
func declaredType(t ddlstmt.DeclaredType) string {
	if t.Typmod < 0 {
		return ""
	}
	switch fieldTypes[t.OID] {
	case format.FieldStr:
		return strings.Replace(t.Name, "character(", "character varying(", 1)
	case format.FieldDecimal:
		return t.Name
	}
	return ""
}

// keyable reports whether a primary key may have a type. The text of a key is its identity
// (decision A18), and SQL and Python write the values of these types in the same way.
func keyable(oid uint32) bool {
	switch fieldTypes[oid] {
	case format.FieldStr, format.FieldInt, format.FieldUUID, format.FieldDate:
		return true
	}
	return false
}

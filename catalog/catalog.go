// Package catalog is the set of types of an ontology as SQL sees them: names,
// columns, keys and schema versions, read from the schema objects of a store.
// It fetches nothing; its callers hand it the decoded objects. pg_catalog is
// its sub-room pgcatalog.
package catalog

import (
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// Catalog is an immutable set of types. A new version of any schema object
// makes a new Catalog.
type Catalog struct {
	// Version changes whenever anything a statement can see of the catalog does;
	// plans are kept by it.
	Version string
	// Types are the existing types, in the order of TypeRef.Compare.
	Types []*Type
	// RequireGrants says that roles may do what they were granted. Without it every role may read and
	// write all types (decision A89).
	RequireGrants bool
	// EventGrants are the privileges on the event bus, nil for those of the owner of the database alone.
	EventGrants acl.Grants

	byName map[string]*Type // folded table names and quoted originals
	in     Input            // what it was built of
}

// Lookup finds a type by the name a statement gives it, after PostgreSQL's
// folding: an unquoted name in lower case, a quoted one as it was written. Both
// the table's name and the name the type was registered with are found (PRODUCT
// "Names").
func (c *Catalog) Lookup(name string) (*Type, bool) {
	t, ok := c.byName[truncate(name)]
	return t, ok
}

// Type finds a type by its ontology name, as relations name their endpoints.
func (c *Catalog) Type(ref ontosql.TypeRef) (*Type, bool) {
	i, ok := slices.BinarySearchFunc(c.Types, ref, func(t *Type, ref ontosql.TypeRef) int { return t.Ref.Compare(ref) })
	if !ok {
		return nil, false
	}
	return c.Types[i], true
}

// Type is one entity or relation type.
type Type struct {
	Ref       ontosql.TypeRef
	Table     string // the folded name that public.<Table> has (PRODUCT "Names")
	SchemaID  int64  // current schema version; 0 where only the registry has the schema
	CreatedAt time.Time
	Comment   string // COMMENT ON TABLE, "" for none
	Owner     string // the role that owns it, "" for the owner of the database
	Grants    []format.TypeGrants
	Columns   []Column // as SELECT * shows them: identity first, then in the order of declaration, then by name
	Key       []int    // the primary key, as positions in Columns
	// Left and Right are the endpoint types of a relation by name; the types
	// themselves may be missing.
	Left, Right string
	// InstanceKey is the field of a keyed relation's instance key, "" otherwise.
	InstanceKey string
	Versions    []Version
	// Renamings are the schema versions whose rows store fields of the type under other
	// names than it has now. The lists of versions are disjoint.
	Renamings []Renaming
	// Floor is the last commit that dropped the type, 0 for a type that was never dropped.
	// Rows of earlier commits, and those that this commit wrote before the drop, are ignored
	// (decision A14).
	Floor ontosql.CommitID
	// Distrusted are typed columns of data files, by the files' keys, that do not have what
	// fields_json has.
	Distrusted map[string][]string

	earlier *earlier
}

func (t *Type) distrust(c format.DistrustedColumn) {
	if t.Distrusted == nil {
		t.Distrusted = map[string][]string{}
	}
	t.Distrusted[c.Path] = append(t.Distrusted[c.Path], c.Column)
}

// ColumnIndex is the index in Columns of the column of a name, -1 for none.
func (t *Type) ColumnIndex(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// FieldIndex is the index in Columns of the column of a field, -1 for none.
func (t *Type) FieldIndex(field string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Field == field })
}

// Version is one stored schema version of a type.
type Version struct {
	ID        int64
	Hash      string
	JSON      string
	Reason    string
	RuntimeID string
	CreatedAt time.Time
	Place     string // where it is stored, for errors; "" is the object of the type's versions
}

// Schema reads the schema as it is stored for a type. The error is a
// *ontosql.CorruptError, which says where that is.
func (v *Version) Schema(ref ontosql.TypeRef) (*format.Schema, error) {
	if v.Place != "" {
		return format.DecodeSchema(v.Place, "schema_json", []byte(v.JSON))
	}
	return format.DecodeSchema(format.VersionsKey(ref), "versions", []byte(v.JSON))
}

// Role says where the value of a column is stored.
type Role uint8

// Where a column's value comes from.
const (
	FromField       Role = iota // fields_json, and a typed Parquet column where it can be trusted
	FromEntityKey               // entity_key; an entity's primary key
	FromLeftKey                 // left_key
	FromRightKey                // right_key
	FromInstanceKey             // instance_key
)

// Column is one visible column of a type.
type Column struct {
	Name     string // as SQL names it, folded unless two fields of the type fold to one name
	Field    string // the field's name in the ontology; "left_key" and "right_key" for endpoints
	ID       int64  // the field's id in the type (decision A52), 0 where nothing gave it one
	Role     Role
	Spelling string      // the Python spelling of the type, such as "str | None"
	Type     column.Type // a key of any type but int, str, UUID and date is text
	NotNull  bool
	Default  string // the SQL text of DEFAULT, "" for none
	Comment  string // COMMENT ON COLUMN, "" for none
	// Past are the older schema versions whose rows store the column under another name, or
	// store another column under its name. The lists of versions are disjoint.
	Past []Past
	// Typmod is PostgreSQL's atttypmod of a column declared as numeric(p,s) or
	// varchar(n), 0 for none. Type is the same with and without it.
	Typmod int32
}

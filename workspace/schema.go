package workspace

import "github.com/ontosql/ontosql/acl"

// Schema is the definition of a schema. It is immutable.
type Schema struct {
	Name    string `json:"-"`
	Grants  acl.Grants
	Owner   string `json:",omitempty"` // the role that owns it, "" for the owner of the database
	Comment string `json:",omitempty"`
	// Defaults are the privileges that relations get which are created in the schema.
	Defaults []DefaultGrants `json:",omitempty"`
}

// Schema finds a schema, nil for none.
func (o *Objects) Schema(name string) *Schema {
	if o == nil {
		return nil
	}
	return find(o.schemas, name)
}

// PutSchema puts a schema into the place of the one of its name.
func (t *Session) PutSchema(schema *Schema) { t.edit(edit{putSchema: schema}) }

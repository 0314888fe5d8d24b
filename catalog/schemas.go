package catalog

// The schemas of a database.
const (
	SchemaPublic      = "public"     // the newest version of each row, a table for each type
	SchemaHistory     = "history"    // all versions of each row
	SchemaChanges     = "changes"    // what each commit changed
	SchemaAsOf        = "as_of"      // functions: the table of a type at a point
	SchemaOntosql     = "ontosql"    // the ontology's own records
	SchemaCatalog     = "pg_catalog" // as in PostgreSQL
	SchemaInformation = "information_schema"
)

// Schemas are all schemas of a database.
var Schemas = []string{SchemaPublic, SchemaHistory, SchemaChanges, SchemaAsOf, SchemaOntosql, SchemaCatalog, SchemaInformation}

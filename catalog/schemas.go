package catalog

// The schemas of a database.
const (
	SchemaPublic      = "public"     // the newest version of each row, a table for each type
	SchemaHistory     = "history"    // all versions of each row
	SchemaChanges     = "changes"    // what each commit changed
	SchemaDiff        = "diff"       // functions: the rows of a type that differ between two points
	SchemaBlame       = "blame"      // which commit set each value
	SchemaAsOf        = "as_of"      // functions: the table of a type at a point
	SchemaOntosql     = "ontosql"    // the ontology's own records
	SchemaCatalog     = "pg_catalog" // as in PostgreSQL
	SchemaInformation = "information_schema"
)

// Schemas are all schemas of a database.
var Schemas = []string{SchemaPublic, SchemaHistory, SchemaChanges, SchemaDiff, SchemaBlame, SchemaAsOf, SchemaOntosql, SchemaCatalog, SchemaInformation}

// Package pgcatalog is what ontosql says of itself to PostgreSQL's clients: the
// relations of pg_catalog and information_schema, in the shape of one PostgreSQL
// version, with rows made from an ontology's catalog, and the functions that
// catalog queries call.
//
// Nothing in it is a canned answer (decision A10): every relation becomes a
// DuckDB table in the schema [Schema], every function a DuckDB macro beside
// them, and a client's query runs over those. What a function has to look up it finds
// in a [View] of the same rows, in Go. This room makes the statements
// and the rows as plain values; it neither knows DuckDB nor rewrites SQL.
//
// shape.tsv and rows.tsv hold the columns and the built-in rows of a real
// PostgreSQL. They are generated: TestShapeIsPostgreSQLs says how.
package pgcatalog

import "github.com/ontosql/ontosql/auth/roles"

// The PostgreSQL version whose catalog this is, and which is advertised
// everywhere: server_version and server_version_num.
const (
	ServerVersion    = "15.18"
	ServerVersionNum = 150018
)

// Schema is the DuckDB schema of the tables and macros. DuckDB does not let us
// create one that is called pg_catalog.
const Schema = "ontosql_catalog"

// Owner is the role that owns every object; its OID is that of PostgreSQL's
// bootstrap role.
const (
	Owner    = roles.Owner
	OwnerOID = 10
)

// OIDs that PostgreSQL fixes and this room refers to.
const (
	classPgType       = 1247
	classPgProc       = 1255
	classPgClass      = 1259
	classPgAuthID     = 1260
	classPgAttrdef    = 2604
	classPgConstraint = 2606
	classPgNamespace  = 2615
	classPgRewrite    = 2618

	// ClassDatabase is the class of databases in pg_shdescription.
	ClassDatabase = 1262

	// firstXID is the first transaction id that has an age (FirstNormalTransactionId).
	// Nothing is ever frozen, nor need it be.
	firstXID = 3

	heapAM  = 2
	btreeAM = 403

	languageSQL       = 14
	defaultTablespace = 1663
	globalTablespace  = 1664
	encodingUTF8      = 6
	collationC        = 950

	catalogNamespace = 11
	toastNamespace   = 99
	publicNamespace  = 2200
	infoNamespace    = 13207
)

package writepath

import (
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// Tx is one transaction to commit: what it saw, and what it wrote.
type Tx struct {
	// Pin is the head the transaction read. An identity it writes that another
	// commit wrote after it is a ConflictError.
	Pin ontosql.CommitID
	// At is the created_at; time.Now when zero, and never before the parent's.
	At time.Time
	// Actor is who wrote it, metadata key "actor"; "" for nobody.
	Actor string
	// Metadata is what its writer says of it. Keys that begin with "ontosql_"
	// are refused.
	Metadata map[string]string
	// Migrated are the types that it migrates, for the metadata keys kind and
	// migrated_types, as the original writes them (COMPAT 5.7).
	Migrated []format.Migrated
	Data     []Data // one for each type it writes rows of
	// Reads are the types whose rows the transaction hangs on: another commit after
	// the pin that wrote a row of one, or changed its schema, is a ReadConflictError.
	Reads []ontosql.TypeRef
	// ReadsHead says that it hangs on every commit.
	ReadsHead bool
	// ExpectHead makes the commit conditional: it is made only where the commit
	// before it is this one (0: it is the first), else it is a HeadConflictError.
	ExpectHead *ontosql.CommitID
	// LockTimeout is how long it waits for a lock that another writer or a
	// reservation holds; the Committer's when 0.
	LockTimeout time.Duration
	// Reservation, if it is not nil, is what the transaction is committed under or
	// not at all: after its end the error is why it ended.
	Reservation *Reservation
	// Schema changes the schema in the same commit (decision A13), nil for none.
	// It is called under the lock with the schema as it stands, and what it did to
	// the State is the change; its error is the transaction's. It may be called
	// more than once, each time with another State.
	Schema func(*migration.State) error
}

// Data are the rows a transaction writes of one type.
type Data struct {
	Type          ontosql.TypeRef
	Fields        []format.SchemaField // of the schema the rows were made for
	SchemaVersion int64                // its id; another current one is a SchemaChangedError
	// Rows are gone through several times, never at once, and must be the same
	// each time; Fields of a row may change when the next one is asked for. An
	// identity comes once: a second time is an error where they are few, and not
	// noticed where they are many (some ten thousand). Commit and SchemaVersionID
	// of the rows are filled in.
	Rows iter.Seq2[Row, error]
	// Draft has the rows, if it is not nil. Rows then need their identities alone,
	// which name the one that another commit wrote too.
	Draft *Draft
}

// Row is one new version of an identity.
type Row struct {
	format.Row
	// Expected is the commit of the version that the transaction saw, 0 where it
	// saw none. It is told in a ConflictError.
	Expected ontosql.CommitID
}

// Outcome is a transaction that is committed.
type Outcome struct {
	Commit    ontosql.CommitID
	Attempt   string // metadata ontosql_attempt of the commit
	CreatedAt time.Time
	Files     []format.File // its data files, as the manifest has them
}

// Identity is the identity of a row as one text: the key of an entity, the
// canonical JSON array of left key, right key and, where it is keyed, instance
// key of a relation.
func Identity(kind ontosql.Kind, r *format.Row) string {
	if kind != ontosql.Relation {
		return r.Key
	}
	return string(AppendRelationIdentity(nil, r.Left, r.Right, r.Instance))
}

// AppendRelationIdentity appends the identity of a relation's row with these keys.
func AppendRelationIdentity[S string | []byte](dst []byte, left, right, instance S) []byte {
	dst = format.AppendString(append(dst, '['), left)
	dst = format.AppendString(append(dst, ','), right)
	if len(instance) > 0 {
		dst = format.AppendString(append(dst, ','), instance)
	}
	return append(dst, ']')
}

// RowOfIdentity is a row of which only the identity is known: the inverse of
// Identity.
func RowOfIdentity(kind ontosql.Kind, identity string) format.Row {
	if kind != ontosql.Relation {
		return format.Row{Key: identity}
	}
	list, _ := format.ParseJSON([]byte(identity)) // what Identity makes is JSON
	parts := [3]string{}
	for i, part := range list.Items() {
		parts[i] = part.Text()
	}
	return format.Row{Left: parts[0], Right: parts[1], Instance: parts[2]}
}

// pending is a transaction as the Committer has it while it waits.
type pending struct {
	Pending
	writes   map[ontosql.TypeRef]*identities // one for each of Data
	spools   map[ontosql.TypeRef]*spool      // of the large ones of Data
	size     int                             // of the rows in bytes that are not in a spool
	deferred bool                            // a large one let smaller ones pass it
}

// large says that rows lie in a temporary file.
func (p *pending) large() bool { return len(p.spools) > 0 }

// reservedPrefix is how the metadata keys begin that are ours.
const reservedPrefix = "ontosql_"

var errEmpty = errors.New("the transaction changes nothing")

// metadata is what stands in the manifest.
func (p *pending) metadata(attempt string, change *format.SchemaChange) (map[string]json.RawMessage, error) {
	metadata := map[string]json.RawMessage{format.MetadataAttempt: format.AppendString(nil, attempt)}
	for key, text := range p.Metadata {
		metadata[key] = format.AppendString(nil, text)
	}
	if len(p.Migrated) > 0 {
		maps.Copy(metadata, format.MigrationMetadata(p.Migrated))
	}
	if p.Actor != "" {
		metadata["actor"] = format.AppendString(nil, p.Actor)
	}
	if change != nil {
		raw, err := format.EncodeSchemaChange(change)
		if err != nil {
			return nil, err
		}
		metadata[format.MetadataSchema] = raw
	}
	return metadata, nil
}

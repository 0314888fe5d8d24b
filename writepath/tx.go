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

// Tx is one transaction to commit: what it read and what it writes.
type Tx struct {
	// Pin is the head that the transaction read. If another commit after it wrote one of the
	// transaction's identities, that is a ConflictError.
	Pin ontosql.CommitID
	// At is created_at; zero means time.Now. It is never before the parent's.
	At time.Time
	// Actor is the author, metadata key "actor"; "" for none.
	Actor string
	// Metadata is the writer's metadata. Keys with the prefix "ontosql_" are rejected.
	Metadata map[string]string
	// Migrated lists the types that it migrates, for the metadata keys kind and migrated_types
	// as the original writes them (COMPAT 5.7).
	Migrated []format.Migrated
	Data     []Data // one for each type it writes rows of
	// Reads are the types on whose rows the transaction depends: if another commit after the
	// pin wrote a row of one, or changed its schema, that is a ReadConflictError.
	Reads []ontosql.TypeRef
	// ReadsHead is set if it depends on every commit.
	ReadsHead bool
	// ExpectHead, if not nil, is the required previous commit (0: none); if it is another one,
	// that is a HeadConflictError.
	ExpectHead *ontosql.CommitID
	// LockTimeout bounds the wait for a lock that another writer or a reservation holds; 0
	// means the Committer's.
	LockTimeout time.Duration
	// Reservation, if not nil, is the reservation under which the transaction must be
	// committed. After its end the error is why it ended.
	Reservation *Reservation
	// Schema changes the schema in the same commit (decision A13); nil for none. It is called
	// under the lock with the current schema, and its modifications of the State are the
	// change; its error becomes the transaction's. It may be called several times, each time
	// with another State.
	Schema func(*migration.State) error
	// Tags are changes of tags in the same commit, by names (decision A66). If a tag is no
	// longer as the transaction has found it, that is a TagConflictError.
	Tags map[string]format.TagChange
	// Merge, if not nil, is the branch whose changes the transaction takes. A transaction may have
	// nothing else: that there was nothing to take is recorded then.
	Merge *format.Merge
	// Events are sent if and only if the transaction commits (decision A72). Their created_at is
	// set. A transaction that only sends events may make no commit: Outcome.Commit is 0 then.
	Events []format.Event
}

// ChangesRowsOnly reports whether the transaction changes neither schema nor tags, so that its
// commit does not depend on what others change of them.
func (tx *Tx) ChangesRowsOnly() bool { return tx.Schema == nil && len(tx.Tags) == 0 }

// Empty reports whether the transaction has nothing to commit. rows says whether it has rows.
func (tx *Tx) Empty(rows bool) bool {
	return !rows && tx.ChangesRowsOnly() && len(tx.Events) == 0 && tx.Merge == nil
}

// Data is the rows of one type that a transaction writes.
type Data struct {
	Type          ontosql.TypeRef
	Fields        []format.DataField // of the schema the rows were made for
	SchemaVersion int64              // its id; if another one is current, that is a SchemaChangedError
	// Rows is iterated several times, never concurrently, and must give the same rows each
	// time; Fields of a row may change when the next one is requested. Each identity must
	// occur once: a duplicate is an error if there are few rows, and undetected if there are
	// many (some ten thousand). Commit and SchemaVersionID of the rows are filled in.
	Rows iter.Seq2[Row, error]
	// Draft, if not nil, has the rows. Rows then only need identities, which are used to name
	// a conflict.
	Draft *Draft
}

// Row is one new version of an identity.
type Row struct {
	format.Row
	// Expected is the commit of the version that the transaction saw, 0 for none. It is
	// reported in a ConflictError.
	Expected ontosql.CommitID
}

// Outcome describes a committed transaction.
type Outcome struct {
	Commit    ontosql.CommitID // 0 if events were sent without a commit
	Attempt   string           // metadata ontosql_attempt of the commit
	CreatedAt time.Time
	Files     []format.File // its data files, as the manifest has them
}

// Identity returns the identity of a row as one text: the key of an entity, or for a relation
// the canonical JSON array of left key, right key and, if there is one, instance key.
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

// RowOfIdentity returns a row that has only the identity: the inverse of Identity.
func RowOfIdentity(kind ontosql.Kind, identity string) format.Row {
	if kind != ontosql.Relation {
		return format.Row{Key: identity}
	}
	list, _ := format.ParseJSON([]byte(identity)) // Identity returns valid JSON
	parts := [3]string{}
	for i, part := range list.Items() {
		parts[i] = part.Text()
	}
	return format.Row{Left: parts[0], Right: parts[1], Instance: parts[2]}
}

// pending is a transaction in the Committer.
type pending struct {
	Pending
	writes   map[ontosql.TypeRef]*identities // one for each of Data
	spools   map[ontosql.TypeRef]*spool      // of the large types of Data
	size     int                             // in bytes, of the rows that are not in a spool
	deferred bool                            // a large transaction has let others commit first
}

// large reports whether rows are in a temporary file.
func (p *pending) large() bool { return len(p.spools) > 0 }

// reservedPrefix is the prefix of this program's metadata keys.
const reservedPrefix = "ontosql_"

var errEmpty = errors.New("the transaction changes nothing")

// metadata returns the manifest's metadata. tags are those after the commit, nil if it does not
// change them; events is the value of format.MetadataEvents, nil for none.
func (p *pending) metadata(attempt string, change *format.SchemaChange, tags format.Tags, events json.RawMessage) (map[string]json.RawMessage, error) {
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
	if tags != nil {
		metadata[format.MetadataTags] = format.EncodeTags(tags)
	}
	if p.Merge != nil {
		metadata[format.MetadataMerge] = format.EncodeMerge(p.Merge)
	}
	if events != nil {
		metadata[format.MetadataEvents] = events
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

package maintain

// Rule names what a problem breaks, by its number: a rule or section of COMPAT
// (see format/FORMAT.md), an invariant, or a decision (docs/decisions).
type Rule string

// The twenty rules of safe interoperation (COMPAT 0), as far as an object store
// at rest can show them.
const (
	// RuleEngine: the marker is of a version we know, and data files lie where
	// that version has them.
	RuleEngine Rule = "COMPAT rule 1"
	// RuleTimes: times are UTC, "2026-11-20T23:55:04.259080+00:00". The original
	// leaves the fraction out when it is 0, we never do.
	RuleTimes Rule = "COMPAT rule 2"
	// RulePayload: fields_json is there, an object, canonical; typed columns say
	// the same, or are listed as unfit.
	RulePayload Rule = "COMPAT rule 3"
	// RuleKeys: an entity's primary key stands in fields_json and entity_key is
	// Python's str of it; endpoints and instance keys do not stand there.
	RuleKeys Rule = "COMPAT rule 4"
	// RuleInstance: the instance key of an unkeyed relation is "", never NULL;
	// that of a keyed one is not blank (COMPAT 1.1).
	RuleInstance Rule = "COMPAT rule 5"
	// RuleRowVersion: rows carry the schema version id that the manifest gives
	// for their file, one the type has; on v2 it is never null.
	RuleRowVersion Rule = "COMPAT rule 6"
	// RuleHash: schema_hash is the hash of schema_json.
	RuleHash Rule = "COMPAT rule 7"
	// RuleSpelling: every field has a type and the type_spec that belongs to it.
	RuleSpelling Rule = "COMPAT rule 8"
	// Rule 9 (type_layout_catalog on the first insert) is of SQLite only.

	// RuleLayout: on v2 a current layout entry is of the last version of a type
	// that was migrated, else the original cannot migrate the type (COMPAT 3.6).
	RuleLayout Rule = "COMPAT rule 10"
	// RuleReserved: no field, and no typed column, has a system column's name.
	RuleReserved Rule = "COMPAT rule 11"
	// Rule 12 (ids dense from 1) is I3; that "none" is 0 in the head and null
	// elsewhere is I1 and I3.
	// Rule 13 (the conditional PUT) leaves no trace in a store at rest.

	// RuleIndex: an index is sorted, overlaps nowhere, and says of each commit
	// that it claims to know what the chain says; manifests have content_sha256.
	RuleIndex Rule = "COMPAT rule 14"
	// Rule 15 (what is unchanged), 16 (no deletes) and 17 (no upcasting) are about
	// what a writer does; a store that broke them looks like one with more commits.

	// RuleDuplicates: an identity is written once in a commit. The original may
	// write it twice, we never do.
	RuleDuplicates Rule = "COMPAT rule 18"
	// Rules 19 (filters) and 20 (known bugs) are about answers, not about bytes.
)

// Sections of COMPAT that the rules summarise.
const (
	SchemaObjects Rule = "COMPAT 1.4" // registry, types, versions and marks of dropped types agree, every file's type among them
	Numbers       Rule = "COMPAT 2.1" // stored JSON is canonical and its integers have at most 64 bits
	Columns       Rule = "COMPAT 2.4" // system columns, their order and kinds; rows belong to their commit and type
	Members       Rule = "COMPAT 3.1" // a control object has all its members, of their kinds
	LockForm      Rule = "COMPAT 3.3" // the lock object can be read by whoever waits for it
)

// Invariants and decisions.
const (
	I1  Rule = "I1"  // the head is there, can be read and leads to a manifest
	I2  Rule = "I2"  // nothing that is not committed is visible through an index or a mark
	I3  Rule = "I3"  // commit ids are dense from 1, each manifest names the one before it
	I4  Rule = "I4"  // what a manifest or an index names exists and is as it was written
	I5  Rule = "I5"  // indexes are advisory: one may be missing or behind
	I8  Rule = "I8"  // a snapshot has exactly the rows of the commits it stands for
	A12 Rule = "A12" // a commit of ours is not older than its parent
	A13 Rule = "A13" // a schema change of ours is complete; schema objects are projections that may be behind it
	A14 Rule = "A14" // a commit that drops types says which
	A34 Rule = "A34" // below meta/ is nothing that nobody knows, save meta/ontosql/
)

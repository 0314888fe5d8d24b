package maintain

// Rule identifies what a problem violates: the number of a rule or section of COMPAT (see
// format/FORMAT.md), an invariant, or a decision (docs/decisions).
type Rule string

// The twenty rules of safe interoperation (COMPAT 0), as far as they are visible in an object
// store at rest.
const (
	// RuleEngine: the engine marker has a known version, and data files have the paths of that
	// version.
	RuleEngine Rule = "COMPAT rule 1"
	// RuleTimes: times are UTC, "2026-11-20T23:55:04.259080+00:00". The original omits a zero
	// fraction; this program does not.
	RuleTimes Rule = "COMPAT rule 2"
	// RulePayload: fields_json exists and is a canonical object; typed columns have the same
	// values, or are listed as unfit.
	RulePayload Rule = "COMPAT rule 3"
	// RuleKeys: an entity's primary key is in fields_json, and entity_key is Python's str of
	// it; endpoints and instance keys are not in fields_json.
	RuleKeys Rule = "COMPAT rule 4"
	// RuleInstance: the instance key of a relation without one is "", never NULL; otherwise it
	// is not blank (COMPAT 1.1).
	RuleInstance Rule = "COMPAT rule 5"
	// RuleRowVersion: rows have the schema version id that the manifest gives for their file,
	// which exists for the type; on v2 it is never null.
	RuleRowVersion Rule = "COMPAT rule 6"
	// RuleHash: schema_hash is the hash of schema_json.
	RuleHash Rule = "COMPAT rule 7"
	// RuleSpelling: every field has a type and a matching type_spec.
	RuleSpelling Rule = "COMPAT rule 8"
	// Rule 9 (type_layout_catalog on the first insert) is of SQLite only.

	// RuleLayout: on v2 a current layout entry is for the last version of a migrated type;
	// otherwise the original cannot migrate the type (COMPAT 3.6).
	RuleLayout Rule = "COMPAT rule 10"
	// RuleReserved: no field, and no typed column, has a system column's name.
	RuleReserved Rule = "COMPAT rule 11"
	// Rule 12 (ids dense from 1) is I3; that "none" is 0 in the head and null elsewhere is I1
	// and I3. Rule 13 (the conditional PUT) is not visible in a store at rest.

	// RuleIndex: an index is sorted, has no overlaps, and agrees with the chain on each commit
	// that it covers; manifests have content_sha256.
	RuleIndex Rule = "COMPAT rule 14"
	// Rules 15 (unchanged objects), 16 (no deletes) and 17 (no upcasting) concern the
	// behaviour of writers; a store that violates them looks like one with more commits.

	// RuleDuplicates: an identity is written once per commit. The original may write it twice;
	// this program does not.
	RuleDuplicates Rule = "COMPAT rule 18"
	// Rules 19 (filters) and 20 (known bugs) concern answers, not bytes.
)

// Sections of COMPAT that summarise rules.
const (
	SchemaObjects Rule = "COMPAT 1.4" // registry, types, versions and marks of dropped types agree, and include every file's type
	Numbers       Rule = "COMPAT 2.1" // stored JSON is canonical and its integers have at most 64 bits
	Columns       Rule = "COMPAT 2.4" // system columns, their order and kinds; rows belong to their commit and type
	Members       Rule = "COMPAT 3.1" // a control object has all its members, with the right types
	LockForm      Rule = "COMPAT 3.3" // waiting writers can decode the lock object
)

// Invariants and decisions.
const (
	I1  Rule = "I1"  // the head exists, can be decoded and names a manifest
	I2  Rule = "I2"  // nothing uncommitted is visible through an index or a mark
	I3  Rule = "I3"  // commit ids are dense from 1, and each manifest names its parent
	I4  Rule = "I4"  // objects that a manifest or an index names exist and are unchanged
	I5  Rule = "I5"  // indexes are advisory: one may be missing or behind
	I8  Rule = "I8"  // a snapshot has exactly the rows of the commits it stands for
	A12 Rule = "A12" // a commit of this program is not older than its parent
	A13 Rule = "A13" // a schema change of this program is complete; schema objects are projections that may lag
	A14 Rule = "A14" // a commit that drops types names them
	A65 Rule = "A65" // the checkpoint has the manifests as they are
	A34 Rule = "A34" // there are no unknown objects below meta/, except in meta/ontosql/
)

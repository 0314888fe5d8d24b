package sqlite

// shape is a table as a writer of today makes it (COMPAT 4.1).
type shape struct {
	name    string
	columns []string
	later   []string // columns that older files do not have
	indexes []string // without which look-ups are slow
}

// wantedShapes are the tables that every ontology has.
var wantedShapes = []shape{
	{name: "commits", columns: []string{"id", "created_at", "metadata_json"}},
	{
		name: "entity_history", columns: []string{"id", "entity_type", "entity_key", "fields_json", "commit_id"},
		later: []string{"schema_version_id"}, indexes: []string{"idx_entity_history_lookup"},
	},
	{
		name: "relation_history", columns: []string{"id", "relation_type", "left_key", "right_key", "fields_json", "commit_id"},
		later: []string{"schema_version_id", "instance_key"}, indexes: []string{"idx_relation_history_lookup"},
	},
	{name: "schema_registry", columns: []string{"type_kind", "type_name", "schema_json"}},
}

// laterShapes are tables that older files do not have; the next writer makes them.
var laterShapes = []shape{
	{name: "schema_versions", columns: []string{
		"id", "type_kind", "type_name", "schema_version_id", "schema_json", "schema_hash", "created_at", "runtime_id", "reason",
	}},
	{name: "locks", columns: []string{"lock_name", "owner_id", "acquired_at", "expires_at"}},
}

// layoutShape is the table that engine v2 adds.
var layoutShape = shape{name: "type_layout_catalog", columns: []string{
	"type_kind", "type_name", "schema_version_id", "table_name", "activation_commit_id", "is_current", "created_at",
}}

// eventShapes are the tables of events (seed 002 section 9.1), made together by
// whoever uses them first.
var eventShapes = []shape{
	{
		name: "events", columns: []string{"id", "namespace", "type", "payload", "created_at", "priority", "root_event_id", "chain_depth"},
		indexes: []string{"idx_events_namespace_type_order"},
	},
	{
		name: "event_claims", columns: []string{
			"event_id", "handler_id", "session_id", "claimed_at", "lease_until", "ack_at", "attempts", "available_at", "last_error", "dead_lettered_at",
		},
		indexes: []string{"idx_event_claims_handler_state", "idx_event_claims_event"},
	},
	{
		name: "dead_letters", columns: []string{
			"id", "event_id", "handler_id", "namespace", "failed_at", "attempts", "last_error", "event_type", "event_payload", "root_event_id", "chain_depth",
		},
		indexes: []string{"idx_dead_letters_namespace_failed"},
	},
	{
		name: "sessions", columns: []string{"session_id", "namespace", "started_at", "last_heartbeat", "metadata"},
		indexes: []string{"idx_sessions_heartbeat", "idx_sessions_namespace"},
	},
}

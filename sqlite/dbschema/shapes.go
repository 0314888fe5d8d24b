package dbschema

// Shape is a table with its columns and indexes as a current writer makes it (COMPAT 4.1).
type Shape struct {
	Name         string
	Columns      []string
	LaterColumns []string // columns that older files do not have
	Indexes      []string // needed for fast lookups
}

// RequiredShapes are the tables that every ontology has.
var RequiredShapes = []Shape{
	{Name: "commits", Columns: []string{"id", "created_at", "metadata_json"}},
	{
		Name: "entity_history", Columns: []string{"id", "entity_type", "entity_key", "fields_json", "commit_id"},
		LaterColumns: []string{"schema_version_id"}, Indexes: []string{"idx_entity_history_lookup"},
	},
	{
		Name: "relation_history", Columns: []string{"id", "relation_type", "left_key", "right_key", "fields_json", "commit_id"},
		LaterColumns: []string{"schema_version_id", "instance_key"}, Indexes: []string{"idx_relation_history_lookup"},
	},
	{Name: "schema_registry", Columns: []string{"type_kind", "type_name", "schema_json"}},
}

// LaterShapes are tables that older files lack; the next writer creates them.
var LaterShapes = []Shape{
	{Name: "schema_versions", Columns: []string{
		"id", "type_kind", "type_name", "schema_version_id", "schema_json", "schema_hash", "created_at", "runtime_id", "reason",
	}},
	{Name: "locks", Columns: []string{"lock_name", "owner_id", "acquired_at", "expires_at"}},
}

// LayoutShape is the table that engine v2 adds.
var LayoutShape = Shape{Name: "type_layout_catalog", Columns: []string{
	"type_kind", "type_name", "schema_version_id", "table_name", "activation_commit_id", "is_current", "created_at",
}}

// EventShapes are the tables of events (seed 002 section 9.1), created together at first use.
var EventShapes = []Shape{
	{
		Name: "events", Columns: []string{"id", "namespace", "type", "payload", "created_at", "priority", "root_event_id", "chain_depth"},
		Indexes: []string{"idx_events_namespace_type_order"},
	},
	{
		Name: "event_claims", Columns: []string{
			"event_id", "handler_id", "session_id", "claimed_at", "lease_until", "ack_at", "attempts", "available_at", "last_error", "dead_lettered_at",
		},
		Indexes: []string{"idx_event_claims_handler_state", "idx_event_claims_event"},
	},
	{
		Name: "dead_letters", Columns: []string{
			"id", "event_id", "handler_id", "namespace", "failed_at", "attempts", "last_error", "event_type", "event_payload", "root_event_id", "chain_depth",
		},
		Indexes: []string{"idx_dead_letters_namespace_failed"},
	},
	{
		Name: "sessions", Columns: []string{"session_id", "namespace", "started_at", "last_heartbeat", "metadata"},
		Indexes: []string{"idx_sessions_heartbeat", "idx_sessions_namespace"},
	},
}

package functions

import "strings"

// IsMutable reports whether PostgreSQL declares all overloads of a function STABLE or VOLATILE
// (pg_proc.provolatile). Functions of which only some are so, such as date_trunc, are not among
// them.
func IsMutable(name string) bool {
	_, session := SessionResults[name]
	return session || mutable[name] || len(Catalog[name]) > 0 && !immutableInCatalog[name]
}

var (
	mutable = words(`array_to_json array_to_string concat concat_ws convert convert_from convert_to currval format gen_random_uuid
		json_build_array json_build_object jsonb_build_array jsonb_build_object jsonb_path_exists_tz jsonb_path_match_tz
		jsonb_path_query_array_tz jsonb_path_query_first_tz jsonb_path_query_tz lastval make_timestamptz nextval pg_is_wal_replay_paused
		pg_listening_channels random row_to_json setval to_char to_date to_json to_jsonb to_number`)
	immutableInCatalog = words("aclcontains acldefault makeaclitem nameconcatoid pg_encoding_max_length pg_partition_root pg_size_pretty")
)

func words(list string) map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.Fields(list) {
		out[word] = true
	}
	return out
}

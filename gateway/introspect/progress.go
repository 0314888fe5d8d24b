package introspect

import (
	"context"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/resolver"
)

var progressRelation = &Relation{
	Name:  "progress",
	About: "The long work that goes on: rewriting the rows of a type, compaction, COPY, and the building of native copies.",
	Columns: []Column{
		{"pid", column.Int32, "the session, as pg_stat_activity names it; null for work of the gateway itself"},
		{"type_kind", column.Text, "entity or relation; null if it is about no type"},
		{"type_name", column.Text, "the type"},
		{"phase", column.Text, "what is being done now"},
		{"rows_done", column.Int64, "how many rows are done with"},
		{"rows_total", column.Int64, "of how many at most; null if that is not known"},
		{"started_at", column.TimestampTZ, "when it began"},
		{"kind", column.Text, "alter table, compaction, copy from, copy to, or mirror"},
	},
	Rows: func(_ context.Context, src *Source, _ *resolver.Pin, b *column.Builder) error {
		for pid, w := range src.ongoing() {
			var session, kind, name, total any
			if pid != 0 {
				session = int32(pid)
			}
			if w.Type.Kind != 0 {
				kind, name = w.Type.Kind.String(), w.Type.Name
			}
			if w.Total > 0 || w.Kind == Migration {
				total = w.Total
			}
			b.Append(session, kind, name, w.Phase, w.Done, total, w.Began, string(w.Kind))
		}
		return nil
	},
}

// CopyProgressRows are the rows of pg_stat_progress_copy. relation is the OID of a table.
func (s *Source) CopyProgressRows(oids *pgcatalog.Filled, relation func(schema, name string) uint32) []pgcatalog.Row {
	var rows []pgcatalog.Row
	for pid, w := range s.ongoing() {
		if w.Kind != CopyFrom && w.Kind != CopyTo {
			continue
		}
		row := s.progressRow(pid, &w, oids, relation)
		row["command"], row["type"] = "COPY FROM", "PIPE"
		if w.Kind == CopyTo {
			row["command"] = "COPY TO"
		}
		row["bytes_processed"], row["bytes_total"] = w.Bytes, int64(0)
		row["tuples_processed"], row["tuples_excluded"] = w.Done, int64(0)
		rows = append(rows, row)
	}
	return rows
}

// ClusterProgressRows are the rows of pg_stat_progress_cluster: compactions, which write a type
// anew as VACUUM FULL does a table.
func (s *Source) ClusterProgressRows(oids *pgcatalog.Filled, relation func(schema, name string) uint32) []pgcatalog.Row {
	var rows []pgcatalog.Row
	for pid, w := range s.ongoing() {
		if w.Kind != Compaction {
			continue
		}
		row := s.progressRow(pid, &w, oids, relation)
		row["command"], row["phase"] = "VACUUM FULL", "initializing"
		switch compaction.Phase(w.Phase) {
		case compaction.Merging:
			row["phase"] = "seq scanning heap"
		case compaction.Publishing:
			row["phase"] = "swapping relation files"
		}
		row["heap_tuples_scanned"], row["heap_tuples_written"] = w.Done, w.Done
		row["cluster_index_relid"] = uint32(0)
		row["heap_blks_total"], row["heap_blks_scanned"], row["index_rebuild_count"] = int64(0), int64(0), int64(0)
		rows = append(rows, row)
	}
	return rows
}

// progressRow has the columns that all relations pg_stat_progress_* have.
func (s *Source) progressRow(pid uint32, w *Work, oids *pgcatalog.Filled, relation func(schema, name string) uint32) pgcatalog.Row {
	row := pgcatalog.Row{
		"pid": nil, "datid": OIDOrNull(oids.DatabaseOID(s.Database)), "datname": s.Database, "relid": relation(w.Schema, w.Table),
	}
	if pid != 0 {
		row["pid"] = int32(pid)
	}
	return row
}

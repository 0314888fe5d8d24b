package session

import (
	"context"
	"strings"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
)

// LiveRelations are the relations of pg_catalog whose rows depend on the moment and on the
// session that reads them. All other relations are filled once for a version of the catalog.
func (s *Session) LiveRelations() map[string]func() []pgcatalog.Row {
	return map[string]func() []pgcatalog.Row{
		"pg_locks":         func() []pgcatalog.Row { return s.DB.Locks.Rows(s.Shown.DatabaseOID(s.DB.Name), s.Shown.RelationOID) },
		RelationSettings:   func() []pgcatalog.Row { return s.Settings.Rows() },
		relationActivity:   func() []pgcatalog.Row { return s.Introspection().ActivityRows(s.Shown.Filled) },
		"pg_stat_database": func() []pgcatalog.Row { return s.Introspection().DatabaseRows(s.Shown.Filled) },
		"pg_shdescription": func() []pgcatalog.Row { return s.commentRows() },
		"pg_stat_gssapi":   func() []pgcatalog.Row { return s.Introspection().GSSAPIRows() },
		"pg_stat_ssl":      func() []pgcatalog.Row { return s.Introspection().SSLRows() },
		"pg_stat_progress_copy": func() []pgcatalog.Row {
			return s.Introspection().CopyProgressRows(s.Shown.Filled, s.Shown.RelationOID)
		},
		"pg_stat_progress_cluster": func() []pgcatalog.Row {
			return s.Introspection().ClusterProgressRows(s.Shown.Filled, s.Shown.RelationOID)
		},
	}
}

// commentRows are the rows of pg_shdescription: the comments on databases.
func (s *Session) commentRows() (rows []pgcatalog.Row) {
	ctx := s.Running.Ctx
	if ctx == nil {
		ctx = context.Background()
	}
	comments, err := s.DB.Comments(ctx)
	if err != nil {
		s.Notice(sqlstate.Warning(pgerr.IOError, "the comments on databases cannot be read: %s", sqlstate.ClientText(err)))
	}
	for name, text := range comments {
		if oid := s.Shown.DatabaseOID(name); oid != 0 {
			rows = append(rows, pgcatalog.Row{"objoid": oid, "classoid": uint32(pgcatalog.ClassDatabase), "description": text})
		}
	}
	return rows
}

// IsLive reports whether the rows of a relation depend on the moment.
func (s *Session) IsLive(name string) bool { return s.Live[name] != nil }

// RelationSettings depends on the settings of the session alone. relationActivity and those
// that begin with progressPrefix have new rows all the time.
const (
	RelationSettings = "pg_settings"
	relationActivity = "pg_stat_activity"
	progressPrefix   = "pg_stat_progress_"
)

// filled reports whether a relation's rows depend on the catalog alone. pg_timezone_names
// depends on the clock too.
func (s *Session) filled(r *pgcatalog.Relation) bool {
	return !s.IsLive(r.Name) && r.Name != "pg_timezone_names"
}

// Recurs reports whether a later statement may find the same rows in a relation.
func (s *Session) Recurs(r *pgcatalog.Relation) bool {
	return s.filled(r) || s.IsLive(r.Name) && r.Name != relationActivity && !strings.HasPrefix(r.Name, progressPrefix)
}

// LiveRows are the rows of a live relation. They stay the same while a statement runs.
func (s *Session) LiveRows(name string) []pgcatalog.Row {
	rows, ok := s.Running.moment[name]
	if !ok {
		rows = s.Live[name]()
		if s.Running.moment == nil {
			s.Running.moment = map[string][]pgcatalog.Row{}
		}
		s.Running.moment[name] = rows
	}
	return rows
}

// Introspection is what the relations about the gateway and the ontology are computed from.
func (s *Session) Introspection() *introspect.Source {
	others, _ := s.DB.Others()
	return &introspect.Source{
		Database: s.DB.Name, Peers: others, Kind: s.DB.Backend, URI: s.DB.URI,
		Storage: s.DB.Storage, Mirror: s.DB.Mirror, Options: s.DB.Options, Statements: &s.DB.Statements, Clients: s.Peers.clients, Compacting: s.DB.Compacting(),
		Sees: s.sees, Point: s.Fixed, Tags: s.Tags,
		Events: s.DB.Events, Names: s.DB.Names,
	}
}

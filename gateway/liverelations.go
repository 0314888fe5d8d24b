package gateway

import (
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/introspect"
)

// liveRelations are the relations of pg_catalog whose rows depend on the moment and on the
// session that reads them. All other relations are filled once for a version of the catalog.
func (s *Session) liveRelations() map[string]func() []pgcatalog.Row {
	return map[string]func() []pgcatalog.Row{
		"pg_locks":         func() []pgcatalog.Row { return s.db.Locks.Rows(s.shown.DatabaseOID(s.db.Name)) },
		relationSettings:   func() []pgcatalog.Row { return s.settings.Rows() },
		relationActivity:   func() []pgcatalog.Row { return s.introspection().ActivityRows(s.shown.Filled) },
		"pg_stat_database": func() []pgcatalog.Row { return s.introspection().DatabaseRows(s.shown.Filled) },
		"pg_stat_gssapi":   func() []pgcatalog.Row { return s.introspection().GSSAPIRows() },
		"pg_stat_ssl":      func() []pgcatalog.Row { return s.introspection().SSLRows() },
	}
}

// isLive reports whether the rows of a relation depend on the moment.
func (s *Session) isLive(name string) bool { return s.live[name] != nil }

// relationSettings depends on the settings of the session alone. relationActivity has new
// rows for each statement.
const (
	relationSettings = "pg_settings"
	relationActivity = "pg_stat_activity"
)

// filled reports whether a relation's rows depend on the catalog alone. pg_timezone_names
// depends on the clock too.
func (s *Session) filled(r *pgcatalog.Relation) bool {
	return !s.isLive(r.Name) && r.Name != "pg_timezone_names"
}

// recurs reports whether a later statement may find the same rows in a relation.
func (s *Session) recurs(r *pgcatalog.Relation) bool {
	return s.filled(r) || s.isLive(r.Name) && r.Name != relationActivity
}

// moment are the rows of a live relation. They stay the same while a statement runs.
func (s *Session) moment(name string) []pgcatalog.Row {
	rows, ok := s.running.moment[name]
	if !ok {
		rows = s.live[name]()
		if s.running.moment == nil {
			s.running.moment = map[string][]pgcatalog.Row{}
		}
		s.running.moment[name] = rows
	}
	return rows
}

// introspection is what the relations about the gateway and the ontology are computed from.
func (s *Session) introspection() *introspect.Source {
	return &introspect.Source{
		Database: s.db.Name, Peers: s.db.Peers, Kind: s.db.Backend, URI: s.db.URI,
		Storage: s.db.Storage, Mirror: s.db.Mirror, Options: s.db.Options, Statements: &s.db.Statements, Clients: s.peers.clients,
		User: s.start.User, Superuser: s.peers.Superuser, Point: s.Fixed,
	}
}

// newAccount begins to measure a statement of the client, of which others see this text.
func (s *Session) newAccount(query string) *introspect.Account {
	s.parsed = nil
	return introspect.NewAccount(&s.db.Statements, &s.client, query)
}

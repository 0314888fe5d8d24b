package gateway

import (
	"crypto/tls"
	"net"
	"strings"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
)

// live are the relations of pg_catalog whose rows belong to the moment and to
// the session that asks. All others are filled once for a version of the
// catalog.
var live = map[string]func(*Session) []pgcatalog.Row{
	"pg_cursors":             (*Session).cursorRows,
	"pg_locks":               (*Session).lockRows,
	"pg_prepared_statements": (*Session).preparedRows,
	relationSettings:         func(s *Session) []pgcatalog.Row { return s.settings.Rows() },
	relationActivity:         (*Session).activityRows,
	"pg_stat_database":       (*Session).databaseRows,
	"pg_stat_gssapi":         (*Session).gssapiRows,
	"pg_stat_ssl":            (*Session).sslRows,
}

// relationSettings is the one of live whose rows follow from the session's settings,
// and relationActivity the one that tells of each statement when it began.
const (
	relationSettings = "pg_settings"
	relationActivity = "pg_stat_activity"
)

// filled reports whether a relation's rows hang on the catalog alone. The names of
// time zones come with what the clock has there now.
func filled(r *pgcatalog.Relation) bool { return live[r.Name] == nil && r.Name != "pg_timezone_names" }

// recurs reports whether a relation may be found with the same rows again.
func recurs(r *pgcatalog.Relation) bool {
	return filled(r) || live[r.Name] != nil && r.Name != relationActivity
}

// moment are the rows of a relation of live, the same as long as the statement runs.
func (s *Session) moment(name string) []pgcatalog.Row {
	rows, ok := s.running.moment[name]
	if !ok {
		rows = live[name](s)
		if s.running.moment == nil {
			s.running.moment = map[string][]pgcatalog.Row{}
		}
		s.running.moment[name] = rows
	}
	return rows
}

// activityRows are the rows of pg_stat_activity: every session of the gateway.
func (s *Session) activityRows() []pgcatalog.Row {
	sessions := s.gateway.running()
	filled := s.shown // a plan over a relation of the catalog has filled it
	rows := make([]pgcatalog.Row, len(sessions))
	for i, other := range sessions {
		rows[i] = other.activityRow(other.db == s.db && s.sees(other.start.User))
		rows[i]["datid"], rows[i]["usesysid"] = oidOrNull(filled.DatabaseOID(other.db.Name)), oidOrNull(filled.RoleOID(other.start.User))
	}
	return rows
}

// activityRow is the session as somebody sees it, who may know what it does or
// only that it is there: another user's session is its superuser's to see, and
// one database never sees another's data.
func (s *Session) activityRow(known bool) pgcatalog.Row {
	a := s.activity.snapshot()
	row := pgcatalog.Row{
		"datname": s.db.Name, "pid": int32(s.start.PID), "usename": s.start.User,
		"application_name": a.application, "query": hidden,
	}
	if !known {
		return row
	}
	row["query"], row["state"], row["backend_type"] = a.query, a.state, "client backend"
	row["backend_start"], row["state_change"] = s.since.UnixMicro(), a.changed.UnixMicro()
	if !a.began.IsZero() {
		row["query_start"] = a.began.UnixMicro()
	}
	if !a.transaction.IsZero() {
		row["xact_start"] = a.transaction.UnixMicro()
	}
	if a.wait != (waitEvent{}) {
		row["wait_event_type"], row["wait_event"] = a.wait.class, a.wait.name
	}
	switch remote := s.start.Remote.(type) {
	case *net.TCPAddr:
		row["client_addr"], row["client_port"] = remote.AddrPort().Addr().Unmap().WithZone("").String(), int32(remote.Port)
	case *net.UnixAddr:
		row["client_port"] = int32(-1)
	}
	return row
}

// databaseCounters and databaseTimes are what PostgreSQL counts of a database, and we do
// not.
var (
	databaseCounters = []string{
		"xact_commit", "xact_rollback", "blks_read", "blks_hit", "tup_returned", "tup_fetched", "tup_inserted", "tup_updated", "tup_deleted",
		"conflicts", "temp_files", "temp_bytes", "deadlocks", "sessions", "sessions_abandoned", "sessions_fatal", "sessions_killed",
	}
	databaseTimes = []string{"blk_read_time", "blk_write_time", "session_time", "active_time", "idle_in_transaction_time"}
)

// databaseRows are the rows of pg_stat_database: how many are connected to each.
func (s *Session) databaseRows() []pgcatalog.Row {
	connected := map[string]int32{}
	for _, other := range s.gateway.running() {
		connected[other.db.Name]++
	}
	var rows []pgcatalog.Row
	for _, name := range append([]string{s.db.Name}, s.db.peers...) {
		row := pgcatalog.Row{"datid": oidOrNull(s.shown.DatabaseOID(name)), "datname": name, "numbackends": connected[name]}
		for _, counter := range databaseCounters {
			row[counter] = int64(0)
		}
		for _, spent := range databaseTimes {
			row[spent] = float64(0)
		}
		rows = append(rows, row)
	}
	return rows
}

// sslRows are the rows of pg_stat_ssl: how each session that may be known of is
// encrypted.
func (s *Session) sslRows() []pgcatalog.Row {
	var rows []pgcatalog.Row
	for _, other := range s.gateway.running() {
		row := pgcatalog.Row{"pid": int32(other.start.PID), "ssl": other.start.TLS != nil}
		if state := other.start.TLS; state != nil && other.db == s.db && s.sees(other.start.User) {
			row["version"] = strings.Replace(tls.VersionName(state.Version), "TLS ", "TLSv", 1)
			row["cipher"] = tls.CipherSuiteName(state.CipherSuite)
			row["bits"] = int32(256)
			if strings.Contains(tls.CipherSuiteName(state.CipherSuite), "_128_") {
				row["bits"] = int32(128)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// gssapiRows are the rows of pg_stat_gssapi: nobody enters by it.
func (s *Session) gssapiRows() []pgcatalog.Row {
	var rows []pgcatalog.Row
	for _, other := range s.gateway.running() {
		rows = append(rows, pgcatalog.Row{"pid": int32(other.start.PID), "gss_authenticated": false, "encrypted": false})
	}
	return rows
}

func oidOrNull(oid uint32) any {
	if oid == 0 {
		return nil
	}
	return oid
}

package introspect

import (
	"crypto/tls"
	"net"
	"strings"
	"time"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
)

// Client is what others see of a session.
type Client struct {
	PID      uint32
	User     string
	Database string
	Since    time.Time
	Remote   net.Addr             // nil if it is not known
	TLS      *tls.ConnectionState // nil on a plain connection
	Activity *Activity
}

// ActivityRows are the rows of pg_stat_activity, one for each session of the gateway. oids
// are the numbers of databases and roles.
func (s *Source) ActivityRows(oids *pgcatalog.Filled) []pgcatalog.Row {
	clients := s.Clients()
	rows := make([]pgcatalog.Row, len(clients))
	for i, c := range clients {
		rows[i] = c.activityRow(c.Database == s.Database && s.Sees(c.User))
		rows[i]["datid"], rows[i]["usesysid"] = OIDOrNull(oids.DatabaseOID(c.Database)), OIDOrNull(oids.RoleOID(c.User))
	}
	return rows
}

// activityRow is the row of a session. If known is false, it shows only that the session
// exists: a user does not see the statements of other users unless he is a superuser, and no
// user sees those of another database.
func (c *Client) activityRow(known bool) pgcatalog.Row {
	a := c.Activity.snapshot()
	row := pgcatalog.Row{
		"datname": c.Database, "pid": int32(c.PID), "usename": c.User,
		"application_name": a.application, "query": hidden,
	}
	if !known {
		return row
	}
	row["query"], row["state"], row["backend_type"] = a.query, a.state, "client backend"
	row["backend_start"], row["state_change"] = c.Since.UnixMicro(), a.changed.UnixMicro()
	if !a.began.IsZero() {
		row["query_start"] = a.began.UnixMicro()
	}
	if !a.transaction.IsZero() {
		row["xact_start"] = a.transaction.UnixMicro()
	}
	if a.wait != (WaitEvent{}) {
		row["wait_event_type"], row["wait_event"] = a.wait.class, a.wait.name
	}
	switch remote := c.Remote.(type) {
	case *net.TCPAddr:
		row["client_addr"], row["client_port"] = remote.AddrPort().Addr().Unmap().WithZone("").String(), int32(remote.Port)
	case *net.UnixAddr:
		row["client_port"] = int32(-1)
	}
	return row
}

// databaseCounters and databaseTimes are the statistics of PostgreSQL that are not kept
// here: they are 0.
var (
	databaseCounters = []string{
		"xact_commit", "xact_rollback", "blks_read", "blks_hit", "tup_returned", "tup_fetched", "tup_inserted", "tup_updated", "tup_deleted",
		"conflicts", "temp_files", "temp_bytes", "deadlocks", "sessions", "sessions_abandoned", "sessions_fatal", "sessions_killed",
	}
	databaseTimes = []string{"blk_read_time", "blk_write_time", "session_time", "active_time", "idle_in_transaction_time"}
)

// DatabaseRows are the rows of pg_stat_database, with the number of sessions of each
// database.
func (s *Source) DatabaseRows(oids *pgcatalog.Filled) []pgcatalog.Row {
	connected := map[string]int32{}
	for _, other := range s.Clients() {
		connected[other.Database]++
	}
	var rows []pgcatalog.Row
	for _, name := range append([]string{s.Database}, s.Peers...) {
		row := pgcatalog.Row{"datid": OIDOrNull(oids.DatabaseOID(name)), "datname": name, "numbackends": connected[name]}
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

// SSLRows are the rows of pg_stat_ssl. The encryption of a session is shown to those who
// see what it does.
func (s *Source) SSLRows() []pgcatalog.Row {
	var rows []pgcatalog.Row
	for _, other := range s.Clients() {
		row := pgcatalog.Row{"pid": int32(other.PID), "ssl": other.TLS != nil}
		if state := other.TLS; state != nil && other.Database == s.Database && s.Sees(other.User) {
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

// GSSAPIRows are the rows of pg_stat_gssapi. No session is authenticated by GSSAPI.
func (s *Source) GSSAPIRows() []pgcatalog.Row {
	var rows []pgcatalog.Row
	for _, other := range s.Clients() {
		rows = append(rows, pgcatalog.Row{"pid": int32(other.PID), "gss_authenticated": false, "encrypted": false})
	}
	return rows
}

// OIDOrNull is an OID as the value of a Row, NULL for 0.
func OIDOrNull(oid uint32) any {
	if oid == 0 {
		return nil
	}
	return oid
}

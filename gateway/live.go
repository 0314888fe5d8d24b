package gateway

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
)

// live are the relations of pg_catalog whose rows belong to the moment and to
// the session that asks. All others are filled once for a version of the
// catalog.
var live = map[string]func(*Session) []pgcatalog.Row{
	"pg_settings":      (*Session).settingRows,
	"pg_stat_activity": (*Session).activityRows,
}

// settingRows are the rows of pg_settings.
func (s *Session) settingRows() []pgcatalog.Row {
	var rows []pgcatalog.Row
	for _, d := range s.settings.all() {
		reset := d.boot
		if v, ok := s.settings.start[strings.ToLower(d.name)]; ok {
			reset = v
		}
		source, context := "default", "user"
		if s.settings.value(d.name) != d.boot {
			source = "session"
		}
		if d.fixed {
			context = "internal"
		}
		row := pgcatalog.Row{
			"name": d.name, "setting": s.settings.value(d.name), "category": "Client Connection Defaults",
			"short_desc": d.about, "context": context, "vartype": "string", "source": source,
			"boot_val": d.boot, "reset_val": reset, "pending_restart": false,
		}
		if d.unit != "" {
			row["unit"] = d.unit
			row["setting"] = inUnit(s.settings.value(d.name))
		}
		rows = append(rows, row)
	}
	return rows
}

// inUnit is a duration as pg_settings prints it: a bare number of its unit,
// which is the millisecond for all we have.
func inUnit(shown string) string {
	d, err := parseDuration(shown)
	if err != nil {
		return shown
	}
	return strconv.FormatInt(d.Milliseconds(), 10)
}

// activityRows are the rows of pg_stat_activity: every session of the gateway.
func (s *Session) activityRows() []pgcatalog.Row {
	s.gateway.mu.Lock()
	sessions := make([]*Session, 0, len(s.gateway.sessions))
	for other := range s.gateway.sessions {
		sessions = append(sessions, other)
	}
	s.gateway.mu.Unlock()
	slices.SortFunc(sessions, func(a, b *Session) int { return int(a.serial) - int(b.serial) })
	var rows []pgcatalog.Row
	for _, other := range sessions {
		query, active, began, changed := other.activity.snapshot()
		switch {
		case other.db != s.db:
			query = "" // one database never sees another's data
		case other.start.User != s.start.User && !s.gateway.superuser:
			query = "<insufficient privilege>"
		}
		state := "idle"
		if active || other == s {
			state = "active"
		}
		row := pgcatalog.Row{
			"datname": other.db.Name, "pid": int32(other.start.PID), "usename": other.start.User,
			"application_name": other.start.Params["application_name"],
			"backend_start":    other.since.UnixMicro(), "query": query, "state": state, "backend_type": "client backend",
		}
		if !began.IsZero() {
			row["query_start"] = began.UnixMicro()
		}
		if !changed.IsZero() {
			row["state_change"] = changed.UnixMicro()
		}
		rows = append(rows, row)
	}
	return rows
}

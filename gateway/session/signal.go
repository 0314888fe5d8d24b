package session

import (
	"strconv"

	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// signal executes pg_cancel_backend(pid) and pg_terminate_backend(pid [, timeout]) with a
// constant PID.
func (e *environment) signal(name string, args []string) (v scope.SessionValue, err error) {
	s := e.session
	if e.trial || s.Running.Ctx == nil || len(args) == 0 {
		return scope.SessionValue{Null: true}, nil
	}
	pid, err := strconv.ParseInt(args[0], 10, 32)
	if err != nil {
		return v, pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type %s: %q", "integer", args[0])
	}
	there, err := s.signal(name, pid)
	if err == nil && !there {
		s.Notice(sqlstate.Warning(pgerr.Warning, "PID %d is not a PostgreSQL backend process", pid))
	}
	return scope.SessionValue{Text: strconv.FormatBool(there)}, err
}

// checkSignal is the error of a session that may not cancel or end another one: only members of the
// role of that one and of pg_signal_backend may, and of a superuser's only superusers (PostgreSQL
// manual, 9.27.2).
func (s *Session) checkSignal(name string, other *Session) error {
	r, me := s.Roles(), s.CurrentUser()
	superusers, members := "cancel superuser query", "query is being canceled"
	if name == "pg_terminate_backend" {
		superusers, members = "terminate superuser process", "process is being terminated"
	}
	switch {
	case r.IsSuperuser(other.Start.User) && !r.IsSuperuser(me):
		return pgerr.New(pgerr.InsufficientPrivilege, "must be a superuser to %s", superusers)
	case !r.Has(me, other.Start.User) && !r.Has(me, "pg_signal_backend"):
		return pgerr.New(pgerr.InsufficientPrivilege, "must be a member of the role whose %s or member of pg_signal_backend", members)
	}
	return nil
}

// signal cancels the statement of a session or ends the session, and reports whether
// there is a session with the PID.
func (s *Session) signal(name string, pid int64) (there bool, err error) {
	for _, other := range s.Peers.Running() {
		if int64(other.Start.PID) != pid {
			continue
		}
		if err := s.checkSignal(name, other); err != nil {
			return false, err
		}
		switch {
		case name == "pg_cancel_backend" && other.Start.Cancel != nil:
			other.Start.Cancel()
		case name == "pg_terminate_backend" && other.Start.Terminate != nil:
			other.Start.Terminate(pgerr.New(pgerr.AdminShutdown, "terminating connection due to administrator command"))
		}
		return true, nil
	}
	return false, nil
}

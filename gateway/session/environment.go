package session

import (
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/writepath"
)

// environment answers the rewriter's questions about the session.
type environment struct {
	session *Session
	macros  bool // one of the functions of pg_catalog was asked for
	trial   bool // the statement is only checked: nothing may take effect
}

var _ planner.Env = (*environment)(nil)

// NewEnv is the environment of a new plan.
func (s *Session) NewEnv() planner.Env { return &environment{session: s} }

// UsesCatalog reports whether a function of pg_catalog was asked for (planEnv).
func (e *environment) UsesCatalog() bool { return e.macros }

// Wide and NoteWidens say how numerics are computed (scope.WideNumerics).
func (e *environment) Wide() bool { return e.session.Wide }

func (e *environment) NoteWidens() { e.session.Widens = true }

// SetTrial says whether the statement is only checked (planEnv).
func (e *environment) SetTrial(on bool) { e.trial = on }

// Macro reports whether a function is one of pg_catalog's (scope.Env).
func (e *environment) Macro(name string) bool {
	if !pgcatalog.HasFunction(name) {
		return false
	}
	e.macros = true
	return true
}

// Param is a parameter of the statement that runs, NULL while none does
// (scope.Env).
func (e *environment) Param(n int) scope.SessionValue {
	args := e.session.Running.Args
	if n > len(args) || args[n-1] == nil {
		return scope.SessionValue{Null: true}
	}
	return scope.SessionValue{Text: string(args[n-1])}
}

// Setting is the value of a setting (scope.Env).
func (e *environment) Setting(name string) string { return e.session.Settings.Value(name) }

// DateOrder is that of DateStyle (scope.Env).
func (e *environment) DateOrder() datetime.DateOrder { return e.session.Settings.DateOrder() }

// Session calls a function of the session or the server (scope.Env). Within one execution a
// call is made once, even if the statement is bound several times. Functions about the pin
// are called each time.
func (e *environment) Session(name string, args []string, before int) (scope.SessionValue, error) {
	running := &e.session.Running
	if e.trial || running.Ctx == nil || name == "txid_current" || name == "ontosql.head" {
		return e.answer(name, args)
	}
	call := sessionCall{name, strings.Join(args, "\x00"), before, running.Part}
	if v, ok := running.answered[call]; ok {
		return v, nil
	}
	v, err := e.answer(name, args)
	if err == nil {
		if running.answered == nil {
			running.answered = map[sessionCall]scope.SessionValue{}
		}
		running.answered[call] = v
	}
	return v, err
}

func (e *environment) answer(name string, args []string) (scope.SessionValue, error) {
	s := e.session
	text := func(v string) (scope.SessionValue, error) { return scope.SessionValue{Text: v}, nil }
	null := scope.SessionValue{Null: true}
	switch name {
	case "current_user", "session_user":
		user := s.CurrentUser()
		if name == "session_user" {
			user = s.SessionUser()
		}
		user, err := s.existingUser(user)
		return scope.SessionValue{Text: user}, err
	case "current_database":
		return text(s.DB.Name) // what pg_database and information_schema call it
	case "current_schema":
		if path := s.Resolver().NamedPath(); len(path) > 0 {
			return text(path[0])
		}
		return null, nil
	case "current_schemas":
		return text(e.schemas(args))
	case "version":
		return text("PostgreSQL " + pgcatalog.ServerVersion + " (ontosql)")
	case "pg_backend_pid":
		return text(strconv.FormatUint(uint64(s.Start.PID), 10))
	case "current_setting":
		return e.currentSetting(args)
	case "set_config":
		return e.setConfig(args)
	case "ontosql.commit_outcome":
		return e.commitOutcome(args[0])
	case "now":
		return text(sqlstate.Timestamp(s.TxStarted()))
	case "statement_timestamp":
		return text(sqlstate.Timestamp(s.Activity.Since()))
	case "clock_timestamp":
		s.TxStarted() // first: the clock is not behind the transaction's beginning
		return text(sqlstate.Timestamp(time.Now()))
	case "pg_postmaster_start_time", "pg_conf_load_time":
		return text(sqlstate.Timestamp(s.Peers.Started))
	case "pg_notify":
		return e.pgNotify(args)
	case "pg_listening_channels":
		return text(s.listeningChannels())
	case "pg_cancel_backend", "pg_terminate_backend":
		return e.signal(name, args)
	case "pg_reload_conf":
		return text("true")
	case "pg_is_in_recovery", "pg_is_other_temp_schema":
		return text("false")
	case "pg_my_temp_schema":
		return text("0")
	case "getdatabaseencoding":
		return text("UTF8")
	case "pg_client_encoding":
		name, _, _ := charset.Find(s.Settings.Value("client_encoding"))
		return text(name)
	case "current_query":
		return text(s.Activity.Text())
	case "inet_client_addr", "inet_client_port":
		return end(s.Start.Remote, name == "inet_client_port"), nil
	case "inet_server_addr", "inet_server_port":
		return end(s.Start.Local, name == "inet_server_port"), nil
	case "txid_current":
		return e.transactionID()
	case "pg_export_snapshot":
		return e.exportSnapshot()
	case "txid_current_if_assigned":
		return null, nil
	case "ontosql.head":
		if s.Tx.Pin == nil {
			return null, nil
		}
		return text(strconv.FormatUint(uint64(s.Tx.Pin.Head.Commit), 10))
	case "ontosql.session":
		return text(strconv.FormatUint(s.Serial, 10))
	case "ontosql.settings":
		return text(s.Settings.JSON())
	}
	if v, ok, err := e.sleepCall(name, args); ok {
		return v, err
	}
	if v, ok, err := e.advisoryCall(name, args); ok {
		return v, err
	}
	return null, sqlstate.NotSupportedYet("function " + name + "()")
}

// firstXID is PostgreSQL's FirstNormalTransactionId.
const firstXID = 3

// transactionID is txid_current(): greater than the commit ids that the transaction sees, which
// are the xmin of rows.
func (e *environment) transactionID() (v scope.SessionValue, err error) {
	if e.trial || e.session.Running.Ctx == nil {
		return scope.SessionValue{Null: true}, nil
	}
	pin, err := e.session.Pin(e.session.Running.Ctx)
	if err != nil {
		return v, err
	}
	v.Text = strconv.FormatUint(max(uint64(pin.Head.Commit)+1, firstXID), 10)
	return v, nil
}

// end is the address or the port of one end of the connection, NULL for a socket that is not
// TCP.
func end(of net.Addr, port bool) scope.SessionValue {
	addr, ok := of.(*net.TCPAddr)
	switch {
	case !ok:
		return scope.SessionValue{Null: true}
	case port:
		return scope.SessionValue{Text: strconv.Itoa(addr.Port)}
	}
	return scope.SessionValue{Text: addr.AddrPort().Addr().Unmap().WithZone("").String()}
}

// schemas is current_schemas(implicit) as an array literal.
func (e *environment) schemas(args []string) string {
	implicit, _ := settings.ParseBool(append(args, "off")[0])
	names := e.session.Resolver().NamedPath()
	if implicit {
		names = e.session.Resolver().SearchPath()
	}
	return "{" + strings.Join(names, ",") + "}"
}

// setConfig is set_config(name, value, is_local).
func (e *environment) setConfig(args []string) (scope.SessionValue, error) {
	s := e.session
	if len(args) != 3 {
		return scope.SessionValue{Null: true}, nil
	}
	if e.trial || s.Running.Ctx == nil {
		return scope.SessionValue{Text: args[1]}, nil
	}
	local, _ := settings.ParseBool(args[2])
	if err := s.SetParameter(s.Running.Ctx, args[0], args[1], local); err != nil {
		return scope.SessionValue{}, err
	}
	return scope.SessionValue{Text: s.Settings.Value(args[0])}, nil
}

// pgNotify is pg_notify(channel, payload).
func (e *environment) pgNotify(args []string) (v scope.SessionValue, err error) {
	if e.trial || e.session.Running.Ctx == nil || len(args) != 2 {
		return v, nil
	}
	return v, e.session.Notify(args[0], args[1])
}

// currentSetting is current_setting(name [, missing_ok]).
func (e *environment) currentSetting(args []string) (scope.SessionValue, error) {
	if len(args) == 0 {
		return scope.SessionValue{Null: true}, nil
	}
	if v, ok := e.session.Settings.Get(args[0]); ok {
		return scope.SessionValue{Text: v}, nil
	}
	if missingOK, _ := settings.ParseBool(append(args, "off")[1]); missingOK {
		return scope.SessionValue{Null: true}, nil
	}
	return scope.SessionValue{}, settings.Unreadable(args[0])
}

// commitOutcome is ontosql.commit_outcome(attempt): the outcome of a commit whose client got
// 08007, as pg_xact_status of PostgreSQL spells it. It reads the newest head, in a transaction
// too, because the commit may be newer than the pin.
func (e *environment) commitOutcome(attempt string) (scope.SessionValue, error) {
	s := e.session
	if e.trial || s.Running.Ctx == nil {
		return scope.SessionValue{Null: true}, nil
	}
	if _, _, err := writepath.ParseAttempt(attempt); err != nil {
		return scope.SessionValue{}, pgerr.New(pgerr.InvalidParameterValue, "invalid attempt: %q", attempt).
			WithDetail("%s.", sqlstate.Sentence(writepath.ErrBadAttempt)).Because(err)
	}
	pin, err := s.DB.Storage.PinFresh(s.Running.Ctx) // others' commits decide it, too
	if err != nil {
		return scope.SessionValue{}, err
	}
	status, err := writepath.AttemptStatus(pin.View, attempt)
	return scope.SessionValue{Text: status}, err
}

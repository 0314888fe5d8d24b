package gateway

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/pgfunc/textout"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// Session is one client's session (wire.Session): the composition of its state, which is
// in four types with one job each, and the transaction. It belongs to one goroutine, except
// for what other sessions see of it, which has a lock of its own.
type Session struct {
	peers  *registry
	db     *database.Database
	start  wire.Startup
	log    *slog.Logger
	serial uint64                            // its number among the sessions of this process
	drafts int                               // schema changes so far; they number versions of the catalog
	live   map[string]func() []pgcatalog.Row // rows of relations of the moment, by name (liveRelations)

	*planner.Planner
	settings *settings.Values
	encoding *charset.Encoding // of the client's texts, nil for UTF8
	clientState
	statementState
	engineState
	reportState
	tx transaction
}

var _ wire.Session = (*Session)(nil)

func (g *Gateway) newSession(ctx context.Context, db *database.Database, start wire.Startup) (*Session, error) {
	conn, err := db.Engine.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &Session{
		peers:  &g.registry,
		db:     db,
		start:  start,
		serial: g.serial.Add(1),
		log:    g.log.With("database", db.Name, "session", start.PID),
	}
	s.names, s.plans = start.Names, newLRU[planned](mostPlans, nil)
	s.conn, s.prepared, s.moments = conn, newLRU(mostPrepared, (*duckdb.Stmt).Close), map[string]*duckdb.VirtualTable{}
	s.live = s.liveRelations()
	s.live["pg_cursors"], s.live["pg_prepared_statements"] = s.cursorRows, s.preparedRows
	s.temp = temptable.New(db.Engine, s.serial, s.log)
	if s.names == nil {
		s.names = wire.NewNames()
	}
	s.settings = settings.New(map[string]string{
		"server_version":        pgcatalog.ServerVersion,
		"server_version_num":    strconv.Itoa(pgcatalog.ServerVersionNum),
		"session_authorization": start.User,
		"is_superuser":          settings.OnOff(g.Superuser),
	}, s.reported)
	s.Planner = &planner.Planner{Database: db, Alias: start.Database, Settings: s.settings, NewEnv: s.newEnv}
	if err := s.startSettings(); err != nil {
		conn.Close()
		return nil, err
	}
	_, s.encoding, _ = charset.Find(s.settings.Value("client_encoding"))
	if err := s.followZone(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	s.client = introspect.Client{PID: start.PID, User: start.User, Database: db.Name, Since: time.Now(), Remote: start.Remote, TLS: start.TLS, Activity: &s.activity}
	s.listener = database.Listener{PID: start.PID, Notify: start.Notify}
	db.AddRole(start.User)
	db.Enter(s.serial, caller{s})
	s.activity.Open(s.settings.Value("application_name"), s.client.Since)
	return s, nil
}

// startSettings takes over the startup parameters that are settings, then the
// "options" in their order (PostgreSQL manual, 20.1.4).
func (s *Session) startSettings() error {
	for name, value := range s.start.Params {
		if err := s.settings.SetStart(name, value); err != nil {
			return err
		}
	}
	for _, o := range s.start.Options {
		if err := s.settings.SetStart(o.Name, o.Value); err != nil {
			return err
		}
	}
	return s.startPoint()
}

// startPoint fixes the point that the startup parameters name, by the other ones.
func (s *Session) startPoint() error {
	given := s.settings.Value(settings.AsOf)
	now := func() time.Time { return time.Now().In(s.Zone()) }
	point, err := settings.FixPoint(given, s.settings.TimeInput(now), s.Zone())
	if err != nil || point == given {
		return err
	}
	return s.settings.SetStart(settings.AsOf, point)
}

func (s *Session) reported(name, value string) {
	switch name {
	case "application_name":
		s.activity.SetApplication(value)
	case "client_encoding":
		_, s.encoding, _ = charset.Find(value)
	}
	if s.start.ParameterStatus != nil {
		s.start.ParameterStatus(name, value)
	}
}

// notice tells the client, if it wants to know.
func (s *Session) notice(n *pgerr.Error) {
	s.notices++
	if s.start.Notice != nil && s.settings.Wants(n.Severity) {
		s.start.Notice(n)
	}
}

// followZone tells the engine's connection the session's time zone, the one setting
// that it needs too, where it has another.
func (s *Session) followZone(ctx context.Context) error {
	zone := s.settings.Value("TimeZone")
	if zone == s.zone {
		return nil
	}
	conn, err := s.freeConn(ctx)
	if err != nil {
		return err
	}
	s.prepared.clear() // constants of a plan were computed in the old zone
	err = conn.Exec(ctx, "SET TimeZone = "+duckdb.Literal(settings.EngineZone(zone)))
	if err == nil {
		s.zone = zone
	}
	return err
}

// Zone is the setting TimeZone.
func (s *Session) Zone() *time.Location { return s.settings.Zone() }

// Style is how values are printed as text (wire.Session).
func (s *Session) Style() textout.Style { return s.settings.Style() }

// timeInput is how texts of dates, times and intervals are read.
func (s *Session) timeInput() datetime.TimeInput {
	return s.settings.TimeInput(func() time.Time { return s.txStarted().In(s.Zone()) })
}

// Encoding is what the client's texts are in (wire.Session).
func (s *Session) Encoding() *charset.Encoding { return s.encoding }

// Split cuts a simple-query string into statements (wire.Session).
func (s *Session) Split(ctx context.Context, sql string) ([]wire.Query, error) {
	s.busy()
	err := checkLength(sql)
	if q, ok := s.seen(sql); err == nil && ok {
		return []wire.Query{q}, nil
	}
	var texts []syntax.Text
	if err == nil {
		texts, err = syntax.Split(sql)
	}
	if err != nil {
		a := s.newAccount(introspect.ShownText(sql))
		a.Fail(s.fail(ctx, err))
		a.Settle()
		return nil, a.Failed()
	}
	queries := make([]wire.Query, len(texts))
	for i, t := range texts {
		queries[i] = wire.Query{SQL: t.SQL, Offset: t.Offset}
	}
	s.split = nil
	if len(texts) == 1 {
		s.split = &texts[0]
	}
	return queries, nil
}

// analyze is what is there to be known of a query without the catalog. The text that was
// split last is parsed already.
func (s *Session) analyze(q wire.Query) (*syntax.Statement, error) {
	text := s.split
	s.split = nil
	if text != nil && q.Simple && text.SQL == q.SQL {
		return text.Analyze()
	}
	return syntax.Analyze(q.SQL)
}

// Status is the transaction status (wire.Session).
func (s *Session) Status() wire.TxStatus { return s.tx.status() }

// Close ends the session (wire.Session).
func (s *Session) Close() {
	s.busy()
	s.db.Channels.UnlistenAll(&s.listener)
	s.db.Locks.Release(&s.client, true)
	s.db.Locks.Release(&s.client, false)
	s.closeCursors()
	s.closeOpen()
	s.unstage(context.Background())
	s.prepared.clear()
	s.conn.Close()
	for _, offer := range s.moments {
		offer.Unregister()
	}
	s.releaseCatalog(context.Background())
	s.db.Leave(s.serial)
	s.peers.forget(s)
}

// closeOpen gives back the stream of the portal that holds the connection.
func (s *Session) closeOpen() {
	if s.open != nil {
		s.open.Close()
	}
}

// fail marks the transaction as failed and returns the error as the client
// sees it.
func (s *Session) fail(ctx context.Context, err error) error {
	s.tx.fail()
	return sqlstate.Of(ctx, s.log, err)
}

// pin is the head that this statement or transaction reads.
func (s *Session) pin(ctx context.Context) (*resolver.Pin, error) {
	if s.tx.pin != nil {
		return s.tx.pin, nil
	}
	pin, err := s.db.Pin(ctx)
	if err != nil {
		return nil, err
	}
	s.take(pin)
	return pin, nil
}

// take makes a pin that of the transaction.
func (s *Session) take(pin *resolver.Pin) {
	for _, w := range pin.Warnings {
		s.notice(sqlstate.Warning(pgerr.IndexCorrupted, "%s", w))
	}
	s.tx.pin = pin
}

// pinAnew is the head as the store has it this moment, for a name that the pin
// does not know: the original registers types without a commit (decision A13).
func (s *Session) pinAnew(ctx context.Context) (*resolver.Pin, error) {
	pin, err := s.db.PinFresh(ctx)
	if err != nil {
		return nil, err
	}
	s.tx.pin = pin
	return pin, nil
}

// horizon is the newest commit that the session sees at a pin (introspect.Source).
func (s *Session) horizon(pin *resolver.Pin) ontosql.CommitID {
	return (&introspect.Source{Point: s.Fixed}).Horizon(pin)
}

// present is the commit at which tables are read where the statement names no
// point: the horizon, or the setting ontosql.as_of below it.
func (s *Session) present(pin *resolver.Pin) (ontosql.CommitID, error) {
	horizon := s.horizon(pin)
	text := s.settings.Value("ontosql.as_of")
	if text == "" {
		return horizon, nil
	}
	return s.commitAt(pin, text)
}

// commitAt is the commit of a point given as text, never above the horizon.
func (s *Session) commitAt(pin *resolver.Pin, text string) (ontosql.CommitID, error) {
	point, err := settings.ReadPoint(text, s.timeInput(), s.Zone())
	if err != nil {
		return 0, err
	}
	return min(pin.View.Resolve(point), s.horizon(pin)), nil
}

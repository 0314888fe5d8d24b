package session

import (
	"context"
	"fmt"
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
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/workspace"
)

// Session is what one client's session consists of, without its statements and portals: what
// the client has set, what is open in the engine, what is reported, and the transaction. It
// belongs to one goroutine, except for what other sessions see of it, which has a lock of its
// own.
type Session struct {
	Peers  *Peers
	DB     *database.Database
	Start  wire.Startup
	Log    *slog.Logger
	Serial uint64                            // its number among the sessions of this process
	Drafts int                               // schema changes so far; they number versions of the catalog
	Live   map[string]func() []pgcatalog.Row // rows of relations of the moment, by name (liveRelations)

	*planner.Planner
	Settings       *settings.Values
	ClientEncoding *charset.Encoding // of the client's texts, nil for UTF8
	identity
	statementState
	engineState
	reportState
	Tx Transaction
}

// New starts a session on a database. peers are the sessions of the same gateway. The caller
// closes it.
func New(peers *Peers, db *database.Database, start wire.Startup, log *slog.Logger) (*Session, error) {
	if err := db.Engine.Err(); err != nil {
		return nil, err
	}
	s := &Session{
		Peers:  peers,
		DB:     db,
		Start:  start,
		Serial: peers.Serial.Add(1),
		Log:    log.With("database", db.Name, "session", start.PID),
	}
	s.Prepared, s.Moments = NewLRU(MostPrepared, (*duckdb.Stmt).Close), map[string]*duckdb.VirtualTable{}
	s.Live = s.LiveRelations()
	s.Temp = temptable.New(db.Engine, s.Serial, s.Log)
	s.Settings = settings.New(map[string]string{
		"server_version":     pgcatalog.ServerVersion,
		"server_version_num": strconv.Itoa(pgcatalog.ServerVersionNum),
	}, s.reported)
	s.Planner = &planner.Planner{Database: db, Alias: start.Database, Settings: s.Settings, NewEnv: s.NewEnv, Tables: workspace.NewSession(db.Workspace, db.Xacts, temptable.Schema, fmt.Sprintf("t%d_", s.Serial))}
	if err := s.startIdentity(); err != nil {
		return nil, err
	}
	if err := s.startSettings(); err != nil {
		return nil, err
	}
	_, s.ClientEncoding, _ = charset.Find(s.Settings.Value("client_encoding"))
	s.Client = introspect.Client{PID: start.PID, User: start.User, Database: db.Name, Since: time.Now(), Remote: start.Remote, TLS: start.TLS, Activity: &s.Activity}
	s.Listener = database.Listener{PID: start.PID, Notify: start.Notify}
	db.Enter(s.Serial, caller{s})
	s.Activity.Open(s.Settings.Value("application_name"), s.Client.Since)
	return s, nil
}

func (s *Session) reported(name, value string) {
	switch name {
	case "application_name":
		s.Activity.SetApplication(value)
	case "client_encoding":
		_, s.ClientEncoding, _ = charset.Find(value)
	}
	if s.Start.ParameterStatus != nil {
		s.Start.ParameterStatus(name, value)
	}
}

// Notice sends a notice to the client if client_min_messages admits it.
func (s *Session) Notice(n *pgerr.Error) {
	s.Notices++
	if s.Start.Notice != nil && s.Settings.Wants(n.Severity) {
		s.Start.Notice(n)
	}
}

// Zone is the setting TimeZone.
func (s *Session) Zone() *time.Location { return s.Settings.Zone() }

// Style is how values are printed as text (wire.Session).
func (s *Session) Style() *textout.Style { return s.Settings.Style() }

// TimeInput is how texts of dates, times and intervals are read.
func (s *Session) TimeInput() datetime.TimeInput {
	return s.Settings.TimeInput(func() time.Time { return s.TxStarted().In(s.Zone()) })
}

// Encoding is the encoding of the client's texts, nil for UTF8 (wire.Session).
func (s *Session) Encoding() *charset.Encoding { return s.ClientEncoding }

// Status is the transaction status (wire.Session).
func (s *Session) Status() wire.TxStatus { return s.Tx.Status() }

// Close ends the session.
func (s *Session) Close() {
	s.DB.Channels.UnlistenAll(&s.Listener)
	s.Unstage(context.Background())
	s.Prepared.Clear()
	if err := s.Tables.Close(context.Background(), s.LateConn()); err != nil {
		s.Log.Warn("rows of the session stay in the engine", "error", err)
	}
	s.DB.Locks.Release(&s.Client, true) // after the rollback: others wait for it
	s.DB.Locks.Release(&s.Client, false)
	if s.conn != nil {
		s.conn.Close()
	}
	for _, offer := range s.Moments {
		offer.Unregister()
	}
	s.ReleaseCatalog(context.Background())
	s.DB.Leave(s.Serial)
	s.Peers.Forget(s)
}

// CloseOpen closes the stream that the connection has open.
func (s *Session) CloseOpen() {
	if s.Open != nil {
		s.Open.Close()
	}
}

// Fail marks the transaction as failed and returns the error as the client
// sees it.
func (s *Session) Fail(ctx context.Context, err error) error {
	s.Tx.fail()
	return s.withoutWorkspace(sqlstate.Of(ctx, s.Log, err))
}

// withoutWorkspace adds to the error of a relation or schema that does not exist why it may be
// missing: the workspace cannot be used, and with it all that is defined there.
func (s *Session) withoutWorkspace(e *pgerr.Error) error {
	if err := s.Tables.Err(); err != nil && e.Detail == "" && (e.Code == pgerr.UndefinedTable || e.Code == pgerr.InvalidSchemaName) {
		told := *e
		return told.WithDetail("The workspace of this database is not available: %s.", sqlstate.ClientText(err))
	}
	return e
}

// Pin is the head that this statement or transaction reads.
func (s *Session) Pin(ctx context.Context) (*resolver.Pin, error) {
	if s.Tx.Pin != nil {
		return s.Tx.Pin, nil
	}
	pin, err := s.DB.Pin(ctx)
	if err != nil {
		return nil, err
	}
	s.TakePin(pin)
	return pin, nil
}

// TakePin makes a pin that of the transaction.
func (s *Session) TakePin(pin *resolver.Pin) {
	for _, w := range pin.Warnings {
		s.Notice(sqlstate.Warning(pgerr.IndexCorrupted, "%s", w))
	}
	s.Tx.Pin = pin
}

// PinAnew pins the newest head of the store, for a name that is not in the catalog of the pin:
// the original registers types without a commit (decision A13).
func (s *Session) PinAnew(ctx context.Context) (*resolver.Pin, error) {
	pin, err := s.DB.PinFresh(ctx)
	if err != nil {
		return nil, err
	}
	s.Tx.Pin = pin
	return pin, nil
}

// Horizon is the newest commit that the session sees at a pin (introspect.Source).
func (s *Session) Horizon(pin *resolver.Pin) ontosql.CommitID {
	return (&introspect.Source{Point: s.Fixed}).Horizon(pin)
}

// Present is the commit at which a statement without a point reads tables: the horizon, or
// that of the setting ontosql.as_of.
func (s *Session) Present(pin *resolver.Pin) (ontosql.CommitID, error) {
	horizon := s.Horizon(pin)
	text := s.Settings.Value("ontosql.as_of")
	if text == "" {
		return horizon, nil
	}
	return s.CommitAt(pin, text)
}

// CommitAt is the commit of a point given as text, never above the horizon.
func (s *Session) CommitAt(pin *resolver.Pin, text string) (ontosql.CommitID, error) {
	point, err := settings.ReadPoint(text, s.TimeInput(), s.Zone())
	if err != nil {
		return 0, err
	}
	return s.commitOf(pin, point)
}

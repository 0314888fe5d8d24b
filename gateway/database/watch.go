package database

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/pgerr"
)

// The channels on which the gateway itself sends (decision A73); those of records have the name of a
// record and a concern (recordChannel).
const (
	commitsChannel = "ontosql.commits"
	eventsChannels = "ontosql.events:" // and a namespace
)

// source is where what is told on a channel comes from.
type source uint8

const (
	fromClients source = iota // NOTIFY
	fromCommits
	fromEvents
	fromNames
	sources
)

func sourceOf(channel string) source {
	switch _, _, names := recordChannel(channel); {
	case channel == commitsChannel:
		return fromCommits
	case strings.HasPrefix(channel, eventsChannels):
		return fromEvents
	case names:
		return fromNames
	}
	return fromClients
}

// CheckChannel is the error of LISTEN to a channel on which nothing can ever be sent.
func (db *Database) CheckChannel(channel string) error {
	switch sourceOf(channel) {
	case fromEvents:
		if db.Events == nil {
			return pgerr.Unsupported("the database has no event bus")
		}
		return eventbus.CheckName("namespace", strings.TrimPrefix(channel, eventsChannels))
	case fromNames:
		_, err := db.NameService()
		return err
	}
	return nil
}

// TellsEvents reports whether a channel tells of events of the bus.
func TellsEvents(channel string) bool { return sourceOf(channel) == fromEvents }

// feed is what is new for a channel. It is used by one goroutine at a time.
type feed interface {
	// next returns the payloads of what is new since the last call, in order.
	next(ctx context.Context) ([]string, error)
}

// watched is a channel of the gateway that somebody listens to.
type watched struct {
	channel string
	holds   int // transactions that are about to listen; guarded by watch.mu

	feed   feed // of the goroutine of watch
	failed bool // the last call failed, and was logged
}

// watch looks for new commits, events and records while sessions listen for them, whoever makes them, and
// tells the sessions. One goroutine does, so that nothing is told out of order; it ends when nobody
// listens.
type watch struct {
	db       *Database
	interval time.Duration
	log      *slog.Logger

	poked [sources]chan struct{} // by source: this gateway has committed, sent events or written records

	mu       sync.Mutex
	channels map[string]*watched
	running  chan struct{} // closed when the goroutine has ended; nil if there is none
	stop     context.CancelFunc
	closed   bool
}

func newWatch(db *Database, o Options) *watch {
	w := &watch{db: db, interval: o.NotifyInterval, log: o.Logger, channels: map[string]*watched{}}
	for i := range w.poked {
		w.poked[i] = make(chan struct{}, 1)
	}
	if w.interval <= 0 {
		w.interval = time.Second
	}
	if w.log == nil {
		w.log = slog.Default()
	}
	return w
}

// Sent is called after this gateway has sent events: sessions that listen are told at once.
func (db *Database) Sent() { db.watch.poke(fromEvents) }

// Committed is called after this gateway has asked for a commit: sessions that listen are told of it
// at once.
func (db *Database) Committed() { db.watch.poke(fromCommits) }

// poke makes the goroutine look at the channels of a source at once, if there is one.
func (w *watch) poke(from source) {
	select {
	case w.poked[from] <- struct{}{}:
	default: // it will look anyway
	}
}

// Listen is called before a transaction is committed. From now on what is new is looked for on the
// channels of the gateway that the transaction listens to; an error is that of the store. The caller
// calls EndListening.
func (db *Database) Listen(ctx context.Context, l *Listening) error {
	for _, change := range l.Changes {
		if change.Off || sourceOf(change.Channel) == fromClients {
			continue
		}
		held, err := db.watch.hold(ctx, change.Channel)
		if err != nil {
			return err
		}
		l.watched = append(l.watched, held)
	}
	return nil
}

// EndListening ends what Listen began, and applies the LISTEN, UNLISTEN and NOTIFY of the transaction
// if it was committed.
func (db *Database) EndListening(s *Listener, l *Listening, committed bool) {
	if committed {
		db.Channels.Commit(s, *l)
	}
	if len(l.watched) == 0 {
		return
	}
	db.watch.mu.Lock()
	defer db.watch.mu.Unlock()
	for _, one := range l.watched {
		one.holds--
	}
	l.watched = nil
}

// hold begins to watch a channel, unless it is watched already.
func (w *watch) hold(ctx context.Context, channel string) (*watched, error) {
	if one := w.held(channel, nil); one != nil {
		return one, nil
	}
	f, err := w.open(ctx, channel)
	if err != nil {
		return nil, err
	}
	return w.held(channel, f), nil
}

// held holds a channel that is watched, or that is to be by a new feed.
func (w *watch) held(channel string, f feed) *watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.channels[channel]
	if one == nil {
		if f == nil {
			return nil
		}
		one = &watched{channel: channel, feed: f}
		w.channels[channel] = one
	}
	one.holds++
	if w.running == nil && !w.closed {
		ctx, stop := context.WithCancel(context.Background())
		w.stop, w.running = stop, make(chan struct{})
		go w.run(ctx, w.running)
	}
	return one
}

// open begins a feed: what is there already is not new.
func (w *watch) open(ctx context.Context, channel string) (feed, error) {
	switch sourceOf(channel) {
	case fromEvents:
		f, err := w.db.Events.Follow(ctx, strings.TrimPrefix(channel, eventsChannels))
		return &eventFeed{follower: f}, err
	case fromNames:
		return openRecordFeed(ctx, w.db.Names, channel)
	}
	pin, err := w.db.Storage.Pin(ctx)
	if err != nil {
		return nil, err
	}
	return &commitFeed{db: w.db, told: pin.View}, nil
}

func (w *watch) close() {
	w.mu.Lock()
	w.closed = true
	running := w.running
	if running != nil {
		w.stop()
	}
	w.mu.Unlock()
	if running != nil {
		<-running
	}
}

func (w *watch) run(ctx context.Context, ended chan struct{}) {
	defer close(ended)
	tick := time.NewTicker(w.interval)
	defer tick.Stop()
	for {
		only := fromClients // the source to look at; this one means all
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-w.poked[fromCommits]:
			only = fromCommits
		case <-w.poked[fromEvents]:
			only = fromEvents
		case <-w.poked[fromNames]:
			only = fromNames
		}
		channels := w.listened()
		if channels == nil {
			return
		}
		for _, one := range channels {
			if only == fromClients || only == sourceOf(one.channel) {
				w.look(ctx, one)
			}
		}
	}
}

// listened are the channels that somebody listens to, or is about to. It forgets the others. If none
// is left it returns nil, and the goroutine ends.
func (w *watch) listened() []*watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*watched
	for name, one := range w.channels {
		if one.holds == 0 && !w.db.Channels.anybody(name) {
			delete(w.channels, name)
			continue
		}
		all = append(all, one)
	}
	if all == nil {
		w.stop()
		w.running = nil
	}
	return all
}

// look tells what is new on a channel. What an error hides is told by a later call.
func (w *watch) look(ctx context.Context, one *watched) {
	const longest = time.Minute
	bounded, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	payloads, err := one.feed.next(bounded)
	if err != nil && ctx.Err() == nil && !one.failed {
		w.log.WarnContext(ctx, "look for notifications", "database", w.db.Name, "channel", one.channel, "error", err)
	}
	one.failed = err != nil
	for _, payload := range payloads {
		w.db.Channels.tell(Notification{Channel: one.channel, Payload: payload})
	}
}

// eventFeed tells of the new events of a namespace.
type eventFeed struct{ follower eventbus.Follower }

func (f *eventFeed) next(ctx context.Context) ([]string, error) {
	events, err := f.follower.New(ctx)
	payloads := make([]string, len(events))
	for i := range events {
		e := &events[i]
		payloads[i] = payloadOf(eventNotice{Type: &e.Type, ID: e.ID}, eventNotice{ID: e.ID})
	}
	return payloads, err
}

// eventNotice is the payload of an event.
type eventNotice struct {
	Type *string `json:"type"` // null if it is too long
	ID   string  `json:"id"`
}

// commitFeed tells of the new commits.
type commitFeed struct {
	db   *Database
	told *chain.View
}

// commitNotice is the payload of a commit.
type commitNotice struct {
	CommitID  int64    `json:"commit_id"`
	Types     []string `json:"types"` // null if there are too many
	RuntimeID *string  `json:"runtime_id"`
}

func (f *commitFeed) next(ctx context.Context) ([]string, error) {
	pin, err := f.db.Storage.Pin(ctx)
	if err != nil {
		return nil, err
	}
	var payloads []string
	for id := f.common(pin.View) + 1; id <= pin.Head.Commit; id++ {
		m := pin.View.Commit(id).Manifest
		n := commitNotice{CommitID: int64(id), Types: m.TypeNames()}
		if m.RuntimeID != "" {
			n.RuntimeID = &m.RuntimeID
		}
		payloads = append(payloads, payloadOf(n, commitNotice{CommitID: n.CommitID, RuntimeID: n.RuntimeID}))
	}
	f.told = pin.View
	return payloads, nil
}

// common is the last commit that was told and is one of a view. Those after it are new, also if the
// store was set back.
func (f *commitFeed) common(v *chain.View) ontosql.CommitID {
	id := min(f.told.Head().Commit, v.Head().Commit)
	for id > 0 {
		was, is := f.told.Commit(id), v.Commit(id)
		if was == is || was.Path == is.Path && was.Manifest.CreatedAt.Equal(is.Manifest.CreatedAt.Time) {
			break
		}
		id--
	}
	return id
}

// payloadOf is a notice as JSON, or a shorter one if it is too long for a notification.
func payloadOf(notice, shorter any) string {
	var out bytes.Buffer
	for _, n := range []any{notice, shorter} {
		out.Reset()
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(n); err != nil { // of texts and numbers, which JSON has
			panic(err)
		}
		if out.Len() <= maxPayloadLength {
			break
		}
	}
	return strings.TrimSuffix(out.String(), "\n")
}

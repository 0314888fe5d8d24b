package publish

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice"
)

// The pace of a Publisher.
const (
	headInterval   = time.Second
	indexInterval  = time.Second
	statusInterval = 10 * time.Second
	// healDelay is how long a head of another process is left to that process.
	healDelay = 3 * time.Second
	// closeTimeout bounds the pushes of Close.
	closeTimeout = 5 * time.Second
)

// Options configures a Publisher.
type Options struct {
	Service nameservice.Service
	Alias   nameservice.Alias // of the ontology
	// StorageURI is that of the ontology. The address of a commit is the URI, a slash and the path
	// of the manifest.
	StorageURI string
	// Manifest returns the path of the manifest of a commit in the history of the ontology, "" if
	// it has no such commit. It is asked about a head that somebody else has pushed.
	Manifest func(ctx context.Context, id ontosql.CommitID) (string, error)
	Logger   *slog.Logger // nil discards
}

// Publisher writes the record of one ontology in the background. Its methods are safe for concurrent
// use; those that tell it something return at once.
type Publisher struct {
	o      Options
	ctx    context.Context // of the pushes
	cancel context.CancelFunc
	wake   chan struct{} // has a token if there may be something to push
	closed chan struct{} // closed by Close
	done   chan struct{} // closed when the worker has ended
	left   error         // what Close could not push; set before done is closed

	mu    sync.Mutex
	news  news
	lanes []*lane

	// The fields below are used by the worker only.
	known    nameservice.Value // the head that was last seen in the record, or pushed
	diverged bool              // that head is not of this history, and that was told
	rebuilds int               // of news.rebuilds, those that were pushed
}

// news is what a Publisher was told.
type news struct {
	head     ontosql.Head
	indexed  ontosql.CommitID // the commit that all indexes reach, 0 if unknown
	rebuilds int              // how often indexes were replaced since the start
	took     time.Duration    // the last commit
	queued   int              // transactions, when it was made
}

// New starts a Publisher. The caller closes it after the last commit.
func New(o Options) *Publisher {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	p := &Publisher{o: o, wake: make(chan struct{}, 1), closed: make(chan struct{}), done: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.lanes = []*lane{
		nameservice.Head:   {concern: nameservice.Head, interval: headInterval, push: p.pushHead},
		nameservice.Index:  {concern: nameservice.Index, interval: indexInterval, push: p.pushIndex},
		nameservice.Status: {concern: nameservice.Status, interval: statusInterval, push: p.pushStatus},
	}
	go p.run()
	return p
}

// Commit is a commit of this process.
type Commit struct {
	ID       ontosql.CommitID
	Manifest string        // its path
	Took     time.Duration // from the request until it was visible
	Queued   int           // transactions that waited to be committed then
}

// Committed tells of a commit that is visible, in commit order.
func (p *Publisher) Committed(c Commit) {
	p.tell(func(n *news) {
		n.head = ontosql.Head{Commit: c.ID, ManifestPath: c.Manifest}
		n.took, n.queued = c.Took, c.Queued
		p.lanes[nameservice.Head].want(0)
		p.lanes[nameservice.Status].want(0)
	})
}

// Heal tells of the head of the ontology when the head in the record was seen to be behind it. If it
// still is after a few seconds, because its writer has died or cannot reach the name service, it is
// pushed.
func (p *Publisher) Heal(head ontosql.Head) {
	p.tell(func(n *news) {
		if head.Commit > 0 && head.Commit >= n.head.Commit {
			n.head = head
			p.lanes[nameservice.Head].want(healDelay)
		}
	})
}

// Indexed tells that the indexes of all types reach a commit.
func (p *Publisher) Indexed(id ontosql.CommitID) {
	p.tell(func(n *news) {
		n.indexed = id
		p.lanes[nameservice.Index].want(0)
	})
}

// Rebuilt tells that indexes were replaced that may have reached the same commit before.
func (p *Publisher) Rebuilt() {
	p.tell(func(n *news) {
		n.rebuilds++
		p.lanes[nameservice.Index].want(0)
	})
}

func (p *Publisher) tell(change func(n *news)) {
	p.mu.Lock()
	change(&p.news)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *Publisher) told() news {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.news
}

// Close pushes what is left and ends the Publisher. It takes a few seconds at most. The error says
// what was not pushed. It is called once.
func (p *Publisher) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, p.cancel)()
	close(p.closed)
	<-p.done
	p.cancel()
	return p.left
}

package writepath

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Publisher writes a predefined history, commit by commit, to types that it registered itself,
// for demos, benchmarks and tests. After each commit the indexes are up to date and the lock
// is free. It is not safe for concurrent use.
type Publisher struct {
	o     Options
	pin   ontosql.CommitID
	types map[ontosql.TypeRef]format.Schema
}

// NewPublisher opens an ontology for writing. The caller closes it.
func NewPublisher(ctx context.Context, b objstore.Bucket, runtime string) (*Publisher, error) {
	p := &Publisher{types: map[ontosql.TypeRef]format.Schema{}}
	head := store{bucket: b}
	if err := head.readHead(ctx); err != nil {
		return nil, err
	}
	p.pin = head.head.CommitID
	p.o = Options{Bucket: b, RuntimeID: runtime}
	var err error
	p.o.Log, err = chain.Open("", chain.Options{Bucket: b})
	return p, err
}

// Close closes the manifest log.
func (p *Publisher) Close(context.Context) error { return p.o.Log.Close() }

// commitOnce runs commit with a Committer of its own and closes it.
func (p *Publisher) commitOnce(ctx context.Context, commit func(*Committer) (Outcome, error)) (ontosql.CommitID, error) {
	c := Open(p.o)
	out, err := commit(c)
	if closeErr := c.Close(ctx); err == nil {
		err = closeErr
	}
	if err != nil {
		return 0, err
	}
	p.pin = out.Commit
	return out.Commit, nil
}

// Commit is the content of one commit.
type Commit struct {
	At       time.Time         // created_at; the parent's time if that is later
	Metadata map[string]string // the writer's metadata
	Data     []Content         // one for each type it writes rows of
}

// Content are the rows a commit writes of one type.
type Content struct {
	Type ontosql.TypeRef
	Rows iter.Seq[format.Row] // iterated several times, with the same result
}

// Register commits the schemas of new types.
func (p *Publisher) Register(ctx context.Context, at time.Time, schemas []format.Schema) (ontosql.CommitID, error) {
	id, err := p.commitOnce(ctx, func(c *Committer) (Outcome, error) { return c.Register(ctx, at, schemas) })
	if err == nil {
		for _, s := range schemas {
			p.types[s.Ref] = s
		}
	}
	return id, err
}

// Publish writes a commit. Its errors are Committer.Commit's.
func (p *Publisher) Publish(ctx context.Context, c Commit) (ontosql.CommitID, error) {
	tx := Tx{Pin: p.pin, At: c.At, Metadata: c.Metadata}
	for _, content := range c.Data {
		s, ok := p.types[content.Type]
		if !ok {
			return 0, fmt.Errorf("write %s: the type was not registered by this Publisher", content.Type)
		}
		tx.Data = append(tx.Data, Data{Type: content.Type, Fields: format.DataFields(s.Fields), SchemaVersion: FirstVersion, Rows: content.rows()})
	}
	return p.commitOnce(ctx, func(c *Committer) (Outcome, error) { return c.Commit(ctx, tx) })
}

func (c Content) rows() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for row := range c.Rows {
			if !yield(Row{Row: row}, nil) {
				return
			}
		}
	}
}

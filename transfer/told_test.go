package transfer_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/transfer"
)

// bucketSource is a bucket at its newest head.
func bucketSource(t testing.TB, b objstore.Bucket) *transfer.Bucket {
	t.Helper()
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	store := resolver.Open(resolver.Options{Bucket: b, Log: log})
	t.Cleanup(store.Close)
	pin, err := store.Pin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return transfer.NewBucket(b, pin, t.TempDir())
}

// fileSource is a SQLite file at its newest head.
func fileSource(t *testing.T, path string) *transfer.Tables {
	t.Helper()
	db, err := sqlite.Open(sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	pin, err := db.Pin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return transfer.NewTables(db, pin)
}

// told is everything that a reader can learn of an ontology: commits, types, rows of every
// commit by type, event data.
type told struct {
	Engine  string
	Commits []commitTold
	Types   []typeTold
	Rows    map[string][]rowTold
	Events  []string
}

type commitTold struct {
	ID       ontosql.CommitID
	Created  string
	Metadata map[string]string
}

type typeTold struct {
	Ref      string
	Table    string
	SchemaID int64
	Floor    ontosql.CommitID
	Versions []string
}

type rowTold struct {
	Commit  ontosql.CommitID
	Keys    string
	Version int64
	Fields  string
}

// source is what a test reads.
type source interface {
	transfer.Source
	Events(ctx context.Context, visit func(key string, body []byte) error) error
}

func tell(t *testing.T, src source) told {
	t.Helper()
	pin := src.Pin()
	all := told{Engine: pin.Engine, Rows: map[string][]rowTold{}}
	for id := ontosql.CommitID(1); id <= pin.Head.Commit; id++ {
		m := pin.View.Commit(id).Manifest
		c := commitTold{id, m.CreatedAt.String(), map[string]string{}}
		for name, text := range m.Metadata {
			c.Metadata[name] = string(text)
		}
		all.Commits = append(all.Commits, c)
	}
	for _, typ := range pin.Catalog.Types {
		told := typeTold{typ.Ref.String(), typ.Table, typ.SchemaID, typ.Floor, nil}
		for _, v := range typ.Versions {
			told.Versions = append(told.Versions, strings.Join([]string{v.Hash, v.JSON, v.Reason, v.RuntimeID, v.CreatedAt.String()}, " "))
		}
		all.Types = append(all.Types, told)
	}
	for row, err := range src.Rows(t.Context(), nil, 0, pin.Head.Commit) {
		if err != nil {
			t.Fatal(err)
		}
		fields, err := format.Canonicalize(row.Fields)
		if err != nil {
			t.Fatal(err)
		}
		name := row.Type.String()
		all.Rows[name] = append(all.Rows[name], rowTold{row.Commit, strings.Join([]string{row.Key, row.Left, row.Right, row.Instance}, "|"), row.SchemaVersionID, string(fields)})
	}
	err := src.Events(t.Context(), func(key string, body []byte) error {
		all.Events = append(all.Events, key+" "+string(body))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all.Events)
	return all
}

// withoutSnapshots leaves out of dead letters what only a file has of their events.
func (a told) withoutSnapshots(t *testing.T) told {
	t.Helper()
	a.Events = slices.Clone(a.Events)
	for i, e := range a.Events {
		key, body, _ := strings.Cut(e, " ")
		if !strings.HasPrefix(key, format.DeadLettersPrefix) {
			continue
		}
		v, err := format.ParseJSON([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var members []format.Member
		for name, m := range v.Members() {
			if !slices.Contains([]string{"event_type", "event_payload", "root_event_id", "chain_depth"}, name) {
				members = append(members, format.Member{Name: name, Value: m})
			}
		}
		a.Events[i] = key + " " + string(format.Object(members...).Append(nil, format.Canonical))
	}
	return a
}

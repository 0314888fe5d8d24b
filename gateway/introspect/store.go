package introspect

import (
	"context"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/resolver"
)

var indexHealthRelation = &Relation{
	Name:  "index_health",
	About: "How far the advisory index of each type reaches; answers do not depend on it.",
	Columns: []Column{
		{"type_kind", column.Text, "entity or relation"},
		{"type_name", column.Text, "the type"},
		{"max_indexed_commit", column.Int64, "the last commit its index knows"},
		{"head_commit_id", column.Int64, "the last commit there is"},
		{"entries", column.Int64, "entries of the index"},
		{"files", column.Int64, "files that the manifests list for the type"},
		{"status", column.Text, "ok, lagging, missing or damaged"},
		{"problem", column.Text, "what is wrong with it"},
	},
	Rows: func(ctx context.Context, src *Source, pin *resolver.Pin, b *column.Builder) error {
		health, err := src.Storage.IndexHealth(ctx, pin)
		if err != nil {
			return err
		}
		for _, h := range health {
			b.Append(h.Type.Kind.String(), h.Type.Name, int64(h.MaxIndexed), int64(h.Head),
				int64(h.Entries), int64(h.Files), h.Status, textOrNull(h.Problem))
		}
		return nil
	},
}

var writeLockRelation = &Relation{
	Name:  "write_lock",
	About: "Who holds the write lock; no row when it is free.",
	Columns: []Column{
		{"owner_id", column.Text, "the holder"},
		{"acquired_at", column.TimestampTZ, "since when"},
		{"expires_at", column.TimestampTZ, "until when, unless it is renewed"},
		{"is_expired", column.Bool, "whether another writer may take it over"},
	},
	Rows: func(ctx context.Context, src *Source, _ *resolver.Pin, b *column.Builder) error {
		lock, err := src.Storage.Lock(ctx)
		if err != nil || lock == nil || lock.Released() {
			return err
		}
		b.Append(lock.OwnerID, timeOrNull(lock.AcquiredAt.Time), timeOrNull(lock.ExpiresAt.Time),
			lock.Expired(time.Now()))
		return nil
	},
}

var storageInfoRelation = &Relation{
	Name:  "storage_info",
	About: "Where the ontology is kept.",
	Columns: []Column{
		{"backend", column.Text, "s3, file or sqlite"},
		{"storage_uri", column.Text, "the address"},
		{"engine_version", column.Text, "layout of the store, v1 or v2"},
		{"head_commit_id", column.Int64, "the last commit; NULL before the first"},
		{"initialized", column.Bool, "whether there is an ontology at the address"},
		{"runtime_id", column.Text, "the program that moved the head last"},
	},
	Rows: func(_ context.Context, src *Source, pin *resolver.Pin, b *column.Builder) error {
		b.Append(src.Kind, src.URI, pin.Engine, commitOrNull(src.Horizon(pin)), true, textOrNull(pin.Head.RuntimeID))
		return nil
	},
}

var settingsRelation = &Relation{
	Name:  "settings",
	About: "The options the gateway runs with.",
	Columns: []Column{
		{"name", column.Text, "the option"},
		{"value", column.Text, "its value"},
		{"unit", column.Text, "what the value counts"},
		{"source", column.Text, "default, flag, environment or file"},
		{"description", column.Text, "what it does"},
	},
	Rows: func(_ context.Context, src *Source, _ *resolver.Pin, b *column.Builder) error {
		for _, o := range src.Options {
			b.Append(o.Name, textOrNull(o.Value), textOrNull(o.Unit), o.Source, o.Description)
		}
		return nil
	},
}

var recoveriesRelation = &Relation{
	Name:  "recoveries",
	About: "What was written for the original by a later writer, because the one of the commit did not come to the end.",
	Columns: []Column{
		{"actor", column.Text, "who did it: ontosql:recovery"},
		{"for_actor", column.Text, "who asked for the commit"},
		{"commit_id", column.Int64, "the commit that changed the schema"},
		{"projection", column.Text, "key of the object that follows from it"},
		{"outcome", column.Text, "written, already there, or foreign change kept"},
		{"at", column.TimestampTZ, "when it was done"},
	},
	Rows: func(ctx context.Context, src *Source, pin *resolver.Pin, b *column.Builder) error {
		all, err := src.Storage.Recoveries(ctx)
		for _, r := range all {
			if r.Commit <= src.Horizon(pin) {
				b.Append(r.Actor, textOrNull(r.ForActor), int64(r.Commit), r.Projection, r.Outcome, r.At.Time)
			}
		}
		return err
	},
}

package format

import "github.com/ontosql/ontosql"

// RecoveriesKey is the key of the list of schema changes that later writers rolled forward.
const RecoveriesKey = "meta/ontosql/recoveries.json"

// RecoveryActor is the actor of every Recovery.
const RecoveryActor = "ontosql:recovery"

// The outcomes of a recovery.
const (
	RecoveryWritten = "written"
	RecoveryThere   = "already there"       // the object already matches the change
	RecoveryForeign = "foreign change kept" // the original has changed the object since
)

// Recovery is the projection of a schema change to one object (decision A13) by a later writer,
// because the writer of the commit did not finish it.
type Recovery struct {
	Actor      string
	At         Time
	Commit     ontosql.CommitID // the commit of the schema change
	ForActor   string           // the commit's actor, "" for none
	Outcome    string
	Projection string // key of the object
}

// DecodeRecoveries reads meta/ontosql/recoveries.json, the oldest recovery first. A missing list,
// or a value that is not a list, is an empty list. An entry of the wrong shape is an error.
func DecodeRecoveries(key string, body []byte) ([]Recovery, error) {
	f, err := readObjectLeniently(key, body)
	if err != nil {
		return nil, err
	}
	var all []Recovery
	f.each("recoveries", f.optionalItems("recoveries"), func(e objectReader) {
		all = append(all, Recovery{
			Actor: e.text("actor"), At: e.time("at"), Commit: e.commit("commit_id", 1), ForActor: e.optionalText("for_actor"),
			Outcome: e.oneOf("outcome", RecoveryWritten, RecoveryThere, RecoveryForeign), Projection: e.text("projection"),
		})
	})
	if f.err() != nil {
		return nil, f.err()
	}
	return all, nil
}

// EncodeRecoveries writes recoveries in the given order.
func EncodeRecoveries(all []Recovery) []byte {
	items := make([]Value, len(all))
	for i, r := range all {
		items[i] = Object(appendText([]Member{
			{"actor", String(r.Actor)},
			{"at", String(r.At.String())},
			{"commit_id", Int(int64(r.Commit))},
			{"outcome", String(r.Outcome)},
			{"projection", String(r.Projection)},
		}, "for_actor", r.ForActor)...)
	}
	return encodeObject(Member{"recoveries", Array(items...)})
}

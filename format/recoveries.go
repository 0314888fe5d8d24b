package format

import "github.com/ontosql/ontosql"

// RecoveriesKey is where it is kept what later writers rolled forward.
const RecoveriesKey = "meta/ontosql/recoveries.json"

// RecoveryActor is the actor of every Recovery.
const RecoveryActor = "ontosql:recovery"

// What a recovery made of an object.
const (
	RecoveryWritten = "written"
	RecoveryThere   = "already there"       // as the change wants it
	RecoveryForeign = "foreign change kept" // the original has changed it since
)

// Recovery is one object that a schema change is projected to (decision A13), done
// by a later writer than the one of the commit, who had not come to the end.
type Recovery struct {
	Actor      string
	At         Time
	Commit     ontosql.CommitID // of the change
	ForActor   string           // the commit's actor, "" for none
	Outcome    string
	Projection string // key of the object
}

// DecodeRecoveries reads meta/ontosql/recoveries.json, the oldest first. A list that
// is missing or no list is empty; an entry of the wrong shape is an error.
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

// EncodeRecoveries writes recoveries in the order they are in.
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

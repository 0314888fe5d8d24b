package introspect

import (
	"iter"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/resolver"
)

// Source is what the relations of the schema ontosql are computed from, for one session.
type Source struct {
	Database   string   // its name
	Peers      []string // the names of the other databases of the gateway
	Kind, URI  string   // of its storage: "s3", "file" or "sqlite", and the address without credentials
	Storage    storage.Backend
	Mirror     *mirror.Mirror // nil for none
	Options    []Option
	Statements *StatementLog
	Clients    func() []Client // the sessions of the gateway, in the order in which they began
	Compacting *Work           // the automatic compaction that goes on; nil for none

	Events eventbus.Bus        // nil for none
	Names  nameservice.Service // nil for none

	// Asked is what the statement asks of the relation.
	Asked Asked

	// Sees reports whether the session may see the statements of a user.
	Sees  func(user string) bool
	Point *ontosql.Point // that the database name of the session gives, no tag; nil for none
	// Tags are the tags that the session sees at a pin.
	Tags func(*resolver.Pin) (format.Tags, error)
}

// Asked is what a statement asks of a relation. Rows that it does not ask for, and the values of
// other columns, are not used.
type Asked struct {
	Columns []string
	// Equals has the values that a column of Relation.Narrowing may have, by the column; none for a
	// column that may have any.
	Equals map[string][]string
	// From and To bound the column of times of Relation.Narrowing, both inclusive; zero means no
	// bound.
	From, To time.Time
}

// Option is one option of the program, for ontosql.settings.
type Option struct{ Name, Value, Unit, Source, Description string }

// Horizon is the newest commit that the session sees at a pin: the head, or the commit of
// Point.
func (s *Source) Horizon(pin *resolver.Pin) ontosql.CommitID {
	if s.Point != nil {
		id, _ := pin.View.Resolve(*s.Point) // which is no tag
		return id
	}
	return pin.Head.Commit
}

// commits are the commits that the session sees at a pin, with their numbers.
func (s *Source) commits(pin *resolver.Pin) iter.Seq2[ontosql.CommitID, *chain.Entry] {
	return func(yield func(ontosql.CommitID, *chain.Entry) bool) {
		for id, last := ontosql.CommitID(1), s.Horizon(pin); id <= last; id++ {
			if !yield(id, pin.View.Commit(id)) {
				return
			}
		}
	}
}

// hidden replaces the statement of another user, as in PostgreSQL.
const hidden = "<insufficient privilege>"

func commitOrNull(id ontosql.CommitID) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}

func timeOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

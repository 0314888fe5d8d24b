package introspect

import (
	"context"
	"maps"
	"slices"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/resolver"
)

var tagsRelation = &Relation{
	Name:  "tags",
	About: "The tags: names of commits, each a point wherever a point may stand.",
	Columns: []Column{
		{"name", column.Text, "the tag"},
		{"commit_id", column.Int64, "the commit that it names"},
		{"message", column.Text, "what its author says of it"},
		{"actor", column.Text, "who made it"},
		{"created_at", column.TimestampTZ, "when it was made"},
	},
	Rows: func(_ context.Context, src *Source, pin *resolver.Pin, b *column.Builder) error {
		tags, err := src.Tags(pin)
		for _, name := range slices.Sorted(maps.Keys(tags)) {
			if t := tags[name]; t.Commit <= src.Horizon(pin) {
				b.Append(name, int64(t.Commit), textOrNull(t.Message), textOrNull(t.Actor), t.CreatedAt.Time)
			}
		}
		return err
	},
}

var tagged = []Column{{"commit_id", column.Int64, "the commit that the tag names"}}

var tagAction = action("tag", "Gives a commit a name: that of the point, or the newest. A name that exists is an error.", tagged)

var untagAction = action("untag", "Removes a tag. The commit stays.", tagged)

package introspect

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/resolver"
)

var nameserviceRelation = &Relation{
	Name:  "nameservice",
	About: "The records of the name service: which ontologies and graph sources there are, and what is new of each. A condition on pk or type narrows what is read.",
	Columns: []Column{
		{"pk", column.Text, "its alias: name:branch, of a graph source vg:name:branch"},
		{"type", column.Text, "ledger for an ontology, vg:... for a graph source"},
		{"name", column.Text, "the name in the alias"},
		{"branch", column.Text, "the branch in the alias"},
		{"deps", column.List, "the aliases that a graph source is made from; NULL for an ontology"},
		{"created_at", column.TimestampTZ, "when it was created"},
		{"retracted", column.Bool, "whether it was taken out of service"},
		{"head_v", column.Int64, "the last commit; 0 before the first"},
		{"head", column.JSON, "where the last commit is"},
		{"index_v", column.Int64, "how often index was written"},
		{"index", column.JSON, "what is indexed, up to which commit"},
		{"status_v", column.Int64, "how often status was written"},
		{"status", column.JSON, "its state, figures and soft locks"},
		{"config_v", column.Int64, "how often config was written"},
		{"config", column.JSON, "where it is stored, and its settings"},
	},
	Narrowing: []string{"pk", "type"},
	Rows: func(ctx context.Context, src *Source, _ *resolver.Pin, b *column.Builder) error {
		records, err := src.records(ctx)
		for _, r := range records {
			var deps any
			if r.Deps != nil {
				deps = r.Deps
			}
			row := []any{r.Alias.String(), r.Type, r.Name, r.Branch, deps, time.Unix(r.CreatedAt, 0), r.Retracted}
			for _, c := range nameservice.Concerns {
				row = append(row, r.Value(c).V, PayloadOrNull(r.Value(c).Payload))
			}
			b.Append(row...)
		}
		return err
	},
}

// records are those that the statement asks for; none without a name service.
func (s *Source) records(ctx context.Context) (found []*nameservice.Record, err error) {
	if s.Names == nil {
		return nil, nil
	}
	if pks, narrowed := s.Asked.Equals["pk"]; narrowed {
		slices.Sort(pks)
		for _, pk := range slices.Compact(pks) {
			a, err := nameservice.ParseAlias(pk)
			if err != nil || a.String() != pk { // no record has it
				continue
			}
			r, err := s.Names.Get(ctx, a)
			switch {
			case errors.Is(err, nameservice.ErrNotFound):
			case err != nil:
				return nil, err
			default:
				found = append(found, r)
			}
		}
		return found, nil
	}
	kinds, narrowed := s.Asked.Equals["type"]
	if !narrowed {
		return s.Names.List(ctx, "")
	}
	slices.Sort(kinds)
	for _, kind := range slices.Compact(kinds) {
		if kind == "" { // which would mean all
			continue
		}
		list, err := s.Names.List(ctx, kind)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	return found, nil
}

// PayloadOrNull is the payload of a concern as a value of column.JSON.
func PayloadOrNull(payload json.RawMessage) any {
	if len(payload) == 0 || string(payload) == "null" {
		return nil
	}
	return string(payload)
}

var nsCreateAction = action("ns_create", "Creates a record of the name service and returns its pk. It makes no store: see CREATE DATABASE. It takes effect at once.",
	[]Column{{"pk", column.Text, "the alias of the record"}})

var nsPushAction = action("ns_push", "Writes a concern of a record if its watermark, and the payload of a head, are the expected ones. It takes effect at once.", []Column{
	{"updated", column.Bool, "whether it was written"},
	{"v", column.Int64, "the watermark that is there now; NULL if there is no such record"},
	{"payload", column.JSON, "the payload that is there now"},
})

var nsRetractAction = action("ns_retract", "Takes a record out of service. False means that it was so already. It takes effect at once.",
	[]Column{{"retracted", column.Bool, "whether this call has done it"}})

var nsLockAction = action("ns_lock", "Takes a soft lock in the status of a record: index, reindex or migration. It takes effect at once.", []Column{
	{"locked", column.Bool, "whether the holder has it now"},
	{"holder", column.Text, "who has it"},
	{"target_t", column.Int64, "the commit up to which that one works"},
	{"expires_at", column.TimestampTZ, "when anybody may take it"},
})

var nsUnlockAction = action("ns_unlock", "Gives a soft lock back. False means that somebody else holds it. It takes effect at once.",
	[]Column{{"unlocked", column.Bool, "whether the holder does not have it any more"}})

var nsChangedSinceAction = action("ns_changed_since", "The records of which a client does not know the newest, by the watermarks that it knows: {pk: {type, head_v, index_v, status_v, config_v}}. A concern without a watermark is not looked at.", []Column{
	{"pk", column.Text, "its alias"},
	{"type", column.Text, "its type"},
	{"head_v", column.Int64, "the watermark of head if it is newer than known"},
	{"index_v", column.Int64, "that of index"},
	{"status_v", column.Int64, "that of status"},
	{"config_v", column.Int64, "that of config"},
	{"gone", column.Bool, "whether there is no such record any more"},
})

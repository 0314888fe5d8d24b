package worker

import (
	"strings"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

// Text is an event as handlers outside the process get it: one JSON object, whose members are those
// of the event, the handler, and the number of attempts that failed before.
func Text(d *eventbus.Delivery) ([]byte, error) {
	payload, err := format.ParseJSON(d.Payload)
	if err != nil {
		return nil, err
	}
	return format.Object(
		format.Member{Name: "id", Value: format.String(d.ID)},
		format.Member{Name: "namespace", Value: format.String(d.Namespace)},
		format.Member{Name: "type", Value: format.String(d.Type)},
		format.Member{Name: "payload", Value: payload},
		format.Member{Name: "created_at", Value: format.String(d.CreatedAt.String())},
		format.Member{Name: "priority", Value: format.Int(d.Priority)},
		format.Member{Name: "root_event_id", Value: format.String(d.RootEventID)},
		format.Member{Name: "chain_depth", Value: format.Int(d.ChainDepth)},
		format.Member{Name: "handler_id", Value: format.String(d.Lease.Handler)},
		format.Member{Name: "attempts", Value: format.Int(d.Attempts)},
	).Append(nil, format.Canonical), nil
}

// validText is a text that every store keeps: UTF-8 without U+0000.
func validText(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
}

package introspect

import "github.com/ontosql/ontosql/column"

var claimAction = action("claim", "Leases events of some types to the session: those that the handler has not got yet, or has not finished in time, the greatest priority first. It takes effect at once.", []Column{
	{"id", column.UUID, "the event"},
	{"namespace", column.Text, "the namespace that it was sent to"},
	{"type", column.Text, "its type"},
	{"payload", column.JSON, "what its sender says"},
	{"created_at", column.TimestampTZ, "when it was sent"},
	{"priority", column.Int64, "the greater, the earlier it is delivered"},
	{"root_event_id", column.UUID, "the first event of its chain"},
	{"chain_depth", column.Int64, "how many events lie between it and the first one"},
	{"attempts", column.Int64, "failed attempts of the handler so far"},
	{"lease_until", column.TimestampTZ, "the end of the lease"},
})

var ackAction = action("ack", "Marks a leased event as done for a handler. False means that the lease was not held. It takes effect at once.",
	[]Column{{"acked", column.Bool, "whether the event is done"}})

var releaseAction = action("release", "Gives a leased event back after a failure; the handler gets it again later, or it is a dead letter after the last attempt. False means that the lease was not held. It takes effect at once.",
	[]Column{{"released", column.Bool, "whether it was given back"}})

var extendAction = action("extend", "Renews a lease, to end after the given time from now. False means that the lease was not held. It takes effect at once.",
	[]Column{{"extended", column.Bool, "whether it was renewed"}})

var replayAction = action("replay", "Sends a copy of an event, with an id, a time and a lineage of its own. It takes effect at once.",
	[]Column{{"id", column.UUID, "the id of the copy"}})

var cleanupEventsAction = action("cleanup_events", "Removes the events of a namespace that were sent before a time, and their claims, whatever their status. It takes effect at once.",
	[]Column{{"removed", column.Int64, "how many events were removed"}})

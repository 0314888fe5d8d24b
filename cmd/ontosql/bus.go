package main

import (
	"log/slog"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/eventbus/outbox"
	"github.com/ontosql/ontosql/sqlite/events"
)

// openBus opens the event bus of an ontology, which the gateway closes before the store.
func (s *store) openBus(g *openedGateway, log *slog.Logger) eventbus.Bus {
	damaged := func(err error) { log.Warn("data of the event bus is damaged and left out", "error", err) }
	if s.db == nil {
		left := outbox.Open(outbox.Options{Bucket: s.bucket, Log: s.log, Damaged: damaged})
		return left.Before(objects.Open(objects.Options{Bucket: s.bucket, Damaged: damaged}))
	}
	bus := events.Open(events.Options{DB: s.db, Damaged: damaged})
	g.closers = append(g.closers, func() {
		if err := bus.Close(); err != nil {
			log.Warn("close the event bus", "error", err)
		}
	})
	return bus
}

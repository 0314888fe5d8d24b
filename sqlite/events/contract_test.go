package events_test

import (
	"testing"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/eventbustest"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/events"
	"github.com/ontosql/ontosql/sqlite/sqlitetest"
)

// on opens a file for the suite.
func on(t *testing.T, path string) eventbustest.Open {
	return func(now func() time.Time, damaged func(error)) eventbus.Bus {
		db, err := sqlite.Open(sqlite.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		b := events.Open(events.Options{DB: db, Now: now, Damaged: damaged, Wait: time.Minute})
		t.Cleanup(func() {
			if err := b.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if err := db.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
		return b
	}
}

func TestContract(t *testing.T) {
	eventbustest.Run(t, func(t *testing.T) eventbustest.Open { return on(t, sqlitetest.NewFile(t, format.EngineV1)) })
}

package gateway_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// publisher initialises a store and publishes into it under a runtime id, as another program
// does.
func publisher(t testing.TB, b objstore.Bucket, engine, runtimeID string) *writepath.Publisher {
	t.Helper()
	if _, err := writepath.Init(t.Context(), b, writepath.InitOptions{Engine: engine}); err != nil {
		t.Fatal(err)
	}
	p, err := writepath.NewPublisher(t.Context(), b, runtimeID)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// storeOf is a store in memory of types without rows.
func storeOf(t testing.TB, schemas ...format.Schema) objstore.Bucket {
	t.Helper()
	b := mem.New("store")
	p := publisher(t, b, format.EngineV1, "test")
	if _, err := p.Register(t.Context(), time.Time{}, schemas); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

// keyField is the primary key of an entity type.
func keyField(name string, of format.FieldType) format.SchemaField {
	f := format.NewField(name, of, false)
	f.PrimaryKey = true
	return f
}

// thing is a type with a day of birth in each row, or a text that is not a day.
var thing = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}

func thingRow(key string, born string) format.Row {
	return format.Row{Key: key, Fields: fmt.Appendf(nil, `{"born":%q,"id":%q}`, born, key)}
}

// thingFields are the fields of a type with a day of birth.
func thingFields() []format.SchemaField {
	return []format.SchemaField{keyField("id", format.FieldStr), format.NewField("born", format.FieldDate, true)}
}

package dynamodb

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/nameservicetest"
)

var tables atomic.Int32

// table is a table of the emulator for one test.
type table struct {
	*testing.T
	name, endpoint string
}

// noTable is a table that was not made.
func noTable(t *testing.T) table {
	t.Helper()
	return table{t, fmt.Sprintf("names-%d", tables.Add(1)), testenv.DynamoDB(t)}
}

func newTable(t *testing.T, withStates bool) table {
	t.Helper()
	x := noTable(t)
	if made, err := x.open(nil).Init(t.Context(), withStates); !made || err != nil {
		t.Fatalf("Init: made %v, %v", made, err)
	}
	return x
}

// open opens a service on the table whose requests go through transport, if that is not nil.
func (x table) open(transport http.RoundTripper) *Service {
	x.Helper()
	s, err := Open(x.Context(), Options{
		Table: x.name, Endpoint: x.endpoint, Transport: transport,
		Backoff: func(int) time.Duration { return time.Millisecond },
	})
	if err != nil {
		x.Fatalf("Open: %v", err)
	}
	return s
}

// plant stores attributes as another program has left them.
func (x table) plant(a nameservice.Alias, record string) {
	x.Helper()
	var m nameservice.Members
	if err := json.Unmarshal([]byte(record), &m); err != nil {
		x.Fatal(err)
	}
	m["pk"], _ = json.Marshal(a.String())
	item, err := encodeMembers(m)
	if err != nil {
		x.Fatal(err)
	}
	s := x.open(nil)
	// The context of a test that plants in its cleanup would have ended.
	if _, err := s.client.PutItem(context.WithoutCancel(x.Context()), &dynamodb.PutItemInput{TableName: aws.String(x.name), Item: item}); err != nil {
		x.Fatalf("plant %s: %v", a, err)
	}
}

func TestContract(t *testing.T) {
	for name, withStates := range map[string]bool{"indexed by type": false, "indexed by type and state": true} {
		t.Run(name, func(t *testing.T) {
			nameservicetest.Run(t, func(t *testing.T) nameservicetest.Store {
				x := newTable(t, withStates)
				return nameservicetest.Store{Open: func() nameservice.Service { return x.open(nil) }, Plant: x.plant}
			})
		})
	}
}

func TestContractWithoutIndexes(t *testing.T) {
	nameservicetest.Run(t, func(t *testing.T) nameservicetest.Store {
		x := noTable(t)
		x.makeBare()
		return nameservicetest.Store{Open: func() nameservice.Service { return x.open(nil) }, Plant: x.plant}
	})
}

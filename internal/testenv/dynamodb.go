package testenv

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// dynamoDBKey is the account of the emulator, which takes every key of letters and digits and
// checks no signature. Accounts and regions have tables of their own.
const dynamoDBKey = "ontosqltest"

// DynamoDBServer is a running DynamoDB Local, AWS's own emulator, with tables in memory.
type DynamoDBServer struct {
	*server
	Endpoint string // http://127.0.0.1:PORT
}

// StartDynamoDB starts an emulator that the caller stops. It has no option for the address
// and so listens on all of them, unlike the other servers.
func StartDynamoDB(ctx context.Context) (*DynamoDBServer, error) {
	java, err := find("java")
	if err != nil {
		return nil, fmt.Errorf("%w: run make services", err)
	}
	library := filepath.Join(filepath.Dir(tools()), "dynamodb")
	if _, err := os.Stat(filepath.Join(library, "pom.xml")); err != nil {
		return nil, fmt.Errorf("no DynamoDB Local in %s: run make services", library)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ontosql-dynamodb-")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	command := []string{
		java, "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", // for a short life
		"-Djava.library.path=" + library, "-cp", filepath.Join(library, "*"),
		"com.amazonaws.services.dynamodbv2.local.main.ServerRunner", "-inMemory", "-disableTelemetry", "-port", port,
	}
	endpoint := "http://127.0.0.1:" + port
	s, err := start(ctx, dir, "KILL", nil, nil, command, func() error { return answers(endpoint) })
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return &DynamoDBServer{server: s, Endpoint: endpoint}, nil
}

// answers says whether an HTTP server is there, whatever it answers.
func answers(url string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// sharedDynamoDB is package state for the reason that sharedS3 is.
var sharedDynamoDB = sync.OnceValues(func() (*DynamoDBServer, error) { return StartDynamoDB(context.Background()) })

// DynamoDB returns the endpoint of an emulator of DynamoDB, and sets the AWS environment of
// the test to its account. The emulator is shared by the tests of one process, so each test
// makes a table with a name of its own.
func DynamoDB(t testing.TB) (endpoint string) {
	t.Helper()
	s, err := sharedDynamoDB()
	Require(t, "dynamodb", err)
	AWS(t, dynamoDBKey, "secret")
	return s.Endpoint
}

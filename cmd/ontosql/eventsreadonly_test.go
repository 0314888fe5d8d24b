package main

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestEventsOfAReadOnlyStore: who may only read an ontology sees its events. Whatever would change
// them says that it may not, and a worker ends instead of trying for ever.
func TestEventsOfAReadOnlyStore(t *testing.T) {
	at := testenv.S3(t)
	store := []string{"--storage-uri", "s3://" + at.Bucket + "/shop", "--s3-endpoint-url"}
	writer := append(store[:len(store):len(store)], at.Endpoint)
	reader := append(store[:len(store):len(store)], testenv.S3ReadOnly(t))
	for _, c := range []string{"init", "events enqueue --type order.placed --namespace n"} {
		if code, _, problem := command(t, append(strings.Fields(c), writer...)...); code != exitOK {
			t.Fatalf("%s: exit %d\n%s", c, code, problem)
		}
	}
	for _, c := range []struct {
		command []string
		code    int
		says    string
	}{
		{strings.Fields("events show --namespace n"), exitOK, "order.placed"},
		{strings.Fields("events list-namespaces"), exitOK, "n "},
		{[]string{"sql", "-c", "SELECT type FROM ontosql.events"}, exitOK, "order.placed"},
		{strings.Fields("events enqueue --type t --namespace n"), exitExecution, "permission denied"},
		{strings.Fields("events work --namespace n --handler h --on order.placed --exec true"), exitExecution, "permission denied"},
		{[]string{"sql", "-c", "SELECT id FROM ontosql.claim('h', ARRAY['order.placed'], namespace => 'n')"}, exitExecution, "read-only"},
		{[]string{"sql", "-c", "SELECT ontosql.enqueue('t', '{}')"}, exitExecution, "read-only"},
		{strings.Fields("events show --namespace n"), exitOK, "pending"},
	} {
		code, out, problem := command(t, append(c.command, reader...)...)
		if code != c.code || !strings.Contains(out+problem, c.says) {
			t.Errorf("%v: exit %d, want %d and %q\n%s%s", c.command, code, c.code, c.says, out, problem)
		}
	}
}

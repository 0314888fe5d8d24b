package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/s3"
)

// TestSchemaCommandsOnS3 goes the whole way of a schema on a real S3 server: what the
// commands do in a directory they do there, with the original's tokens and to the same
// end for the original.
func TestSchemaCommandsOnS3(t *testing.T) {
	for _, engine := range []string{"s3-v1", "s3-v2"} {
		t.Run(engine, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			at := testenv.S3(t)
			b, err := s3.Open(t.Context(), s3.Options{Bucket: at.Bucket, Prefix: "shop", Endpoint: at.Endpoint, Region: at.Region})
			if err != nil {
				t.Fatal(err)
			}
			fixtures.Load(t, b, engine+"/stage1-commits")
			flags := []string{"--storage-uri", "s3://" + at.Bucket + "/shop", "--s3-endpoint-url", at.Endpoint}
			run := func(code int, says, line string, more ...string) string {
				t.Helper()
				got, out, problem := command(t, slices.Concat(strings.Fields(line), more, flags)...)
				if got != code || !strings.Contains(out+problem, says) {
					t.Fatalf("%s %s: exit %d, %s%s; want exit %d and %q", line, more, got, out, problem, code, says)
				}
				return out
			}
			log := decoded[struct {
				Migration struct {
					Token string `json:"token"`
				} `json:"migration"`
			}](t, string(fixtures.File(t, engine+"/log.json"))).Migration

			models := []string{"--schema", modelsOfFixtures(t)}
			upgraded := append(slices.Clone(models), "--upgraders", file(t, "up.json", upgradeCustomer))
			if plan := decoded[migrationPlan](t, run(exitOK, "missing_steps", "migrate --json", models...)); plan.Token != log.Token {
				t.Errorf("the token is %q, the original's %q", plan.Token, log.Token)
			}
			run(exitOK, "Types requiring upgraders: Customer", "migrate --dry-run", upgraded...)
			run(exitExecution, "missing upgraders: Customer from version 1", "migrate --apply --token "+log.Token, models...)
			run(exitOK, "INSERT 0 1", "sql -c", "INSERT INTO scratch VALUES ('between')")
			run(exitExecution, "hint: --dry-run", "migrate --apply --token "+log.Token, upgraded...)
			run(exitOK, "Customer: 3 rows migrated -> v2", "migrate --apply --force", upgraded...)
			run(exitOK, "No schema changes detected.", "migrate --apply --force", upgraded...)

			export := run(exitOK, `"entities"`, "schema export --with-hash")
			if stored := run(exitOK, `"entities"`, "schema export --with-hash", models...); !format.Equal([]byte(export), []byte(stored)) {
				t.Errorf("the store exports\n%s\nthe schema file\n%s", export, stored)
			}
			history := decoded[[]schemaVersion](t, run(exitOK, "", "schema history --json --kind entity --type Customer"))
			if len(history) != 2 || history[1].Reason != "migration" {
				t.Errorf("the versions of Customer are %+v, want the second one by migration", history)
			}

			declared := []string{"--schema", file(t, "s.sql", "CREATE TABLE scratch (id text PRIMARY KEY); COMMENT ON TABLE scratch IS 'what is tried'")}
			plan := decoded[migrationPlan](t, run(exitOK, "what is tried", "migrate --json", declared...))
			run(exitOK, "Scratch: declared as in the file", "migrate --apply --token "+plan.Token, declared...)
			run(exitOK, "No schema changes detected.", "migrate", declared...)

			run(exitDropSafety, "existing rows: Scratch", "schema drop entity Scratch")
			drop := decoded[dropPlan](t, run(exitOK, "token", "schema drop entity Scratch --purge-history --json"))
			run(exitOK, "INSERT 0 1", "sql -c", "INSERT INTO scratch VALUES ('since')")
			run(exitDropSafety, "hint: --dry-run", "schema drop entity Scratch --purge-history --apply --token "+drop.Token)
			drop = decoded[dropPlan](t, run(exitOK, `"Scratch": 2`, "schema drop entity Scratch --purge-history --json"))
			run(exitOK, "Dropped entity 'Scratch'", "schema drop entity Scratch --purge-history --apply --token "+drop.Token)
			run(exitUsage, `there is no entity "Scratch"`, "schema drop entity Scratch --purge-history")

			maintaintest.Clean(t, b)
			if _, _, err := b.Get(t.Context(), format.LockKey); !errors.Is(err, objstore.ErrNotFound) {
				t.Errorf("the write lock of commands that ended: %v, want none", err)
			}
			run(exitOK, `"lagged_types": []`, "info --json")
			theirs, ours := asOriginal(t, fixtures.Dir(t, engine+"/stage2-migrated/objects")), originalIn(t, b)
			for ref := range theirs {
				if ref.Name == "Scratch" {
					delete(theirs, ref)
				}
			}
			if diff := gocmp.Diff(theirs, ours, cmpopts.IgnoreFields(format.Row{}, "Commit")); diff != "" {
				t.Errorf("what the original reads (-after its migration +after ours):\n%s", diff)
			}
		})
	}
}

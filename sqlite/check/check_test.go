package check_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite/check"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// run is check.Run at the time of the fixtures.
func run(t *testing.T, path string, data bool) *check.Report {
	t.Helper()
	report, err := check.Run(t.Context(), path, check.Options{Data: data, Now: fixtureNow})
	if err != nil {
		t.Fatalf("check: %v", err)
	}
	return report
}

func fixtureNow() time.Time { return time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC) }

// brief is a finding on one line.
func brief(f check.Finding) string {
	var places []string
	for _, p := range f.Places {
		places = append(places, fmt.Sprintf("%d: %s", p.RowID, p.Text))
	}
	return fmt.Sprintf("%s %s %s (%d) %s", f.Severity, f.Check, f.Table, f.Total, strings.Join(places, "; "))
}

// TestSoundFiles finds nothing in what the original wrote.
func TestSoundFiles(t *testing.T) {
	for _, c := range []struct{ name, engine string }{{sqlitetest.FileV1, "v1"}, {sqlitetest.FileV2, "v2"}} {
		for _, data := range []bool{false, true} {
			r := run(t, sqlitetest.Fixture(t, c.name), data)
			for _, f := range r.Findings {
				t.Errorf("%s, data %v: %s", c.name, data, brief(f))
			}
			if r.Head != 7 || r.Engine != c.engine || r.Rows != 17 {
				t.Errorf("%s, data %v: head %d, engine %s, %d rows; want 7, %s, 17", c.name, data, r.Head, r.Engine, r.Rows, c.engine)
			}
		}
	}
}

// TestReportOfAnUnknownEngine: the report has the engine that the file names.
func TestReportOfAnUnknownEngine(t *testing.T) {
	path := sqlitetest.Fixture(t, sqlitetest.FileV2)
	sqlitetest.Edit(t, path, `UPDATE storage_meta SET value = 'v3' WHERE key = 'engine_version'`)
	if r := run(t, path, false); r.Engine != "v3" {
		t.Errorf("engine %q, want v3", r.Engine)
	}
}

// checkDamage is a damage of a file, and the findings that report it: severity, check and table
// of each.
type checkDamage struct {
	name string
	file string
	sql  string
	deep bool // only Data shows it
	want []string
}

var checkDamages = []checkDamage{
	// Commits.
	{"a commit that is gone", sqlitetest.FileV1, `DELETE FROM commits WHERE id = 6`, false, []string{"error commit ids commits"}},
	{"the last commits are gone", sqlitetest.FileV1, `DELETE FROM commits WHERE id > 5`, false, []string{"error commit ids commits"}},
	{"a commit of rows is gone", sqlitetest.FileV1, `DELETE FROM commits WHERE id = 3`, false, []string{
		"error foreign keys relation_history", "error commit ids commits", "error orphaned rows relation_history",
	}},
	{"rows without a commit", sqlitetest.FileV1, `UPDATE entity_history SET commit_id = 99 WHERE id = 11`, false, []string{
		"error foreign keys entity_history", "error orphaned rows entity_history",
	}},
	{"a commit with id 0", sqlitetest.FileV1, `INSERT INTO commits VALUES (0, '2026-11-21T00:00:00.000000+00:00', NULL)`, false, []string{"error commit ids commits"}},
	{"a clock that went back", sqlitetest.FileV1, `UPDATE commits SET created_at = '2026-11-20T00:00:00.000000+00:00' WHERE id = 3`, false, []string{"warning commit times commits"}},
	{"our commit is older than its parent", sqlitetest.FileV1, `UPDATE commits SET created_at = '2026-11-20T00:00:00.000000+00:00', metadata_json = '{"ontosql_attempt": "a"}' WHERE id = 3`, false, []string{"error commit times commits"}},
	{"a time with Z", sqlitetest.FileV1, `UPDATE commits SET created_at = replace(created_at, '+00:00', 'Z') WHERE id = 3`, false, []string{"error commit times commits"}},
	{"a time that is none", sqlitetest.FileV1, `UPDATE commits SET created_at = 'yesterday' WHERE id = 3`, false, []string{"error commit times commits"}},
	{"metadata no JSON", sqlitetest.FileV1, `UPDATE commits SET metadata_json = '{' WHERE id = 3`, false, []string{"error commit metadata commits"}},
	{"tags of no shape", sqlitetest.FileV1, `UPDATE commits SET metadata_json = '{"ontosql_tags": "[]"}' WHERE id = 3`, false, []string{"error commit metadata commits"}},
	{"a tag of a commit to come", sqlitetest.FileV1, `UPDATE commits SET metadata_json = '{"ontosql_tags": "{\"v1\":{\"commit_id\":4,\"created_at\":\"2026-01-01T00:00:00.000000+00:00\"}}"}' WHERE id = 3`, false, []string{"error commit metadata commits"}},
	{"metadata no object", sqlitetest.FileV1, `UPDATE commits SET metadata_json = '[]' WHERE id = 3`, false, []string{"error commit metadata commits"}},
	{"a drop that cannot be read", sqlitetest.FileV1, `UPDATE commits SET metadata_json = '{"operation": "schema_drop", "affected_types": "["}' WHERE id = 6`, false, []string{"error commit metadata commits"}},

	{"no metadata", sqlitetest.FileV1, `ALTER TABLE commits DROP COLUMN metadata_json`, false, []string{"error tables commits"}},
	{"no times", sqlitetest.FileV1, `ALTER TABLE commits DROP COLUMN created_at`, false, []string{"error tables commits"}},

	// Schemas.
	{"a version is missing", sqlitetest.FileV1, `UPDATE schema_versions SET schema_version_id = 3 WHERE id = 7; UPDATE entity_history SET schema_version_id = 3 WHERE schema_version_id = 2`, false, []string{"error schema versions schema_versions"}},
	{"rows of an unknown version", sqlitetest.FileV1, `UPDATE entity_history SET schema_version_id = 9 WHERE id = 11`, false, []string{"error row versions entity_history"}},
	{"rows without a version on v1", sqlitetest.FileV1, `UPDATE entity_history SET schema_version_id = NULL WHERE id = 4`, false, []string{"warning row versions entity_history"}},
	{"rows without a version on v2", sqlitetest.FileV2, `UPDATE entity_history SET schema_version_id = NULL WHERE id = 4`, false, []string{"error row versions entity_history"}},
	{"rows of a type that is not registered", sqlitetest.FileV1, `INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES ('Ghost', 'g', '{}', 7, 1)`, false, []string{"error row versions entity_history"}},
	{"rows of a dropped type", sqlitetest.FileV1, `INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES ('Scratch', 's', '{}', 5, 1)`, false, []string{"warning dropped types entity_history"}},
	{"another hash", sqlitetest.FileV1, `UPDATE schema_versions SET schema_hash = 'x' WHERE id = 2`, false, []string{"error schema hash schema_versions"}},
	{"a schema that is no JSON", sqlitetest.FileV1, `UPDATE schema_versions SET schema_json = '{' WHERE id = 2`, false, []string{"error schema versions schema_versions"}},
	{"a schema of another type", sqlitetest.FileV1, `UPDATE schema_versions SET type_name = 'Produkt' WHERE id = 2`, false, []string{
		"error registry schema_registry", "error schema versions schema_versions",
	}},
	{"the registry is behind", sqlitetest.FileV1, `UPDATE schema_registry SET schema_json = (SELECT schema_json FROM schema_versions WHERE id = 1) WHERE type_name = 'Customer'`, false, []string{"error registry schema_registry"}},
	{"not registered", sqlitetest.FileV1, `DELETE FROM schema_registry WHERE type_name = 'Follows'`, false, []string{"error registry schema_registry"}},
	{"no version", sqlitetest.FileV1, `DELETE FROM schema_versions WHERE type_name = 'Follows'`, false, []string{"error registry schema_registry"}},
	{"no versions at all", sqlitetest.FileV1, `DELETE FROM schema_versions; UPDATE entity_history SET schema_version_id = 1`, false, []string{"warning registry schema_registry"}},
	{"links to nothing", sqlitetest.FileV1, `DELETE FROM schema_registry WHERE type_name = 'product'; DELETE FROM schema_versions WHERE type_name = 'product'; DELETE FROM entity_history WHERE entity_type = 'product'`, false, []string{"error registry schema_registry"}},
	{"a type of no kind", sqlitetest.FileV1, `INSERT INTO schema_registry VALUES ('thing', 'T', '{}')`, false, []string{"error registry schema_registry"}},

	// Rows.
	{"fields that are no JSON", sqlitetest.FileV1, `UPDATE entity_history SET fields_json = '{"sku"' WHERE id = 4`, false, []string{"error payload entity_history"}},
	{"numbers that only Python writes", sqlitetest.FileV1, `UPDATE entity_history SET fields_json = '{"sku": 7, "title": "\ud800", "price": NaN}' WHERE id = 4`, false, nil},
	{"fields that are no object", sqlitetest.FileV1, `UPDATE relation_history SET fields_json = '[]' WHERE id = 1`, true, []string{"error payload relation_history"}},
	{"another key", sqlitetest.FileV1, `UPDATE entity_history SET entity_key = '8' WHERE id = 4`, true, []string{"error keys entity_history"}},
	{"no primary key", sqlitetest.FileV1, `UPDATE entity_history SET fields_json = '{}' WHERE id = 4`, true, []string{"error keys entity_history"}},
	{"a blank instance key", sqlitetest.FileV1, `UPDATE relation_history SET instance_key = ' ' WHERE id = 3`, true, []string{"error keys relation_history"}},
	{"an instance key too many", sqlitetest.FileV1, `UPDATE relation_history SET instance_key = 'x' WHERE id = 1`, true, []string{"error keys relation_history"}},
	{"the instance key in the fields", sqlitetest.FileV1, `UPDATE relation_history SET fields_json = '{"order_no": "o1", "qty": 1}' WHERE id = 3`, true, []string{"error keys relation_history"}},
	{"written twice by the original", sqlitetest.FileV1, `INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) SELECT entity_type, entity_key, fields_json, commit_id, schema_version_id FROM entity_history WHERE id = 11`, false, []string{"warning duplicates entity_history"}},
	{"written twice by us", sqlitetest.FileV1, `UPDATE commits SET metadata_json = '{"ontosql_attempt": "a"}' WHERE id = 1; INSERT INTO relation_history (relation_type, left_key, right_key, instance_key, fields_json, commit_id, schema_version_id) SELECT relation_type, left_key, right_key, instance_key, fields_json, commit_id, schema_version_id FROM relation_history WHERE id = 3`, false, []string{"error duplicates relation_history"}},

	// Engine and layouts.
	{"an unknown engine", sqlitetest.FileV2, `UPDATE storage_meta SET value = 'v3' WHERE key = 'engine_version'`, false, []string{"error engine storage_meta"}},
	{"another backend", sqlitetest.FileV2, `UPDATE storage_meta SET value = 's3' WHERE key = 'backend'`, false, []string{"error engine storage_meta"}},
	{"a layout that hides rows", sqlitetest.FileV2, `UPDATE type_layout_catalog SET is_current = (schema_version_id = 1) WHERE type_name = 'Customer'`, false, []string{"error layouts type_layout_catalog"}},
	{"a layout behind", sqlitetest.FileV2, `UPDATE type_layout_catalog SET is_current = (schema_version_id = 1) WHERE type_name = 'Customer'; DELETE FROM entity_history WHERE entity_type = 'Customer' AND schema_version_id = 2`, false, []string{"warning layouts type_layout_catalog"}},
	{"two layouts", sqlitetest.FileV2, `UPDATE type_layout_catalog SET is_current = 1 WHERE type_name = 'Customer'`, false, []string{"error layouts type_layout_catalog"}},
	{"a layout of a dropped type", sqlitetest.FileV2, `UPDATE type_layout_catalog SET is_current = 1 WHERE type_name = 'Scratch'`, false, []string{"error layouts type_layout_catalog"}},
	{"a layout of the future", sqlitetest.FileV2, `UPDATE type_layout_catalog SET activation_commit_id = 8 WHERE type_name = 'product'`, false, []string{"error layouts type_layout_catalog"}},
	{"a layout that begins too late", sqlitetest.FileV2, `UPDATE type_layout_catalog SET activation_commit_id = 2 WHERE type_name = 'product'`, false, []string{"warning layouts type_layout_catalog"}},
	{"no layout", sqlitetest.FileV2, `DELETE FROM type_layout_catalog WHERE type_name = 'product'`, false, []string{"warning layouts type_layout_catalog"}},
	{"another label", sqlitetest.FileV2, `UPDATE type_layout_catalog SET table_name = 'p' WHERE type_name = 'product'`, false, []string{"warning layouts type_layout_catalog"}},

	// Lock.
	{"a lock that is held", sqlitetest.FileV1, sqlitetest.LockRow("2026-11-21T02:59:50.000000+00:00", "2026-11-21T03:00:20.000000+00:00"), false, nil},
	{"a lock left behind", sqlitetest.FileV1, sqlitetest.LockRow("2026-11-21T02:00:00.000000+00:00", "2026-11-21T02:00:30.000000+00:00"), false, []string{"warning lock locks"}},
	{"a lock until no time", sqlitetest.FileV1, sqlitetest.LockRow("2026-11-21T02:59:50.000000+00:00", "soon"), false, []string{"error lock locks"}},
	{"a lock from after its end", sqlitetest.FileV1, sqlitetest.LockRow("2026-11-21T02:59:50.000000+00:00", "2026-11-21T02:00:20.000000+00:00"), false, []string{"error lock locks"}},
	{"another lock", sqlitetest.FileV1, `INSERT INTO locks VALUES ('other', 'o', '', '')`, false, []string{"warning lock locks"}},

	// Tables.
	{"no history of relations", sqlitetest.FileV1, `DROP TABLE relation_history`, false, []string{"error tables relation_history"}},
	{"no table of commits", sqlitetest.FileV1, `PRAGMA foreign_keys = OFF; DROP TABLE commits`, false, []string{
		"error foreign keys entity_history", "error foreign keys relation_history", "error tables commits",
	}},
	{"no versions of schemas yet", sqlitetest.FileV1, `DROP TABLE schema_versions; UPDATE entity_history SET schema_version_id = 1`, false, []string{"warning tables schema_versions", "warning registry schema_registry"}},
	{"no instance keys yet", sqlitetest.FileV1, `DROP INDEX idx_relation_history_lookup; DELETE FROM relation_history WHERE instance_key <> ''; ALTER TABLE relation_history DROP COLUMN instance_key`, false, []string{"warning tables relation_history"}},
	{"no index", sqlitetest.FileV1, `DROP INDEX idx_entity_history_lookup`, false, []string{"warning tables entity_history"}},
	{"a column is missing", sqlitetest.FileV1, `ALTER TABLE schema_versions DROP COLUMN reason`, false, []string{"error tables schema_versions", "warning registry schema_registry", "error row versions entity_history"}},
	{"no layouts on v2", sqlitetest.FileV2, `DROP TABLE type_layout_catalog`, false, []string{"error tables type_layout_catalog"}},
	{"events without an index", sqlitetest.FileV1, `DROP INDEX idx_events_namespace_type_order; DROP INDEX idx_sessions_namespace`, false, []string{"warning tables events", "warning tables sessions"}},
	{"events without claims", sqlitetest.FileV1, `DROP TABLE event_claims`, false, []string{"warning tables event_claims"}},
	{"claims without attempts", sqlitetest.FileV1, `ALTER TABLE event_claims DROP COLUMN attempts`, false, []string{"error tables event_claims"}},
}

// TestDamagedFiles damages a copy and wants the findings of that, and no others.
func TestDamagedFiles(t *testing.T) {
	for _, d := range checkDamages {
		t.Run(d.name, func(t *testing.T) {
			path := sqlitetest.Fixture(t, d.file)
			sqlitetest.Edit(t, path, d.sql)
			for _, data := range []bool{false, true} {
				want := d.want
				if d.deep && !data {
					want = nil
				}
				var got, told []string
				r := run(t, path, data)
				for _, f := range r.Findings {
					got = append(got, fmt.Sprintf("%s %s %s", f.Severity, f.Check, f.Table))
					told = append(told, brief(f))
				}
				slices.Sort(got)
				if want = slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
					t.Errorf("data %v: found\n\t%s\nwant\n\t%s", data, strings.Join(told, "\n\t"), strings.Join(want, "\n\t"))
				}
			}
		})
	}
}

// TestCheckBounds tells the first places of many and counts the rest.
func TestCheckBounds(t *testing.T) {
	path := sqlitetest.Fixture(t, sqlitetest.FileV1)
	sqlitetest.Edit(t, path, `UPDATE entity_history SET fields_json = '{'`)
	r := run(t, path, false)
	if len(r.Findings) != 1 || r.Findings[0].Total != 11 || len(r.Findings[0].Places) != 10 || r.Findings[0].Places[0].RowID != 1 {
		t.Errorf("11 damaged rows: %+v", r.Findings)
	}
}

// TestCheckDamagedPages continues after pages that cannot be read.
func TestCheckDamagedPages(t *testing.T) {
	path := sqlitetest.Fixture(t, sqlitetest.FileV1)
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(body), `"title": "Widget"`) // the page of entity_history
	page := body[at/4096*4096:][:4096]
	for i := range page[:100] {
		page[i] = 0xff
	}
	if err := os.WriteFile(path, body, 0o644); err != nil {
		t.Fatal(err)
	}
	r := run(t, path, false)
	found := map[string]bool{}
	for _, f := range r.Findings {
		found[string(f.Severity)+" "+f.Check+" "+f.Table] = true
	}
	if !found["error integrity "] || !found["error integrity entity_history"] || r.Head != 7 {
		t.Errorf("a damaged page of entity_history: head %d, %v", r.Head, r.Findings)
	}
}

// TestCheckWAL warns of a write-ahead log that is never checkpointed.
func TestCheckWAL(t *testing.T) {
	path := sqlitetest.Fixture(t, sqlitetest.FileV1)
	log, err := os.Create(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Truncate(101 << 20); err != nil {
		t.Fatal(err)
	}
	r := run(t, path, false)
	if len(r.Findings) != 1 || r.Findings[0].Check != "write-ahead log" || r.Findings[0].Severity != check.SeverityWarning {
		t.Errorf("a log of 101 MB: %v", r.Findings)
	}
}

// TestCheckReadsOnly checks a read-only file in a read-only directory and changes no byte.
func TestCheckReadsOnly(t *testing.T) {
	for _, journal := range []string{"DELETE", "WAL"} {
		path := sqlitetest.Fixture(t, sqlitetest.FileV1)
		conn, err := lite.OpenConn(path, lite.OpenReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		err = sqlitex.ExecuteTransient(conn, "PRAGMA journal_mode = "+journal, nil)
		if err = errors.Join(err, conn.Close()); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Chmod(path, 0o444), os.Chmod(filepath.Dir(path), 0o555)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o755) })
		if r := run(t, path, true); len(r.Findings) > 0 || r.Rows != 17 {
			t.Errorf("%s: %d rows, %v", journal, r.Rows, r.Findings)
		}
		after, err := os.ReadFile(path)
		if err != nil || string(after) != string(before) {
			t.Errorf("%s: the file is another one after the check (%v)", journal, err)
		}
	}
}

// TestCheckRefusesOtherFiles tells what is no ontology.
func TestCheckRefusesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.db")
	conn, err := lite.OpenConn(other, lite.OpenReadWrite|lite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(conn, "CREATE TABLE songs (id INTEGER)", nil); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is no database ", 300)), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		other: sqlconn.ErrForeign, filepath.Join(dir, "none.db"): ontosql.ErrNotInitialised,
		text: sqlconn.ErrForeign,
	} {
		_, err := check.Run(t.Context(), path, check.Options{Now: fixtureNow})
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", filepath.Base(path), err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := check.Run(ctx, sqlitetest.Fixture(t, sqlitetest.FileV1), check.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a check that was given up: %v, want %v", err, context.Canceled)
	}
}

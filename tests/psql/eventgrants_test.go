package psql

import (
	"net/url"
	"strings"
	"testing"
)

// TestRightsOnEvents: sending events needs INSERT on ontosql.events, handling them UPDATE, reading them SELECT and
// removing them DELETE; the relations beside it have its privileges, and the catalog shows them.
func TestRightsOnEvents(t *testing.T) {
	server := serveUsers(t, bossLine+`{"role":"sender","attributes":["login"]}`+"\n"+`{"role":"worker","attributes":["login"]}`+"\n"+
		`{"role":"reader","attributes":["login"]}`+"\n"+`{"role":"idle","attributes":["login"]}`+"\n")
	const denied = "ERROR:  permission denied for table "
	const send, claim, count = "SELECT ontosql.enqueue('t', '{}') IS NOT NULL", "SELECT count(*) FROM ontosql.claim('h', ARRAY['t'])", "SELECT count(*) > 0 FROM ontosql."
	const ack = "SELECT ontosql.ack('01976d50-0000-7000-8000-000000000000', 'h')"
	for _, a := range []userAsks{
		{"idle", send, "t"}, // grants are not required yet
		{"idle", "GRANT INSERT ON ontosql.events TO idle", "ERROR:  permission denied to make the first grant in the database\n"},
		{"rd_boss", "GRANT INSERT ON ontosql.event_claims TO sender", "ERROR:  privileges on \"ontosql.event_claims\" are not supported yet\n"},
		{"rd_boss", "GRANT INSERT (id) ON ontosql.events TO sender", "ERROR:  privileges on columns of \"ontosql.events\" are not supported yet"},
		{"rd_boss", "GRANT INSERT ON ontosql.commits TO sender", "ERROR:  privileges on \"ontosql.commits\" are not supported yet"},
		{"rd_boss", "GRANT INSERT ON ontosql.events TO sender", "NOTICE:  privileges are checked from now on\n"},
		{"rd_boss", "GRANT UPDATE ON ontosql.events TO worker; GRANT SELECT ON ontosql.events TO reader WITH GRANT OPTION", ""},
		{"sender", send, "t"},
		{"sender", claim, denied + "events"},
		{"sender", count + "events", denied + "events"},
		{"worker", send, denied + "events"},
		{"worker", ack, "f"},
		{"worker", claim, "2"},
		{"worker", "SELECT ontosql.cleanup_events('default', now())", denied + "events"},
		{"worker", count + "dead_letters", denied + "dead_letters"},
		{"worker", `LISTEN "ontosql.events:default"`, denied + "events"},
		{"worker", `LISTEN "ontosql.commits"`, ""},
		{"reader", `LISTEN "ontosql.events:default"`, ""},
		{"reader", count + "events", "t"},
		{"reader", count + "event_claims", "t"},
		{"reader", "SELECT count(*) FROM ontosql.dead_letters", "0"},
		{"reader", ack, denied + "events"},
		{"idle", count + "event_claims", denied + "event_claims"},
		{"reader", "GRANT SELECT ON ontosql.events TO idle", ""},
		{"idle", count + "event_claims", "t"},
		{"idle", "SELECT has_table_privilege('ontosql.events', 'SELECT'), has_table_privilege('ontosql.dead_letters', 'INSERT')", "t|f"},
		{"idle", "GRANT INSERT ON ontosql.events TO reader", "WARNING:  no privileges were granted for \"events\""},
		{"rd_boss", "SELECT relname, relacl FROM pg_class WHERE relnamespace = 'ontosql'::regnamespace AND relacl::text LIKE '%sender%' ORDER BY 1", strings.Join([]string{
			"dead_letters|" + eventsACL, "event_claims|" + eventsACL, "events|" + eventsACL,
		}, "\n")},
		{"rd_boss", "BEGIN; REVOKE INSERT ON ontosql.events FROM sender; ROLLBACK", ""},
		{"sender", send, "t"},
		{"rd_boss", "REVOKE SELECT ON ontosql.events FROM reader", "ERROR:  dependent privileges exist\n"},
		{"rd_boss", "REVOKE SELECT ON ontosql.events FROM reader CASCADE", ""},
		{"idle", count + "events", denied + "events"},
		{"rd_boss", "DROP ROLE worker", "ERROR:  role \"worker\" cannot be dropped because some objects depend on it\n"},
		{"rd_boss", "DROP OWNED BY worker; DROP ROLE worker", ""},
		{"rd_boss", "GRANT ALL ON ALL TABLES IN SCHEMA ontosql TO idle", ""},
		{"idle", send + "; " + count + "events; SELECT ontosql.cleanup_events('none', now())", "t\nt\n0"},
		{"rd_boss", "ALTER DATABASE rd_db SET ontosql.require_grants = off", "NOTICE:  privileges are not checked any more\n"},
		{"reader", send, "t"},
	} {
		a.check(t, server)
	}
	t.Run("as the privileges of the owner of a view", func(t *testing.T) {
		boss := *server
		boss.User = url.User("rd_boss")
		if got := psql(t, &boss, script(t, "ALTER DATABASE rd_db SET ontosql.require_grants = on;\nCREATE SCHEMA seen;\nGRANT USAGE ON SCHEMA seen TO reader;\n"+
			"CREATE VIEW seen.e AS SELECT type FROM ontosql.events;\nGRANT SELECT ON seen.e TO reader;\n"), "rd_db"); strings.Contains(got, "ERROR") {
			t.Fatal(got)
		}
		userAsks{"reader", "SELECT DISTINCT type FROM seen.e", "t"}.check(t, server)
		userAsks{"reader", "SELECT type FROM ontosql.events", denied + "events"}.check(t, server)
	})
}

const eventsACL = "{ontosql=arwdDxt/ontosql,sender=a/ontosql,worker=w/ontosql,reader=r*/ontosql,idle=r/reader}"

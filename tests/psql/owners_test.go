package psql

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// owningBoth makes roles that own objects and have privileges in the ontology and in the workspace.
const owningBoth = `
\set VERBOSITY terse
CREATE ROLE bo_a;
CREATE ROLE bo_b;
CREATE TABLE bo_t (id int PRIMARY KEY);
CREATE TABLE bo_u (id int PRIMARY KEY);
INSERT INTO bo_u VALUES (1);
ALTER TABLE bo_t OWNER TO bo_a;
CREATE SCHEMA bo_s;
CREATE TABLE bo_s.t (id int PRIMARY KEY);
CREATE TABLE bo_s.u (id int PRIMARY KEY REFERENCES bo_s.t);
ALTER TABLE bo_s.t OWNER TO bo_a;
GRANT SELECT ON bo_u TO bo_a;
GRANT USAGE ON SCHEMA bo_s TO bo_a;
`

// TestOwnersOfBothWorlds: REASSIGN OWNED and DROP OWNED of a role that owns something in the ontology and in the
// workspace do both or neither, and DROP ROLE finds nothing afterwards.
func TestOwnersOfBothWorlds(t *testing.T) {
	server := serveUsers(t, bossLine)
	server.User = url.User("rd_boss")
	psql(t, server, script(t, "GRANT SELECT ON customer TO PUBLIC;\n"+owningBoth), "rd_db")
	owners := "SELECT schemaname || '.' || tablename, tableowner FROM pg_tables WHERE tableowner LIKE 'bo\\_%' ORDER BY 1;\n"
	compareLines(t, server, "\\set VERBOSITY terse\n\\pset tuples_only\nBEGIN;\nREASSIGN OWNED BY bo_a TO bo_b;\nROLLBACK;\n"+owners+
		"REASSIGN OWNED BY bo_a TO bo_b;\n"+owners+
		"ALTER TABLE bo_u OWNER TO bo_b;\nDROP OWNED BY bo_b;\n"+owners+
		"DROP OWNED BY bo_b CASCADE;\n"+owners+
		"SET ontosql.purge_history = on;\nDROP OWNED BY bo_b CASCADE;\n"+owners+"DROP ROLE bo_b;\nDROP ROLE bo_a;\nDROP OWNED BY bo_a;\nDROP ROLE bo_a;\n\\dt bo_s.*\n",
		`ERROR:  a transaction that writes both the ontology and the workspace is not supported
bo_s.t | bo_a
public.bo_t | bo_a
NOTICE:  REASSIGN OWNED made two commits, one of the ontology and one of the workspace
bo_s.t | bo_b
public.bo_t | bo_b
ERROR:  cannot drop table bo_s.t because other objects depend on it
bo_s.t | bo_b
public.bo_t | bo_b
public.bo_u | bo_b
NOTICE:  drop cascades to constraint u_id_fkey on table bo_s.u
ERROR:  cannot drop table "bo_u" because it has rows
bo_s.t | bo_b
public.bo_t | bo_b
public.bo_u | bo_b
NOTICE:  drop cascades to constraint u_id_fkey on table bo_s.u
NOTICE:  DROP OWNED made two commits, one of the ontology and one of the workspace
ERROR:  role "bo_a" cannot be dropped because some objects depend on it
bo_s | u | table | rd_boss`)
}

// TestOwnersWithoutGrants: where grants are not required, who has the rights of an owner gives objects away, and
// others go on with a notice, as when they restore a dump.
func TestOwnersWithoutGrants(t *testing.T) {
	server := serveUsers(t, bossLine)
	server.User = url.User("rd_boss")
	compareLines(t, server, `
\set VERBOSITY terse
\pset tuples_only
CREATE ROLE wo_a;
CREATE ROLE wo_b;
CREATE TABLE wo_t (id int PRIMARY KEY);
CREATE SCHEMA wo_s;
CREATE TABLE wo_s.t (id int PRIMARY KEY);
SET ROLE wo_a;
ALTER TABLE wo_t OWNER TO wo_a;
ALTER TABLE wo_t OWNER TO ontosql;
ALTER TABLE wo_t OWNER TO wo_b;
ALTER TABLE wo_s.t OWNER TO CURRENT_USER;
ALTER SCHEMA wo_s OWNER TO wo_a;
ALTER SCHEMA wo_s OWNER TO wo_b;
RESET ROLE;
ALTER TABLE wo_t OWNER TO wo_a;
ALTER TABLE wo_s.t OWNER TO wo_a;
ALTER SCHEMA wo_s OWNER TO wo_a;
\dt wo_*
\dt wo_s.*
\dn wo_s
SET ROLE wo_b;
COMMENT ON TABLE wo_t IS 'of another';
RESET ROLE;
DROP ROLE wo_a;
DROP TABLE wo_t;
DROP SCHEMA wo_s CASCADE;
DROP ROLE wo_a, wo_b;
`, `NOTICE:  owner of table "wo_t" stays "ontosql"
ERROR:  must be owner of table wo_t
NOTICE:  owner of table "t" stays "ontosql"
NOTICE:  owner of schema "wo_s" stays "ontosql"
ERROR:  must be owner of schema wo_s
public | wo_t | table | wo_a
wo_s | t | table | wo_a
wo_s | wo_a
ERROR:  role "wo_a" cannot be dropped because some objects depend on it
NOTICE:  drop cascades to table wo_s.t`)
}

// compareLines runs a script and compares what it prints, without the echo of its statements.
func compareLines(t *testing.T, server *url.URL, text, want string) {
	t.Helper()
	echoed := map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		echoed[line] = true
	}
	var got []string
	for _, line := range strings.Split(inPlace.ReplaceAllString(psql(t, server, script(t, text), "rd_db"), ""), "\n") {
		if !echoed[line] && strings.Trim(line, " ") != "" && !strings.HasPrefix(line, "Tuples only") {
			got = append(got, strings.Join(strings.Fields(line), " "))
		}
	}
	var lines []string
	for _, line := range strings.Split(want, "\n") {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

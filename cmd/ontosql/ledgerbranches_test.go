package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/pgerr"
)

// TestBranchesByName: branches are made, served, compared, merged and deleted by their names, in each
// kind of store.
func TestBranchesByName(t *testing.T) {
	for name, place := range map[string]func(t *testing.T) (store, root string, flags []string){
		"directory": func(t *testing.T) (string, string, []string) {
			dir := t.TempDir()
			return filepath.Join(dir, "shop"), filepath.Join(dir, "root"), nil
		},
		"SQLite": func(t *testing.T) (string, string, []string) {
			dir := t.TempDir()
			return "sqlite:///" + filepath.Join(dir, "shop.db"), filepath.Join(dir, "root"), nil
		},
		"S3": func(t *testing.T) (string, string, []string) {
			at := testenv.S3(t)
			return "s3://" + at.Bucket + "/shop", "s3://" + at.Bucket + "/root", []string{"--s3-endpoint-url", at.Endpoint}
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNames(t)
			store, root, flags := place(t)
			n.flags = append(n.flags, flags...)
			if code, _, problem := command(t, append([]string{"init", "--storage-uri", store}, flags...)...); code != exitOK {
				t.Fatal(problem)
			}
			n.run("ns create shop --storage-uri "+store, exitOK)
			s := n.serve("--nameservice-root", root)
			s.answers("shop", "CREATE TABLE item (id text PRIMARY KEY, n int)", "")
			s.answers("shop", "INSERT INTO item VALUES ('a', 1), ('b', 1)", "")
			s.answers("shop", "UPDATE item SET n = 2 WHERE id = 'a'", "")
			n.run("branch create dev --from shop@2 --nameservice-root "+root, exitOK)
			s.answers("shop:dev", "SELECT id, n FROM item ORDER BY id", "a|1\nb|1")
			s.answers("shop:dev", "UPDATE item SET n = 3 WHERE id = 'b'", "")
			s.answers("shop:dev@2", "SELECT id, n FROM item ORDER BY id", "a|1\nb|1")
			if got := n.run("branch diff shop shop:dev", exitOK); !strings.Contains(got, "< item a  n 1 -> 2") || !strings.Contains(got, "> item b  n 1 -> 3") {
				t.Errorf("diff: %s", got)
			}
			n.run("branch merge shop:dev shop", exitOK)
			s.answers("shop", "SELECT id, n FROM item ORDER BY id", "a|2\nb|3")
			if got := n.run("branch list", exitOK); strings.Count(got, "\n") != 4 {
				t.Errorf("list: %s", got)
			}
			n.run("branch create dev --from shop --nameservice-root "+root, exitExecution)
			n.run("branch create other --from nosuch --nameservice-root "+root, exitExecution)
			n.run("branch create other --from shop@99 --nameservice-root "+root, exitExecution)
			if got := n.run("ns list", exitOK); strings.Contains(got, "other") || strings.Contains(got, "nosuch") {
				t.Errorf("a branch that could not be made left a record: %s", got)
			}
			_, token, _ := strings.Cut(n.run("branch delete shop:dev", exitOK), "Token: ")
			n.run("branch delete shop:dev --token "+strings.TrimSpace(token), exitOK)
			within(t, "the deleted branch is served", func() bool {
				_, err := s.ask("shop:dev", "SELECT 1")
				return err != nil
			})
			s.answers("shop@2", "SELECT id, n FROM item ORDER BY id", "a|1\nb|1")
		})
	}
}

// TestBranchesInSQL: a branch is made, compared and merged by statements, with conflicts as rows.
func TestBranchesInSQL(t *testing.T) {
	n := newNames(t)
	s := n.serve("--nameservice-root", filepath.Join(t.TempDir(), "root"))
	s.answers("postgres", "CREATE DATABASE shop", "")
	s.answers("shop", "CREATE TABLE item (id text PRIMARY KEY, n int, t text)", "")
	s.answers("shop", "INSERT INTO item VALUES ('a', 1, 'x'), ('b', 1, 'x')", "")
	s.answers("shop", `CREATE DATABASE "shop:dev" TEMPLATE "shop@2"`, "")
	s.answers("shop", "UPDATE item SET n = 2, t = 'y' WHERE id = 'a'", "")
	s.answers("shop:dev", "UPDATE item SET n = 3 WHERE id = 'a'; INSERT INTO item VALUES ('c', 9, 'z'); ALTER TABLE item ADD COLUMN extra text", "")
	s.answers("shop", "SELECT database, branch, current, head_commit_id, ancestor_commit_id, ahead, behind FROM ontosql.branches() ORDER BY database",
		"shop|main|t|3|3|0|0\nshop:dev|dev|f|3|2|1|1")
	s.answers("shop", "SELECT database, type_name, key, is_new, field, base, value FROM ontosql.branch_diff('shop', 'shop:dev') WHERE key ->> 0 = 'a' ORDER BY 1, 5",
		`shop|item|["a"]|f|n|1|2`+"\n"+`shop|item|["a"]|f|t|"x"|"y"`+"\n"+`shop:dev|item|["a"]|f|n|1|3`)
	conflict := "|item|[\"a\"]|n|1|2|3"
	s.answers("shop", "SELECT commit_id, type_name, key, field, base, ours, theirs FROM ontosql.merge('shop:dev')", conflict)
	s.answers("shop", "SELECT count(*) FROM item", "2")
	s.answers("shop", "SELECT commit_id, type_name, key, field, base, ours, theirs FROM ontosql.merge('shop:dev', on_conflict => 'theirs', dry_run => true)", conflict)
	s.answers("shop", "SELECT commit_id, inserted, updated, key, field FROM ontosql.merge('shop:dev', on_conflict => 'theirs')", `4|1|1|["a"]|n`)
	s.answers("shop", "SELECT id, n, t, extra IS NULL FROM item ORDER BY id", "a|3|y|t\nb|1|x|t\nc|9|z|t")
	s.answers("shop", "SELECT commit_id, inserted, updated, key FROM ontosql.merge('shop:dev')", "|0|0|")
	s.answers("shop@3", "SELECT id, n FROM item ORDER BY id", "a|2\nb|1")
	s.refuses("shop", "BEGIN; SELECT * FROM ontosql.merge('shop:dev')", pgerr.ActiveSQLTransaction, "cannot run inside a transaction block")
	s.refuses("shop", "SET default_transaction_read_only = on; SELECT * FROM ontosql.merge('shop:dev')", pgerr.ReadOnlySQLTransaction, "")
	s.refuses("shop", "SELECT * FROM ontosql.merge('shop:nosuch')", pgerr.InvalidCatalogName, `database "shop:nosuch" does not exist`)
	s.refuses("shop", "SELECT * FROM ontosql.merge('shop')", pgerr.InvalidParameterValue, "with itself")
	s.refuses("shop", "SELECT * FROM ontosql.merge('shop:dev', on_conflict => 'both')", pgerr.InvalidParameterValue, "invalid decision")
	s.refuses("shop", "SELECT * FROM ontosql.merge('shop:dev@99')", pgerr.InvalidParameterValue, "there is no commit 99")
	s.refuses("shop", `CREATE DATABASE "shop:late" TEMPLATE "shop@99"`, pgerr.InvalidParameterValue, "there is no commit 99")
	s.refuses("shop", `CREATE DATABASE "shop:late" TEMPLATE "shop@nonsense"`, pgerr.InvalidParameterValue, "")
	s.refuses("shop:late", "SELECT 1", pgerr.InvalidCatalogName, "")
	s.answers("postgres", "CREATE DATABASE other", "")
	s.answers("other", "CREATE TABLE item (id text PRIMARY KEY)", "")
	s.refuses("shop", "SELECT * FROM ontosql.merge('other')", pgerr.ObjectNotInPrerequisiteState, "no branches of one ontology")
	s.refuses("shop", "SELECT * FROM ontosql.branch_diff('shop', 'shop:dev@2')", pgerr.InvalidParameterValue, "newest commits")
}

package psql

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// nasty are names that a file of some format has to escape, quote or leave alone;
// "" is empty and not NULL.
var nasty = []string{
	"", `\N`, `NULL`, `\.`, `"`, `""`, `'`, ",", ";", "a\tb", "a\nb", "a\r\nb", "\r", `\`, `\\`, `\t`, "\b\f\v", " padded ",
	"\ufeffwith a byte order mark", "Åsa 😀", "\x01\x7f", strings.Repeat("two megabytes, \"quoted\"\n\t\\", 100_000),
}

// TestCopyFiles loads nasty values with psql's \copy, writes them to files of each
// format, loads those files under other keys, and finds the same values.
func TestCopyFiles(t *testing.T) {
	address, dir := serveCopy(t), t.TempDir()
	run := func(script string) string {
		t.Helper()
		file := filepath.Join(dir, "script.sql")
		if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
			t.Fatal(err)
		}
		return psql(t, address, file, "onto")
	}
	escape := strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	var lines strings.Builder
	for i, name := range nasty {
		fmt.Fprintf(&lines, "first%02d\t%d\t%s\t\\N\tGold\n", i, i, escape.Replace(name))
	}
	source := filepath.Join(dir, "first")
	if err := os.WriteFile(source, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := run(`\copy customer (id, balance, name, email, tier) from '` + source + `'`); strings.Contains(got, "ERROR") {
		t.Fatal(got)
	}
	for i, form := range []string{
		"format text", "format text, header, delimiter '|'", "format csv", "format csv, header", "format binary",
		"format csv, delimiter ';', quote '''', escape '\\', null 'NULL', force_quote *",
	} {
		t.Run(form, func(t *testing.T) {
			file, again := filepath.Join(dir, "out"), filepath.Join(dir, "again")
			key := fmt.Sprintf("key%d-", i)
			options := strings.Replace(form, ", force_quote *", "", 1)
			query := func(prefix string) string {
				return fmt.Sprintf("(select '%s' || substr(id, length('%s') + 1), balance, name, email, tier from customer where id like '%s%%' order by 1)", key, prefix, prefix)
			}
			got := run(strings.Join([]string{
				`\copy ` + query("first") + ` to '` + file + `' (` + form + `)`,
				`\copy customer (id, balance, name, email, tier) from '` + file + `' (` + options + `)`,
				`\copy ` + query(key) + ` to '` + again + `' (` + form + `)`,
				fmt.Sprintf(`select 'equal: ' || count(*) from customer a join customer b on a.name = b.name and a.balance = b.balance and b.email is null
					where a.id like 'first%%' and b.id = '%s' || substr(a.id, 6);`, key),
			}, "\n"))
			if strings.Contains(got, "ERROR") || !strings.Contains(got, fmt.Sprintf("equal: %d", len(nasty))) {
				t.Errorf("psql said:\n%s", got)
			}
			written, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if second, err := os.ReadFile(again); err != nil || !bytes.Equal(written, second) {
				t.Errorf("the values went out as another file than the one they came from: %d bytes, then %d, %v", len(written), len(second), err)
			}
		})
	}
}

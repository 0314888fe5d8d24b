package compat

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
)

// zoneSpellings are texts that name a zone, or nearly do: names, abbreviations of one
// meaning and of several, offsets with every fault, and POSIX specifications.
var zoneSpellings = []string{
	"+2", "2", "-2", "+16", "+15:59", "+15:59:59", "-16", "+1:", "+1::", "+1:30:", "+1:30:x", "+100", "+0230", "+023015", "+00015", "+12345", "+123456",
	"+10:00:10", "+10:00:10.5", "+1.5", "+01:2.5", "+02:60", "+02:59:60", "+1:2:3:4", "+24", "+167", "+168", "-167:59:59", "+", "-", "+2 ", " +2", "+2x", "+abc", "", "foo",
	"EDT", "edt", "EST", "CET", "Z", "zulu", "MSK", "msk", "MSD", "VOLT", "AZST", "IRKST", "FKST", "NST", "LHDT", "PYT",
	"America/New_York", "america/new_york", "Europe/Moscow", "Europe/Dublin", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "EST5EDT", "UTC", "GMT", "UTC+3", "UTC-02:30", "abc3", "<+05>-5", "<+05>5",
	"<+05", "PST8PDT,M3.2.0,M11.1.0", "PST8PDT;M3.2.0,M11.1.0", "pst8pdt,j60/2,300/3:30", "AAA3BBB2", "AAA3BBB", "AAA-3BBB-4:30,M4.1.6/0,M9.5.0/-1", "AAA3BBB,M3.2.0", "AAA3BBB,M13.2.0,M11.1.0",
	"AAA3BBB,M3.2.0,M11.1.0x", "AAA3,M3.2.0,M11.1.0", "AAA", "AAA3BBB4CCC", "now", "lmt", "BC", "am",
}

// TestZones asks for a local time in every spelling of a zone and at times around the changes
// of clocks, by each of the ways in which a zone is named.
func TestZones(t *testing.T) {
	ctx := t.Context()
	theirs, ours := connect(t, testenv.Postgres(t)), connect(t, start(t, tables))
	must(t, ctx, theirs, "SET TimeZone = 'UTC'")
	const seed = 20261127
	random := rand.New(rand.NewPCG(seed, 0))
	times := []string{
		"1973-07-15 08:15:55.33", "2011-03-27 02:30:00", "2014-10-26 01:30:00", "2024-03-10 02:30:00", "2024-11-03 01:30:00", "2011-12-30 12:00:00",
		"1850-01-01 00:00:00", "2100-07-01 12:00:00", "0044-03-15 10:00:00 BC", "4714-11-24 00:00:00 BC", "infinity", "-infinity",
	}
	for range 6 {
		times = append(times, fmt.Sprintf("%04d-%02d-%02d %02d:%02d:%02d", 1900+random.IntN(150), 1+random.IntN(12), 1+random.IntN(28), random.IntN(24), random.IntN(60), random.IntN(60)))
	}
	for _, zone := range zoneSpellings {
		z := quoted(zone)
		list := "unnest(ARRAY['" + strings.Join(times, "', '") + "']::timestamp[])"
		check := func(sql string) {
			if diff := compare(ask(ctx, theirs, sql), ask(ctx, ours, sql), true); diff != "" {
				t.Errorf("zone %q (seed %d): %s\n%s", zone, seed, sql, diff)
			}
		}
		check("SELECT make_timestamptz(1973, 7, 15, 8, 15, 55.33, " + z + ")")
		check("SELECT make_timestamptz(2024, 11, 3, 1, 30, 0, " + z + "::text)")
		for _, at := range times {
			check("SELECT timestamp '" + at + "' AT TIME ZONE " + z)
			check("SELECT timezone(" + z + "::text, timestamptz '" + at + "')")
		}
		check("SELECT x, x AT TIME ZONE " + z + " FROM " + list + " x WHERE x BETWEEN '1800-01-01' AND '2200-01-01'")
		if !strings.ContainsAny(zone, "'") {
			check("SELECT timestamptz '2024-07-15 08:15:55.33 " + zone + "'")
			check("SELECT ('2011-03-27 02:30:00 " + zone + "'::text)::timestamptz")
		}
	}
}

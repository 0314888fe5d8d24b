package gateway

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
)

// rows are the rows of pg_settings.
func (s *settings) rows() []pgcatalog.Row {
	var rows []pgcatalog.Row
	for _, d := range s.all() {
		reset := d.boot
		if v, ok := s.start[strings.ToLower(d.name)]; ok {
			reset = v
		}
		source := "default"
		if s.value(d.name) != d.boot {
			source = "session"
		}
		row := pgcatalog.Setting(d.name)
		if row == nil {
			row = pgcatalog.Row{"name": d.name, "category": "Customized Options", "vartype": "string", "context": "user"}
		}
		if d.fixed && row["context"] == "user" {
			row["context"] = "internal"
		}
		if d.unit != "" {
			row["unit"] = d.unit
		}
		unit, _ := row["unit"].(string)
		row["setting"], row["short_desc"], row["source"] = inUnit(s.value(d.name), unit), d.about, source
		row["boot_val"], row["reset_val"], row["pending_restart"] = inUnit(d.boot, unit), inUnit(reset, unit), false
		rows = append(rows, row)
	}
	return rows
}

// asJSON is an object of all values, and of those of other settings, by their names in
// lower case.
func (s *settings) asJSON(others ...string) string {
	values := map[string]string{}
	for _, d := range s.all() {
		values[strings.ToLower(d.name)] = s.value(d.name)
	}
	for _, key := range others {
		values[key] = s.value(key)
	}
	text, err := json.Marshal(values)
	if err != nil { // texts can be written
		panic(err)
	}
	return string(text)
}

// text is all that pg_settings tells of settings: the values, and what RESET returns to.
func (s *settings) text() string {
	text := s.asJSON()
	for _, name := range slices.Sorted(maps.Keys(s.start)) {
		text += "\x00" + name + "\x00" + s.start[name]
	}
	return text
}

// inUnit is a value as pg_settings prints it: a bare number of its unit, if it has
// one.
func inUnit(shown, unit string) string {
	switch unit {
	case "ms", "s":
		d, err := parseDuration(shown)
		if err != nil {
			return shown
		}
		if unit == "s" {
			return strconv.FormatInt(int64(d.Seconds()), 10)
		}
		return strconv.FormatInt(d.Milliseconds(), 10)
	}
	size, number := bytesOf(unit), strings.TrimRight(shown, "TGMkB")
	factor := bytesOf(shown[len(number):])
	n, err := strconv.ParseInt(number, 10, 64)
	if size == 0 || factor == 0 || err != nil {
		return shown
	}
	return strconv.FormatInt(n*factor/size, 10)
}

// bytesOf is a unit of memory, 8kB too, 0 for what is none.
func bytesOf(unit string) int64 {
	name := strings.TrimLeft(unit, "0123456789")
	count, err := strconv.ParseInt("0"+unit[:len(unit)-len(name)], 10, 64)
	for _, u := range memoryUnits {
		if u.name == name && err == nil {
			return max(count, 1) * u.bytes
		}
	}
	return 0
}

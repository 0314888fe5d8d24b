package settings

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
)

// Rows are the rows of pg_settings.
func (s *Values) Rows() []pgcatalog.Row {
	var rows []pgcatalog.Row
	for _, d := range s.Parameters() {
		boot := s.boot(strings.ToLower(d.Name), d)
		reset := boot
		if v, ok := s.start[strings.ToLower(d.Name)]; ok {
			reset = v
		}
		source := "default"
		if s.Value(d.Name) != boot {
			source = "session"
		}
		row := pgcatalog.Setting(d.Name)
		if row == nil {
			row = pgcatalog.Row{"name": d.Name, "category": "Customized Options", "vartype": "string", "context": "user"}
		}
		if d.fixed && row["context"] == "user" {
			row["context"] = "internal"
		} else if d.superuser {
			row["context"] = "superuser"
		}
		if d.unit != "" {
			row["unit"] = d.unit
		}
		unit, _ := row["unit"].(string)
		row["setting"], row["short_desc"], row["source"] = inUnit(s.Value(d.Name), unit), d.About, source
		row["boot_val"], row["reset_val"], row["pending_restart"] = inUnit(boot, unit), inUnit(reset, unit), false
		rows = append(rows, row)
	}
	return rows
}

// JSON is an object of all values, custom parameters included, by name in lower case.
func (s *Values) JSON() string { return s.asJSON(s.customNames()...) }

// asJSON is an object of the values of the defined parameters and of custom ones.
func (s *Values) asJSON(custom ...string) string {
	values := map[string]string{}
	for _, d := range s.Parameters() {
		values[strings.ToLower(d.Name)] = s.Value(d.Name)
	}
	for _, key := range custom {
		values[key] = s.Value(key)
	}
	text, err := json.Marshal(values)
	if err != nil { // a map of strings can always be encoded
		panic(err)
	}
	return string(text)
}

// Text is everything that the rows of pg_settings depend on: the values, and the values
// that RESET returns to.
func (s *Values) Text() string {
	text := s.asJSON()
	for _, name := range slices.Sorted(maps.Keys(s.start)) {
		text += "\x00" + name + "\x00" + s.start[name]
	}
	return text
}

// inUnit is a value as pg_settings prints it: without its unit, as a number of the
// parameter's unit.
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

// bytesOf is the size of a unit of memory such as kB or 8kB, 0 for other units.
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

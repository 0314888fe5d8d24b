package traces

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// randomWriter makes the messages of a program.
type randomWriter struct {
	*rand.Rand
	stuff, other string
	program      []pgproto3.FrontendMessage

	// Of the current statement.
	extended bool
	oids     []uint32
	values   [][]byte
	formats  []int16
	faulty   bool // it has its fault
}

func randomWrites(seed uint64, epoch int) []pgproto3.FrontendMessage {
	w := &randomWriter{Rand: rand.New(rand.NewPCG(seed, 12)), stuff: fmt.Sprint("stuff", epoch), other: fmt.Sprint("other", epoch)}
	query := func(sql string) { w.program = append(w.program, &pgproto3.Query{String: sql}) }
	block := w.IntN(2) == 0
	if block {
		query(pick(w.Rand, "BEGIN", "BEGIN", "BEGIN", "BEGIN ISOLATION LEVEL SERIALIZABLE", "START TRANSACTION READ ONLY"))
	}
	for range 2 + w.IntN(5) {
		if block && w.IntN(4) == 0 {
			query(pick(w.Rand, "SAVEPOINT a", "SAVEPOINT a", "ROLLBACK TO a", "RELEASE a", "SAVEPOINT b", "ROLLBACK TO b"))
		}
		w.send()
		if w.IntN(4) == 0 {
			query("SELECT id, qty, price, label FROM " + w.stuff + " ORDER BY id")
		}
	}
	if block {
		query(pick(w.Rand, "COMMIT", "COMMIT", "ROLLBACK"))
	}
	query("SELECT * FROM " + w.stuff + " ORDER BY id")
	return w.program
}

// send sends statements by one of the protocols.
func (w *randomWriter) send() {
	w.extended = w.IntN(2) == 0
	if !w.extended && w.IntN(8) == 0 {
		w.faulty = true
		w.program = append(w.program, &pgproto3.Query{String: w.prepared()}, &pgproto3.Query{String: "DEALLOCATE ALL"})
		return
	}
	if !w.extended {
		parts := []string{w.statement()}
		for w.IntN(6) == 0 {
			parts = append(parts, w.statement())
		}
		w.program = append(w.program, &pgproto3.Query{String: strings.Join(parts, "; ")})
		return
	}
	for range pick(w.Rand, 1, 1, 1, 2, 3) {
		sql := w.statement()
		parse := &pgproto3.Parse{Query: sql}
		if w.IntN(2) == 0 {
			parse.ParameterOIDs = w.oids
		}
		w.program = append(w.program, parse)
		if w.IntN(4) == 0 {
			w.program = append(w.program, &pgproto3.Describe{ObjectType: 'S'})
		}
		w.program = append(w.program, &pgproto3.Bind{Parameters: w.values, ParameterFormatCodes: w.formats, ResultFormatCodes: pick(w.Rand, nil, nil, []int16{1})})
		if w.IntN(2) == 0 {
			w.program = append(w.program, &pgproto3.Describe{ObjectType: 'P'})
		}
		if strings.Contains(sql, "VALUES") && !strings.HasPrefix(sql, "MERGE") && w.IntN(4) == 0 { // whose rows have an order
			w.program = append(w.program, &pgproto3.Execute{MaxRows: 1}, &pgproto3.Execute{MaxRows: 2})
		}
		w.program = append(w.program, &pgproto3.Execute{})
	}
	w.program = append(w.program, &pgproto3.Sync{})
}

// prepared prepares a statement by SQL and executes it twice.
func (w *randomWriter) prepared() string {
	c := writeColumns[1+w.IntN(len(writeColumns)-1)]
	kind := strings.Replace(strings.TrimSuffix(strings.Fields(c.ddl)[0], "(6)"), "double", "float8", 1)
	sql := pick(w.Rand, "INSERT INTO "+w.stuff+" (id, "+c.name+") VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET "+c.name+" = excluded."+c.name, "UPDATE "+w.stuff+" SET "+c.name+" = $2 WHERE id = $1", "INSERT INTO "+w.stuff+" (id, "+c.name+") SELECT $1, $2")
	types := pick(w.Rand, "", " (text, "+kind+")")
	if c.name == "label" {
		types = " (text, text)"
	}
	execute := func() string {
		value := pick(w.Rand, append(slices.Clone(c.good), c.bad...)...)
		if value == "DEFAULT" || strings.Contains(value, "SELECT") || c.name == "label" && !strings.HasPrefix(value, "'") {
			value = "NULL"
		}
		return fmt.Sprintf("EXECUTE w('k%d', %s)", w.IntN(12), value)
	}
	return "PREPARE w" + types + " AS " + sql + w.returning(w.stuff) + "; " + execute() + "; " + execute() + "; DEALLOCATE w"
}

func (w *randomWriter) statement() string {
	w.oids, w.values, w.formats, w.faulty = nil, nil, nil, w.IntN(3) > 0
	switch w.IntN(10) {
	case 0:
		return w.merge()
	case 1, 2, 3:
		return w.update()
	}
	return w.insert()
}

// key is a key, as an expression.
func (w *randomWriter) key() string {
	key := fmt.Sprint("k", w.IntN(12))
	if w.extended && w.IntN(2) == 0 {
		return w.param(25, key)
	}
	return "'" + key + "'"
}

// param is a parameter with a value in text or in binary.
func (w *randomWriter) param(oid uint32, text string) string {
	value, format := []byte(text), int16(0)
	if raw := binaryValue(oid, text); raw != nil && w.IntN(2) == 0 {
		value, format = raw, 1
	}
	w.oids, w.values, w.formats = append(w.oids, oid), append(w.values, value), append(w.formats, format)
	return fmt.Sprint("$", len(w.values))
}

// binaryValue is the binary form of a value, nil where the test has none.
func binaryValue(oid uint32, text string) []byte {
	switch oid {
	case 20:
		return binaryInt(text)
	case 25, 1043:
		return []byte(text)
	case 16:
		return []byte{byte(len(text) & 1)}
	case 1082:
		return binary.BigEndian.AppendUint32(nil, uint32(len(text)))
	case 1184:
		return binary.BigEndian.AppendUint64(nil, uint64(len(text))<<40)
	case 3802:
		return append([]byte{1}, text...)
	case 701:
		return binaryFloat(text)
	case 1700:
		return binaryNumeric(text)
	}
	return nil
}

// Where a value of a column may stand: a row of VALUES, SET, or SELECT, where DEFAULT has no
// place.
const (
	inRow = iota
	inSet
	inSelect
)

// value is an expression for a column.
func (w *randomWriter) value(c writeColumn, in int) string {
	if c.name == "id" {
		return w.key()
	}
	if !w.faulty && w.IntN(6) == 0 {
		w.faulty = true
		if c.wide != nil && in == inRow && w.IntN(2) == 0 {
			return pick(w.Rand, c.wide...)
		}
		return pick(w.Rand, c.bad...)
	}
	if w.extended && w.IntN(3) == 0 {
		return w.param(c.oid, pick(w.Rand, c.texts...))
	}
	v := pick(w.Rand, c.good...)
	if in == inSelect && (v == "DEFAULT" || v == "NULL" || strings.HasPrefix(v, "'")) {
		return "NULL::" + strings.TrimSuffix(strings.Fields(c.ddl)[0], "(6)")
	}
	return v
}

// some are columns, the key first where it is asked for.
func (w *randomWriter) some(key bool) []writeColumn {
	var out []writeColumn
	if key {
		out = append(out, writeColumns[0])
	}
	for _, c := range writeColumns[1:] {
		if w.IntN(3) == 0 {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		out = append(out, writeColumns[1+w.IntN(len(writeColumns)-1)])
	}
	return out
}

func names(columns []writeColumn) string {
	var list []string
	for _, c := range columns {
		list = append(list, c.name)
	}
	return strings.Join(list, ", ")
}

func (w *randomWriter) insert() string {
	target, alias := w.stuff, w.stuff
	if w.IntN(4) == 0 {
		target, alias = w.stuff+" AS x", "x"
	}
	columns := w.some(w.IntN(30) > 0)
	head := "INSERT INTO " + target + " (" + names(columns) + ") "
	if w.IntN(8) == 0 {
		columns = writeColumns[:1+w.IntN(len(writeColumns))]
		head = "INSERT INTO " + target + " "
	}
	var rows string
	switch n := w.IntN(12); {
	case n == 0:
		rows = fmt.Sprintf("SELECT %s FROM generate_series(1, %d) AS g", w.selected(columns, "'g' || g"), w.IntN(4))
	case n == 1:
		rows = "SELECT " + w.selected(columns, "'o' || o.id") + " FROM " + w.other + " o"
	case n == 2:
		rows = "WITH q AS (SELECT id, n FROM " + w.other + " WHERE n > 0) "
		head, rows = rows+head, "SELECT "+w.selected(columns, "q.id")+" FROM q"
	case n == 4:
		rows = "SELECT " + w.selected(columns, "left(id, 1) || '_' || id") + " FROM " + w.stuff + " WHERE qty > 0 AND id LIKE 'k%' ORDER BY id LIMIT 3"
	case n == 3 && w.IntN(4) == 0:
		return "INSERT INTO " + target + " DEFAULT VALUES" + w.returning(alias)
	default:
		var lists []string
		for range pick(w.Rand, 1, 1, 1, 2, 3, 4) {
			var list []string
			for _, c := range columns {
				list = append(list, w.value(c, inRow))
			}
			if !w.faulty && w.IntN(40) == 0 {
				w.faulty = true
				list = append(list, "1")
			}
			lists = append(lists, "("+strings.Join(list, ", ")+")")
		}
		rows = "VALUES " + strings.Join(lists, ", ")
	}
	conflict := ""
	switch w.IntN(6) {
	case 0:
		conflict = pick(w.Rand, " ON CONFLICT DO NOTHING", " ON CONFLICT (id) DO NOTHING", " ON CONFLICT ON CONSTRAINT "+w.stuff+"_pkey DO NOTHING")
		if !w.faulty && w.IntN(8) == 0 {
			w.faulty = true
			conflict = pick(w.Rand, " ON CONFLICT (qty) DO NOTHING", " ON CONFLICT ON CONSTRAINT nothing DO NOTHING", " ON CONFLICT (nothing) DO NOTHING", " ON CONFLICT DO UPDATE SET qty = 1")
		}
	case 1, 2:
		var sets []string
		for _, c := range w.some(false)[:1] {
			sets = append(sets, c.name+" = "+pick(w.Rand, "excluded."+c.name, alias+"."+c.name, "coalesce(excluded."+c.name+", "+alias+"."+c.name+")", w.value(c, inSet), "DEFAULT"))
		}
		conflict = " ON CONFLICT (id) DO UPDATE SET " + strings.Join(sets, ", ") + pick(w.Rand, "", "", " WHERE "+alias+".qty < excluded.qty", " WHERE excluded.id <> 'k3'", " WHERE false", " WHERE qty = 1")
	}
	return head + rows + conflict + w.returning(alias)
}

// selected is a list of outputs for columns.
func (w *randomWriter) selected(columns []writeColumn, key string) string {
	var list []string
	for _, c := range columns {
		if c.name == "id" {
			list = append(list, key)
		} else if v := w.value(c, inSelect); c.name == "qty" && strings.HasPrefix(v, "NULL") {
			list = append(list, "4")
		} else {
			list = append(list, v)
		}
	}
	return strings.Join(list, ", ")
}

func (w *randomWriter) returning(alias string) string {
	if w.IntN(2) == 0 {
		return ""
	}
	if !w.faulty && w.IntN(12) == 0 {
		w.faulty = true
		return " RETURNING " + pick(w.Rand, "nothing", "other.id", "max(qty)", "qty + label")
	}
	return " RETURNING " + pick(w.Rand, "*", alias+".*", "id", "id, qty + 1 AS more", "price, label, ok", "at, day, raw", "doc, f, doc->>'a' AS a", "left(label, 2) AS le, length(id)", "id AS k, price * 2 AS twice", "(SELECT count(*) FROM "+w.other+") AS n, id", "qty::text || '!'", "label IS NULL AS none, id")
}

func (w *randomWriter) update() string {
	target, alias := w.stuff, w.stuff
	if w.IntN(4) == 0 {
		target, alias = w.stuff+" x", "x"
	}
	columns := w.some(false)
	var sets []string
	for _, c := range columns {
		v := w.value(c, inSet)
		if w.IntN(5) == 0 {
			v = pick(w.Rand, c.name, alias+"."+c.name)
		}
		sets = append(sets, c.name+" = "+v)
	}
	if w.IntN(8) == 0 {
		sets = append(sets[:0], pick(w.Rand, "qty = (SELECT max(qty) / 2 FROM "+w.stuff+")", "label = (SELECT min(o.note) FROM "+w.other+" o WHERE o.id = "+alias+".id)", "price = price * 2, f = price", "qty = qty + 1, label = qty::text", "(qty, label) = (SELECT count(*), 'n' FROM "+w.other+")", "doc = coalesce(doc, '{}') || jsonb_build_object('q', qty)", "day = day + 1, at = at - interval '1 day'"))
		w.oids, w.values, w.formats = nil, nil, nil
	}
	if len(columns) > 1 && w.IntN(5) == 0 {
		w.oids, w.values, w.formats = nil, nil, nil
		var list []string
		for _, c := range columns {
			list = append(list, w.value(c, inSet))
		}
		sets = []string{"(" + names(columns) + ") = (" + strings.Join(list, ", ") + ")"}
	}
	if !w.faulty && w.IntN(40) == 0 {
		w.faulty = true
		sets = append(sets, sets[0])
	}
	where := pick(w.Rand, " WHERE id = "+w.key(), " WHERE id = "+w.key(), " WHERE id IN ('k1', 'k2')", " WHERE qty > 1", " WHERE label IS NULL", " WHERE price < 2 OR ok", " WHERE id = 'none'", "", " WHERE doc ? 'a'", " WHERE day > '2000-01-01'")
	from := ""
	if w.IntN(5) == 0 {
		from = " FROM " + w.other + " o"
		w.oids, w.values, w.formats = nil, nil, nil
		where = " WHERE o.id = " + alias + ".id" + pick(w.Rand, "", " AND o.n > 0")
		sets = append(sets[:0], pick(w.Rand, "label = o.note", "qty = coalesce(o.n, 5)", "price = o.n, label = left(o.note, 2)", "qty = n", "f = n::float8 / 2"))
	}
	return "UPDATE " + target + " SET " + strings.Join(sets, ", ") + from + where + w.returning(alias)
}

func (w *randomWriter) merge() string {
	source := pick(w.Rand, w.other+" AS s", "(VALUES ('k1', 5, 'm'), ('k3', 6, 'n')) AS s(id, n, note)", "(SELECT id, n, note FROM "+w.other+" WHERE n IS NOT NULL) AS s")
	return "MERGE INTO " + w.stuff + " AS x USING " + source + " ON x.id = s.id" +
		pick(w.Rand, " WHEN MATCHED THEN UPDATE SET label = s.note", " WHEN MATCHED AND s.n > 1 THEN UPDATE SET qty = s.n, price = x.price + 1", " WHEN MATCHED THEN DO NOTHING", "") +
		pick(w.Rand, " WHEN NOT MATCHED THEN INSERT (id, qty) VALUES (s.id, coalesce(s.n, 0))", " WHEN NOT MATCHED THEN DO NOTHING", " WHEN NOT MATCHED AND s.n > 5 THEN INSERT (id, label, ok) VALUES (s.id, s.note, DEFAULT)")
}

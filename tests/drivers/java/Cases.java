import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.*;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.util.PSQLException;

/** pgjdbc: the extended protocol, text and binary. */
public class Cases {
    static final Map<String, String> ENV = System.getenv();
    static final String POINT = ENV.get("POINT");

    /** A statement that runs until it is cancelled. */
    static final String ENDLESS = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 10000000) b WHERE a + b = 3";
    static final String BALANCE = "SELECT balance FROM customer WHERE id = 'c1'";

    interface Case {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        Connection c = connect();
        DatabaseMetaData meta = c.getMetaData();
        tell("client", "pgjdbc", "version", meta.getDriverVersion());
        check("connect", () -> {
            equal(one(c, "SELECT current_user"), "ada");
            fails("28P01", () -> connect("password", "wrong"));
        });
        check("tables", () -> equal(column(meta.getTables(null, "public", "%", new String[] {"TABLE"}), 3), "customer product purchase sample"));
        for (String format : List.of("text", "binary")) {
            Connection d = connect("prepareThreshold", format.equals("binary") ? "-1" : "0",
                "binaryTransferEnable", format.equals("binary") ? "NUMERIC,DATE,TIMESTAMPTZ,UUID,BYTEA" : "");
            check("types, " + format, () -> types(d));
            check("parameters, " + format, () -> parameters(d));
        }
        check("insert", () -> {
            PreparedStatement p = c.prepareStatement("INSERT INTO sample (id, i, f, ts, bt, n) VALUES (?, ?, ?, ?, ?, ?)");
            p.setString(1, "new");
            p.setLong(2, 5);
            p.setNull(3, Types.DOUBLE);
            p.setObject(4, OffsetDateTime.parse("2026-02-10T12:00:00Z"));
            p.setBytes(5, new byte[] {0});
            p.setBigDecimal(6, new BigDecimal("1.25"));
            equal(p.executeUpdate(), 1);
            equal(one(c, "SELECT n FROM sample WHERE id = 'new'"), "1.25");
        });
        check("rollback", () -> inTransaction(c, () -> {
            run(c, "INSERT INTO customer VALUES ('gone', 'G')");
            c.rollback();
            equal(one(c, "SELECT count(*) FROM customer WHERE id = 'gone'"), "0");
        }));
        check("savepoint", () -> inTransaction(c, () -> {
            Savepoint s = c.setSavepoint("a b");
            run(c, "INSERT INTO customer VALUES ('inner', 'I')");
            c.rollback(s);
            c.releaseSavepoint(s);
            equal(one(c, "SELECT count(*) FROM customer WHERE id = 'inner'"), "0");
        }));
        check("temporary table", () -> inTransaction(c, () -> {
            run(c, "CREATE TEMP TABLE picked (id int PRIMARY KEY, note text DEFAULT 'none', weight numeric(6,2)) ON COMMIT DROP");
            PreparedStatement p = c.prepareStatement("INSERT INTO picked VALUES (?, ?, ?)");
            for (int i = 1; i <= 2; i++) {
                p.setInt(1, i);
                p.setString(2, "note " + i);
                p.setBigDecimal(3, new BigDecimal("1.5"));
                p.addBatch();
            }
            equal(p.executeBatch().length, 2);
            Statement s = c.createStatement();
            equal(s.executeUpdate("UPDATE picked SET note = note || '!' WHERE id = 2"), 1);
            equal(s.executeUpdate("DELETE FROM picked WHERE id = 1"), 1);
            equal(c.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY picked (id, note) FROM STDIN (FORMAT csv)", new StringReader("3,copied\n")), 1L);
            equal(column(s.executeQuery("SELECT id || ' ' || note || ' ' || coalesce(weight::text, '-') FROM picked ORDER BY id"), 1), "2 note 2! 1.50 3 copied -");
            equal(column(c.getMetaData().getTables(null, null, "picked", new String[] {"TEMPORARY TABLE"}), 3), "picked");
            c.commit();
            fails("42P01", () -> run(c, "TABLE picked"));
        }));
        check("views", () -> {
            run(c, "CREATE SCHEMA shown");
            run(c, "CREATE VIEW shown.orders AS SELECT c.id, c.name, b.qty FROM customer c JOIN purchase b ON b.left_key = c.id");
            equal(one(c, "SELECT name || ' ' || qty FROM shown.orders WHERE id = 'c1'"), "Ada 2");
            equal(column(c.getMetaData().getTables(null, "shown", "%", new String[] {"VIEW"}), 3), "orders");
            equal(column(c.getMetaData().getColumns(null, "shown", "orders", "%"), 6), "text text int8");
            run(c, "DROP SCHEMA shown CASCADE");
        });
        check("with", () -> inTransaction(c, () -> {
            PreparedStatement p = c.prepareStatement("WITH changed AS (UPDATE customer SET name = ? WHERE id = ? RETURNING id, name), "
                + "made AS (INSERT INTO product VALUES (?, ?) RETURNING sku) SELECT changed.id || ' ' || changed.name || ' ' || made.sku FROM changed, made");
            p.setString(1, "Bea");
            p.setString(2, "c2");
            p.setLong(3, 4000);
            p.setString(4, "made");
            equal(column(p.executeQuery(), 1), "c2 Bea 4000");
            c.rollback();
            equal(one(c, "SELECT name FROM customer WHERE id = 'c2'"), "Bob");
        }));
        check("error and recovery", () -> inTransaction(c, () -> {
            fails("22012", () -> run(c, "SELECT 1 / 0"));
            fails("25P02", () -> run(c, "SELECT 1"));
            c.rollback();
            try {
                run(c, "SELECT nope FROM customer");
            } catch (PSQLException e) {
                equal(e.getServerErrorMessage().getPosition(), 8);
            }
        }));
        metadata(c, meta);
        check("cancel", () -> {
            Statement s = c.createStatement();
            java.util.Timer again = new java.util.Timer(true);
            again.schedule(new TimerTask() {
                @Override public void run() {
                    try {
                        s.cancel();
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }, 500, 10000); // a request that arrives late would cancel the next statement
            fails("57014", () -> s.executeQuery(ENDLESS));
            again.cancel();
        });
        check("setQueryTimeout", () -> {
            Statement s = c.createStatement();
            s.setQueryTimeout(1);
            fails("57014", () -> s.executeQuery(ENDLESS));
        });
        past(c);
        more(c);
    }

    static void types(Connection c) throws Exception {
        PreparedStatement p = c.prepareStatement("SELECT * FROM sample WHERE id IN ('full', 'low', 'none') ORDER BY id");
        for (int i = 0; i < 3; i++) {
            ResultSet r = p.executeQuery();
            r.next();
            equal(r.getLong(2), Long.MAX_VALUE);
            equal(r.getDouble(3), 1.5);
            equal(r.getBoolean(4), true);
            equal(r.getObject(5, OffsetDateTime.class).toInstant().toString(), "2026-02-10T12:00:00.123456Z");
            equal(r.getObject(6, LocalDate.class), LocalDate.of(2026, 2, 10));
            equal(r.getBigDecimal(7), new BigDecimal("12345678901234567890.123456789"));
            equal(r.getObject(8), UUID.fromString("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"));
            equal(HexFormat.of().formatHex(r.getBytes(9)), "deadbeef00");
            equal(r.getString(10), "{\"k\": [1, 2.5, null]}");
            equal(r.getString(11), "é€😀 \"\\'\n");
            r.next();
            equal(r.getLong(2), Long.MIN_VALUE);
            equal(r.getDouble(3), Double.NEGATIVE_INFINITY);
            equal(r.getObject(5, OffsetDateTime.class).toInstant().toString(), "1969-12-31T23:59:59.999999Z");
            equal(r.getObject(6, LocalDate.class), LocalDate.of(1900, 2, 28));
            equal(r.getBytes(9).length, 0);
            r.next();
            for (int i2 = 2; i2 <= 11; i2++) {
                equal(r.getObject(i2), null);
            }
        }
    }

    static void parameters(Connection c) throws Exception {
        Object[] values = {
            5, 1L << 40, -1.25e300, "é€😀 \"\\'\n", true, LocalDate.of(2026, 2, 10), OffsetDateTime.parse("2026-02-10T12:00:00.000005Z"),
            new BigDecimal("-12345678901234567890.50"), new UUID(0, 5), new byte[] {0, 1, -1}, c.createArrayOf("text", new String[] {"a", null, "b\"\\,{}"}),
        };
        String[] names = {"integer", "bigint", "float8", "text", "boolean", "date", "timestamptz", "numeric", "uuid", "bytea", "text[]"};
        for (int i = 0; i < values.length; i++) {
            PreparedStatement p = c.prepareStatement("SELECT ?::" + names[i] + " IS NOT DISTINCT FROM ?::" + names[i] + ", ?::" + names[i] + " IS NULL");
            for (int again = 0; again < 3; again++) {
                p.setObject(1, values[i]);
                p.setObject(2, values[i]);
                p.setObject(3, null);
                ResultSet r = p.executeQuery();
                r.next();
                equal(names[i] + r.getBoolean(1) + r.getBoolean(2), names[i] + "truetrue");
            }
        }
    }

    static void metadata(Connection c, DatabaseMetaData m) {
        check("metadata: columns", () -> equal(column(m.getColumns(null, "public", "purchase", "%"), 4), "left_key right_key order_no qty"));
        check("metadata: keys", () -> {
            equal(column(m.getPrimaryKeys(null, "public", "purchase"), 4), "left_key right_key order_no");
            equal(column(m.getImportedKeys(null, "public", "purchase"), 3), "customer product");
            equal(column(m.getExportedKeys(null, "public", "customer"), 7), "purchase");
            equal(column(m.getCrossReference(null, "public", "customer", null, "public", "purchase"), 7), "purchase");
            equal(column(m.getIndexInfo(null, "public", "customer", true, false), 6), "customer_pkey");
            equal(column(m.getBestRowIdentifier(null, "public", "customer", 0, true), 2), "id");
        });
        check("metadata: all else", () -> {
            for (ResultSet r : List.of(m.getSchemas(), m.getCatalogs(), m.getTables(null, null, "%", null), m.getTypeInfo(), m.getUDTs(null, null, "%", null),
                    m.getProcedures(null, null, "%"), m.getFunctions(null, null, "%"), m.getFunctionColumns(null, "pg_catalog", "format_type", "%"),
                    m.getTablePrivileges(null, "public", "%"), m.getColumnPrivileges(null, "public", "customer", "%"),
                    m.getVersionColumns(null, "public", "customer"), m.getTableTypes(), m.getClientInfoProperties())) {
                column(r, 1);
            }
            m.getMaxColumnNameLength();
        });
        check("metadata: getSQLKeywords", () -> equal(m.getSQLKeywords().contains("concurrently"), true));
        check("metadata of a result", () -> {
            ResultSetMetaData r = c.createStatement().executeQuery("SELECT s.id, length(s.id) AS n1, n FROM sample s").getMetaData();
            equal(r.getColumnTypeName(1) + r.getColumnTypeName(2) + r.getColumnTypeName(3), "textint4numeric");
            equal(r.isNullable(1), ResultSetMetaData.columnNoNulls);
            equal(((org.postgresql.PGResultSetMetaData) r).getBaseTableName(1), "sample");
        });
        check("metadata of parameters", () -> {
            ParameterMetaData p = c.prepareStatement("INSERT INTO sample (id, i, n, ts) VALUES (?, ?, ?, ?)").getParameterMetaData();
            equal(p.getParameterTypeName(1) + p.getParameterTypeName(2) + p.getParameterTypeName(3) + p.getParameterTypeName(4), "textint8numerictimestamptz");
        });
    }

    static void past(Connection c) {
        for (String from : List.of("as_of.customer(?)", "customer FOR SYSTEM_TIME AS OF ?")) {
            check(from.startsWith("as_of") ? "past: as_of.customer(p)" : "past: FOR SYSTEM_TIME AS OF", () -> {
                PreparedStatement p = c.prepareStatement("SELECT balance FROM " + from + " WHERE id = 'c1'");
                for (int i = 0; i < 7; i++) {
                    p.setLong(1, Long.parseLong(POINT));
                    ResultSet r = p.executeQuery();
                    r.next();
                    equal(r.getDouble(1), 10.0);
                }
            });
        }
        check("past: SET", () -> {
            Connection old = connect();
            run(old, "SET ontosql.as_of = '" + POINT + "'");
            equal(one(old, BALANCE), "10");
            old.close();
        });
        check("past: options", () -> equal(one(connect("options", "-c ontosql.as_of=" + POINT), BALANCE), "10"));
        check("past: database name", () -> equal(one(connect("PGDBNAME", "onto@" + POINT), BALANCE), "10"));
    }

    static void more(Connection c) {
        check("fetch size", () -> inTransaction(c, () -> {
            Statement s = c.createStatement();
            s.setFetchSize(70);
            ResultSet r = s.executeQuery("SELECT sku FROM product");
            equal(one(c, "SELECT count(*) FROM product WHERE sku <= 1000"), "1000");
            equal(column(r, 1).split(" ").length, 1000);
        }));
        check("holdable cursor", () -> inTransaction(c, () -> {
            Statement s = c.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, ResultSet.HOLD_CURSORS_OVER_COMMIT);
            s.setFetchSize(3);
            ResultSet r = s.executeQuery("SELECT sku FROM product WHERE sku < 11");
            c.commit();
            equal(column(r, 1).split(" ").length, 10);
        }));
        check("updatable result", () -> {
            Statement s = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
            ResultSet r = s.executeQuery("SELECT id, name FROM customer WHERE id = 'c2'");
            r.next();
            r.updateString("name", "Bert");
            r.updateRow();
            equal(one(c, "SELECT name FROM customer WHERE id = 'c2'"), "Bert");
        });
        for (String rewrite : List.of("false", "true")) {
            check("batch, reWriteBatchedInserts=" + rewrite, () -> {
                Connection d = connect("reWriteBatchedInserts", rewrite);
                d.setAutoCommit(false);
                PreparedStatement p = d.prepareStatement("INSERT INTO product VALUES (?, ?)");
                for (int i = 0; i < 300; i++) {
                    p.setInt(1, 5000 + i);
                    p.setString(2, "x");
                    p.addBatch();
                }
                equal(p.executeBatch().length, 300);
                equal(one(d, "SELECT count(*) FROM product WHERE sku >= 5000"), "300");
                d.rollback();
                d.close();
            });
        }
        check("batch with an error", () -> inTransaction(c, () -> {
            Statement s = c.createStatement();
            s.addBatch("INSERT INTO customer VALUES ('batched', 'B')");
            s.addBatch("SELECT 1 / 0");
            fails("22012", s::executeBatch);
            c.rollback();
            equal(one(c, "SELECT count(*) FROM customer WHERE id = 'batched'"), "0");
        }));
        check("generated keys", () -> {
            PreparedStatement p = c.prepareStatement("INSERT INTO product VALUES (6000, 'x')", Statement.RETURN_GENERATED_KEYS);
            p.executeUpdate();
            equal(column(p.getGeneratedKeys(), 1), "6000");
            PreparedStatement q = c.prepareStatement("INSERT INTO product VALUES (6001, 'y')", new String[] {"title"});
            q.executeUpdate();
            equal(column(q.getGeneratedKeys(), 1), "y");
        });
        check("a prepared statement after ALTER TABLE", () -> {
            run(c, "CREATE TABLE changing (id text PRIMARY KEY, v bigint)");
            PreparedStatement p = c.prepareStatement("SELECT * FROM changing");
            for (int i = 0; i < 7; i++) {
                equal(p.executeQuery().getMetaData().getColumnCount(), 2);
            }
            run(c, "ALTER TABLE changing ADD COLUMN w text");
            equal(p.executeQuery().getMetaData().getColumnCount(), 3);
        });
        check("COPY", () -> {
            var copy = c.unwrap(PGConnection.class).getCopyAPI();
            equal(copy.copyIn("COPY product FROM STDIN (FORMAT csv)", new StringReader("7000,\"a\"\"b\"\n")), 1L);
            StringWriter out = new StringWriter();
            copy.copyOut("COPY (SELECT * FROM product WHERE sku = 7000) TO STDOUT (FORMAT csv)", out);
            equal(out.toString(), "7000,\"a\"\"b\"\n");
        });
        check("LISTEN and NOTIFY", () -> {
            run(c, "LISTEN news");
            run(c, "NOTIFY news, 'hello'");
            equal(c.unwrap(PGConnection.class).getNotifications(10000)[0].getParameter(), "hello");
        });
        check("isolation levels, read only", () -> {
            for (int level : new int[] {1, 2, 4, 8}) {
                c.setTransactionIsolation(level);
                equal(c.getTransactionIsolation(), level);
            }
            c.setReadOnly(true);
            inTransaction(c, () -> fails("25006", () -> run(c, "INSERT INTO customer VALUES ('ro', 'R')")));
            c.setReadOnly(false);
        });
        check("setSchema, isValid, escapes", () -> {
            c.setSchema("history");
            equal(c.getSchema() + c.isValid(5), "historytrue");
            c.setSchema("public");
            equal(one(c, "SELECT {d '2026-02-10'} + 1, {fn concat('a', 'b')}"), "2026-02-11");
        });
        check("call of a function", () -> {
            CallableStatement s = c.prepareCall("{? = call upper(?)}");
            s.registerOutParameter(1, Types.VARCHAR);
            s.setString(2, "a");
            s.execute();
            equal(s.getString(1), "A");
        });
        for (String option : List.of("preferQueryMode=simple", "preferQueryMode=extendedForPrepared", "preferQueryMode=extendedCacheEverything",
                "autosave=always", "stringtype=unspecified", "channelBinding=require", "targetServerType=primary", "defaultRowFetchSize=5",
                "assumeMinServerVersion=15", "sslNegotiation=direct")) {
            check(option, () -> {
                String[] o = option.split("=");
                Connection d = connect(o[0], o[1]);
                PreparedStatement p = d.prepareStatement("SELECT title FROM product WHERE sku = ?");
                for (int i = 1; i < 8; i++) {
                    p.setInt(1, i);
                    equal(column(p.executeQuery(), 1), "product " + i);
                }
                d.close();
            });
        }
    }

    /** Connects as the environment says; more are further properties, name and value in turn. */
    static Connection connect(String... more) throws SQLException {
        Properties p = new Properties();
        p.putAll(Map.of("PGHOST", ENV.get("PGHOST"), "PGPORT", ENV.get("PGPORT"), "PGDBNAME", "onto", "user", ENV.get("PGUSER"),
            "password", ENV.get("PGPASSWORD"), "sslmode", "verify-full", "sslrootcert", ENV.get("PGSSLROOTCERT")));
        for (int i = 0; i < more.length; i += 2) {
            p.setProperty(more[i], more[i + 1]);
        }
        String database = java.net.URLEncoder.encode(p.getProperty("PGDBNAME"), java.nio.charset.StandardCharsets.UTF_8);
        return DriverManager.getConnection("jdbc:postgresql://" + p.remove("PGHOST") + ":" + p.remove("PGPORT") + "/" + database, p);
    }

    static void inTransaction(Connection c, Case body) throws Exception {
        c.setAutoCommit(false);
        try {
            body.run();
        } finally {
            c.rollback();
            c.setAutoCommit(true);
        }
    }

    static void run(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    static String one(Connection c, String sql) throws SQLException {
        try (ResultSet r = c.createStatement().executeQuery(sql)) {
            r.next();
            return r.getString(1);
        }
    }

    /** Reads all rows and gives one column's values with blanks between. */
    static String column(ResultSet r, int column) throws SQLException {
        StringJoiner values = new StringJoiner(" ");
        while (r.next()) {
            values.add(r.getString(column));
        }
        r.close();
        return values.toString();
    }

    static void equal(Object got, Object want) {
        if (!Objects.equals(got, want)) {
            throw new AssertionError("got " + got + ", want " + want);
        }
    }

    static void fails(String state, Case body) throws Exception {
        try {
            body.run();
        } catch (SQLException e) {
            equal(e.getSQLState(), state);
            return;
        }
        throw new AssertionError("no error, want " + state);
    }

    static void check(String name, Case body) {
        try {
            body.run();
            tell("case", name, "ok", true);
        } catch (Exception | AssertionError e) {
            tell("case", name, "ok", false, "detail", (e instanceof SQLException s ? s.getSQLState() + " " : "") + e);
        }
    }

    /** Prints an object of JSON; words are its names and values in turn. */
    static void tell(Object... words) {
        StringJoiner line = new StringJoiner(", ", "{", "}");
        for (int i = 0; i < words.length; i += 2) {
            line.add(quote(words[i]) + ": " + (words[i + 1] instanceof Boolean ? words[i + 1] : quote(words[i + 1])));
        }
        System.out.println(line);
    }

    static String quote(Object text) {
        return '"' + text.toString().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", "\\t") + '"';
    }
}

import java.sql.*;
import java.util.Properties;

/** A session of pgjdbc: server-side prepared statements, batches, fetch size, metadata. */
public class Session {
    public static void main(String[] args) throws Exception {
        var env = System.getenv();
        var p = new Properties();
        p.setProperty("user", env.get("PGUSER"));
        p.setProperty("sslmode", "disable");
        p.setProperty("prepareThreshold", "2");
        try (var c = DriverManager.getConnection("jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/onto", p)) {
            c.createStatement().execute("CREATE TABLE account (id text PRIMARY KEY, balance double precision, opened date)");
            var insert = c.prepareStatement("INSERT INTO account VALUES (?, ?, ?)");
            for (String id : new String[] {"a", "b", "c"}) {
                insert.setString(1, id);
                insert.setDouble(2, 1.5);
                insert.setDate(3, Date.valueOf("2026-02-10"));
                insert.addBatch();
            }
            insert.executeBatch();
            var select = c.prepareStatement("SELECT balance, opened FROM account WHERE id = ?");
            for (int i = 0; i < 4; i++) {
                select.setString(1, "a");
                select.executeQuery().next();
            }
            c.setAutoCommit(false);
            var all = c.prepareStatement("SELECT id FROM account ORDER BY id");
            all.setFetchSize(2);
            var rows = all.executeQuery();
            while (rows.next()) {
                rows.getString(1);
            }
            try {
                c.createStatement().executeQuery("SELECT 1 / (count(*) - count(*)) FROM account");
            } catch (SQLException e) {
                c.rollback();
            }
            var keys = c.prepareStatement("INSERT INTO account (id) VALUES (?)", new String[] {"id"});
            keys.setString(1, "d");
            keys.executeUpdate();
            c.rollback();
            c.setAutoCommit(true);
        }
    }
}

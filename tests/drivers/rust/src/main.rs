//! tokio-postgres over OpenSSL: the extended protocol, binary.

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use openssl::ssl::{SslConnector, SslMethod};
use postgres_openssl::MakeTlsConnector;
use serde_json::{json, Value};
use std::env::var;
use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client, Config, Error};
use uuid::Uuid;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A statement that runs until it is cancelled.
const ENDLESS: &str = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 10000000) b WHERE a + b = 3";
const BALANCE: &str = "SELECT balance FROM customer WHERE id = 'c1'";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    println!("{}", json!({"client": "tokio-postgres", "version": "0.7.18"}));
    let mut c = connect(|_| {}).await?;
    check("connect", async {
        let user: String = c.query_one("SELECT current_user::text", &[]).await?.get(0);
        equal(user, "ada".to_string())?;
        fails(connect(|g| { g.password("wrong"); }).await, "28P01")
    })
    .await;
    check("tables", async {
        let rows = c.query("SELECT tablename::text FROM pg_tables WHERE schemaname = $1 ORDER BY 1", &[&"public"]).await?;
        equal(rows.iter().map(|r| r.get(0)).collect::<Vec<String>>(), ["customer", "product", "purchase", "sample"].map(String::from).to_vec())
    })
    .await;
    check("types, binary", types(&c)).await;
    check("parameters, binary", parameters(&c)).await;
    check("types of the catalog", async {
        c.prepare("SELECT relacl, relkind, reloptions, relname FROM pg_class").await?;
        c.prepare("SELECT table_name, is_insertable_into FROM information_schema.tables").await?;
        c.query("SELECT typinput, typarray::regtype, oid::regclass FROM pg_type LIMIT 3", &[]).await?;
        Ok(())
    })
    .await;
    check("insert", async {
        let made = c.execute("INSERT INTO sample (id, i, ts, j) VALUES ($1, $2, $3, $4)", &[&"new", &5i64, &Utc::now(), &json!({"a": 1})]).await?;
        equal(made, 1)
    })
    .await;
    check("rollback and savepoint", rollback(&mut c)).await;
    check("temporary table", temporary(&mut c)).await;
    check("views", views(&c)).await;
    check("with", with_writes(&mut c)).await;
    check("error and recovery", async {
        c.batch_execute("BEGIN").await?;
        fails(c.query("SELECT 1 / 0", &[]).await, "22012")?;
        fails(c.query("SELECT 1", &[]).await, "25P02")?;
        c.batch_execute("ROLLBACK").await?;
        equal(c.query_one("SELECT 1", &[]).await?.get::<_, i32>(0), 1)
    })
    .await;
    check("metadata", async {
        let s = c.prepare("SELECT id, n, ts FROM sample WHERE i = $1").await?;
        equal(s.params().to_vec(), vec![Type::INT8])?;
        equal(s.columns().iter().map(|c| c.type_().clone()).collect::<Vec<_>>(), vec![Type::TEXT, Type::NUMERIC, Type::TIMESTAMPTZ])
    })
    .await;
    check("cancel", cancel(&c)).await;
    past(&c).await;
    check("portal", async {
        let x = c.transaction().await?;
        let portal = x.bind("SELECT sku FROM product WHERE sku <= $1", &[&1000i64]).await?;
        equal(x.query_portal(&portal, 70).await?.len(), 70)?;
        equal(x.query_portal(&portal, 0).await?.len(), 930)
    })
    .await;
    check("pipeline", async {
        let (a, b) = (c.query_one("SELECT $1::int", &[&1i32]), c.query_one("SELECT $1::int", &[&2i32]));
        let (a, b) = tokio::join!(a, b);
        equal((a?.get::<_, i32>(0), b?.get::<_, i32>(0)), (1, 2))
    })
    .await;
    check("simple query", async { Ok(drop(c.simple_query("SELECT 1; SELECT 'x'").await?)) }).await;
    check("LISTEN and NOTIFY", listen()).await;
    Ok(())
}

async fn types(c: &Client) -> Outcome {
    let rows = c.query("SELECT * FROM sample ORDER BY id", &[]).await?;
    let r = &rows[0];
    equal(r.get::<_, i64>(1), i64::MAX)?;
    equal((r.get::<_, f64>(2), r.get::<_, bool>(3)), (1.5, true))?;
    equal(r.get::<_, DateTime<Utc>>(4).to_rfc3339(), "2026-02-10T12:00:00.123456+00:00".to_string())?;
    equal(r.get::<_, NaiveDate>(5).to_string(), "2026-02-10".to_string())?;
    equal(r.get::<_, Uuid>(7).to_string(), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11".to_string())?;
    equal(r.get::<_, Vec<u8>>(8), vec![0xde, 0xad, 0xbe, 0xef, 0])?;
    equal(r.get::<_, Value>(9), json!({"k": [1, 2.5, null]}))?;
    equal(r.get::<_, String>(10), "é€😀 \"\\'\n".to_string())?;
    equal(rows[2].get::<_, Option<Value>>(9), None)
}

async fn parameters(c: &Client) -> Outcome {
    async fn same<T: ToSql + Sync + PartialEq + Debug + for<'a> tokio_postgres::types::FromSql<'a>>(c: &Client, name: &str, value: T) -> Outcome {
        let sql = format!("SELECT $1::{name}");
        equal(c.query_one(&sql, &[&value]).await?.get::<_, T>(0), value)?;
        equal(c.query_one(&sql, &[&None::<T>]).await?.get::<_, Option<T>>(0), None)
    }
    same(c, "smallint", -7i16).await?;
    same(c, "integer", 70000i32).await?;
    same(c, "bigint", 1i64 << 40).await?;
    same(c, "real", 0.5f32).await?;
    same(c, "float8", -1.25e300f64).await?;
    same(c, "boolean", true).await?;
    same(c, "bytea", vec![0u8, 1, 255]).await?;
    same(c, "date", NaiveDate::from_ymd_opt(2026, 2, 10).ok_or("date")?).await?;
    same(c, "timestamp", NaiveDateTime::parse_from_str("2026-02-10 12:00:00.000005", "%F %T%.f")?).await?;
    same(c, "timestamptz", DateTime::<Utc>::from_timestamp_micros(5).ok_or("time")?).await?;
    same(c, "uuid", Uuid::from_u128(5)).await?;
    same(c, "jsonb", json!({"a": [1, null]})).await?;
    same(c, "text[]", vec![Some("a".to_string()), None, Some("b \"\\,{}".to_string())]).await?;
    same(c, "bigint[]", vec![1i64, 3]).await?;
    same(c, "text", "é€😀 \"\\'\n".to_string()).await
}

async fn rollback(c: &mut Client) -> Outcome {
    const COUNT: &str = "SELECT count(*) FROM customer WHERE id IN ('gone', 'inner')";
    let mut x = c.transaction().await?;
    x.execute("INSERT INTO customer VALUES ('gone', 'G')", &[]).await?;
    let y = x.transaction().await?;
    y.execute("INSERT INTO customer VALUES ('inner', 'I')", &[]).await?;
    y.rollback().await?;
    equal(x.query_one(COUNT, &[]).await?.get::<_, i64>(0), 1)?;
    x.rollback().await?;
    equal(c.query_one(COUNT, &[]).await?.get::<_, i64>(0), 0)
}

async fn temporary(c: &mut Client) -> Outcome {
    let x = c.transaction().await?;
    x.batch_execute("CREATE TEMP TABLE picked (id int PRIMARY KEY, note text DEFAULT 'none', weight numeric(6,2)) ON COMMIT DROP").await?;
    let insert = x.prepare("INSERT INTO picked (id, note) VALUES ($1, $2)").await?;
    for (id, note) in [(1i32, "one"), (2, "two")] {
        equal(x.execute(&insert, &[&id, &note]).await?, 1)?;
    }
    equal(x.query_one("UPDATE picked SET note = note || $1 WHERE id = 2 RETURNING note", &[&"!"]).await?.get::<_, String>(0), "two!".to_string())?;
    equal(x.execute("DELETE FROM picked WHERE id = $1", &[&1i32]).await?, 1)?;
    let rows = x.query("SELECT id, note FROM picked ORDER BY id", &[]).await?;
    equal(rows.iter().map(|r| (r.get(0), r.get(1))).collect::<Vec<(i32, String)>>(), vec![(2, "two!".to_string())])?;
    x.commit().await?;
    fails(c.query("TABLE picked", &[]).await, "42P01")
}

async fn views(c: &Client) -> Outcome {
    c.batch_execute("CREATE SCHEMA shown; CREATE VIEW shown.orders AS SELECT c.id, c.name, b.qty FROM customer c JOIN purchase b ON b.left_key = c.id").await?;
    let r = c.query_one("SELECT name, qty FROM shown.orders WHERE id = $1", &[&"c1"]).await?;
    equal((r.get::<_, String>(0), r.get::<_, i64>(1)), ("Ada".to_string(), 2))?;
    Ok(c.batch_execute("DROP SCHEMA shown CASCADE").await?)
}

async fn with_writes(c: &mut Client) -> Outcome {
    let x = c.transaction().await?;
    let sql = "WITH changed AS (UPDATE customer SET name = $1 WHERE id = $2 RETURNING id, name), made AS (INSERT INTO product VALUES ($3, $4) RETURNING sku) \
               SELECT changed.id, changed.name, made.sku FROM changed, made";
    let r = x.query_one(sql, &[&"Bea", &"c2", &4000i64, &"made"]).await?;
    equal((r.get::<_, String>(0), r.get::<_, String>(1), r.get::<_, i64>(2)), ("c2".to_string(), "Bea".to_string(), 4000))?;
    x.rollback().await?;
    equal(c.query_one("SELECT name FROM customer WHERE id = 'c2'", &[]).await?.get::<_, String>(0), "Bob".to_string())
}

/// Cancels once the statement has had time to start. A request that came too early has no effect, so it is
/// repeated, but seldom: the crate does not wait until the server has read a request, and one that arrives
/// late cancels the next statement of the session.
async fn cancel(c: &Client) -> Outcome {
    let token = c.cancel_token();
    let statement = c.query(ENDLESS, &[]);
    tokio::pin!(statement);
    let mut wait = Duration::from_millis(500);
    loop {
        match timeout(wait, &mut statement).await {
            Ok(ended) => return fails(ended, "57014"),
            Err(_) => token.cancel_query(tls()?).await?,
        }
        wait = Duration::from_secs(10);
    }
}

async fn past(c: &Client) {
    let point = var("POINT").unwrap_or_default();
    for (name, sql) in [
        ("past: as_of.customer(p)", "SELECT balance FROM as_of.customer($1) WHERE id = 'c1'"),
        ("past: FOR SYSTEM_TIME AS OF", "SELECT balance FROM customer FOR SYSTEM_TIME AS OF $1 WHERE id = 'c1'"),
    ] {
        check(name, async { equal(c.query_one(sql, &[&point]).await?.get::<_, f64>(0), 10.0) }).await;
    }
    check("past: SET", async {
        let old = connect(|_| {}).await?;
        old.batch_execute(&format!("SET ontosql.as_of = '{point}'")).await?;
        ten(&old).await
    })
    .await;
    check("past: options", async { ten(&connect(|g| { g.options(format!("-c ontosql.as_of={point}")); }).await?).await }).await;
    check("past: database name", async { ten(&connect(|g| { g.dbname(format!("onto@{point}")); }).await?).await }).await;
}

async fn ten(c: &Client) -> Outcome {
    equal(c.query_one(BALANCE, &[]).await?.get::<_, f64>(0), 10.0)
}

/// Reads the connection itself: the client alone does not show notifications.
async fn listen() -> Outcome {
    let (c, mut connection) = config().connect(tls()?).await?;
    let mut heard = Vec::new();
    let read = async {
        loop {
            match std::future::poll_fn(|cx| connection.poll_message(cx)).await {
                Some(Ok(AsyncMessage::Notification(n))) => heard.push(n.payload().to_string()),
                Some(Ok(_)) => {}
                other => return format!("the connection ended: {other:?}"),
            }
        }
    };
    tokio::select! {
        sent = c.batch_execute("LISTEN news; NOTIFY news, 'hello'") => sent?,
        ended = read => return Err(ended.into()),
    }
    equal(heard, vec!["hello".to_string()])
}

fn config() -> Config {
    let env = |name| var(name).unwrap_or_default();
    let mut c = Config::new();
    c.host(env("PGHOST")).port(env("PGPORT").parse().unwrap_or_default());
    c.user(env("PGUSER")).password(env("PGPASSWORD")).dbname(env("PGDATABASE")).ssl_mode(tokio_postgres::config::SslMode::Require);
    c
}

/// The server's certificate and name are checked.
fn tls() -> Result<MakeTlsConnector, openssl::error::ErrorStack> {
    let mut b = SslConnector::builder(SslMethod::tls())?;
    b.set_ca_file(var("PGSSLROOTCERT").unwrap_or_default())?;
    Ok(MakeTlsConnector::new(b.build()))
}

async fn connect(change: impl FnOnce(&mut Config)) -> Result<Client, Box<dyn std::error::Error>> {
    let mut g = config();
    change(&mut g);
    let (client, connection) = g.connect(tls()?).await?;
    tokio::spawn(connection);
    Ok(client)
}

async fn check(name: &str, case: impl Future<Output = Outcome>) {
    let outcome = timeout(Duration::from_secs(20), case).await.unwrap_or_else(|_| Err("no answer within 20 s".into()));
    match outcome {
        Ok(()) => println!("{}", json!({"case": name, "ok": true})),
        Err(e) => println!("{}", json!({"case": name, "ok": false, "detail": format!("{e} {e:?}")})),
    }
}

fn equal<T: PartialEq + Debug>(got: T, want: T) -> Outcome {
    if got == want {
        return Ok(());
    }
    Err(format!("got {got:?}, want {want:?}").into())
}

fn fails<T, E: Into<Box<dyn std::error::Error>>>(outcome: Result<T, E>, state: &str) -> Outcome {
    let Err(e) = outcome else { return Err(format!("no error, want {state}").into()) };
    let e = e.into();
    match e.downcast_ref::<Error>().and_then(Error::code) {
        Some(code) if code.code() == state => Ok(()),
        _ => Err(e),
    }
}

// node-postgres: the extended protocol, text; with pg-cursor.
'use strict';
const assert = require('node:assert/strict');
const pg = require('pg');
const Cursor = require('pg-cursor');
const { about, balance, check, createPicked, createView, endless, fails, point, samples, selectSample, selectView, ssl, withArgs, withWrites } = require('./cases.js');

async function connect(more) {
  const client = new pg.Client({ ssl, ...more });
  await client.connect();
  return client;
}

// past reads the balance on a connection of its own.
async function past(more, ...statements) {
  const old = await connect(more);
  try {
    let got;
    for (const sql of [...statements, balance]) {
      got = await old.query(sql);
    }
    assert.deepEqual(got.rows, [{ balance: 10 }]);
  } finally {
    await old.end();
  }
}

async function main() {
  about('node-postgres', 'pg');
  const c = await connect();
  const rows = async (text, values) => (await c.query({ text, values })).rows;

  await check('connect', async () => {
    assert.deepEqual(await rows('SELECT current_user'), [{ current_user: 'ada' }]);
    await fails(connect({ password: 'wrong' }), '28P01');
  });
  await check('tables', async () => {
    const got = await rows('SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1', ['public']);
    assert.deepEqual(got.map((r) => r.tablename), ['customer', 'product', 'purchase', 'sample']);
  });
  await check('types, text', async () => {
    const got = await rows(selectSample);
    assert.deepEqual([got[0], got[2]], samples);
  });
  await check('types, binary', async () => {
    const got = await c.query({ text: 'SELECT f, b, s, bt FROM sample ORDER BY id', binary: true });
    const { f, b, s, bt } = samples[0];
    assert.deepEqual(got.rows[0], { f, b, s, bt });
  });
  await check('parameters', async () => {
    const values = [1, 1.5, 'é€😀 "\\\'\n', Buffer.from([0, 1, 255]), new Date(5), { a: [1] }, ['a', null, 'b"\\,{}'], true, '-1.25', [1, 2]];
    const got = await rows(`SELECT $1::int a, $2::float8 b, $3::text c, $4::bytea d, $5::timestamptz e, $6::jsonb f, $7::text[] g,
      $8::boolean h, $9::numeric i, $10::int[] j`, values);
    assert.deepEqual(Object.values(got[0]), values);
    const nulls = await rows('SELECT $1::text a, $2::bigint b, $3::jsonb c', [null, null, null]);
    assert.deepEqual(nulls, [{ a: null, b: null, c: null }]);
  });
  await check('numeric with its scale', async () => {
    assert.deepEqual(await rows('SELECT $1::numeric AS n', ['1.50']), [{ n: '1.50' }]);
  });
  await check('insert', async () => {
    const got = await c.query('INSERT INTO sample (id, i, ts, bt, j) VALUES ($1, $2, $3, $4, $5) RETURNING id',
      ['new', 5, new Date(0), Buffer.from([0]), { a: 1 }]);
    assert.deepEqual([got.command, got.rowCount, got.rows], ['INSERT', 1, [{ id: 'new' }]]);
  });
  await check('rollback', async () => {
    await c.query('BEGIN');
    await c.query('INSERT INTO customer VALUES ($1, $2)', ['gone', 'G']);
    await c.query('ROLLBACK');
    assert.deepEqual(await rows("SELECT id FROM customer WHERE id = 'gone'"), []);
  });
  await check('temporary table', async () => {
    await c.query('BEGIN');
    await c.query(createPicked);
    await c.query('INSERT INTO picked VALUES ($1, $2, $3), ($4, $5, $6)', [1, 'one', null, 2, 'two', 1.5]);
    assert.deepEqual(await rows('UPDATE picked SET note = note || $1 WHERE id = $2 RETURNING note', ['!', 2]), [{ note: 'two!' }]);
    assert.equal((await c.query('DELETE FROM picked WHERE id = $1', [1])).rowCount, 1);
    assert.deepEqual(await rows('SELECT * FROM picked'), [{ id: 2, note: 'two!', weight: '1.50' }]);
    await c.query('COMMIT');
    await fails(c.query('TABLE picked'), '42P01');
  });
  await check('views', async () => {
    await c.query(createView);
    assert.deepEqual(await rows(selectView, ['c1']), [{ name: 'Ada', qty: '2' }]);
    await c.query('DROP SCHEMA shown CASCADE');
  });
  await check('with', async () => {
    await c.query('BEGIN');
    assert.deepEqual(await rows(withWrites, withArgs), [{ id: 'c2', name: 'Bea', sku: '4000' }]);
    await c.query('ROLLBACK');
    assert.deepEqual(await rows("SELECT name FROM customer WHERE id = 'c2'"), [{ name: 'Bob' }]);
  });
  await check('error and recovery', async () => {
    await c.query('BEGIN');
    await fails(c.query('SELECT 1 / 0'), '22012');
    await fails(c.query('SELECT 1'), '25P02');
    await c.query('ROLLBACK');
    await assert.rejects(c.query('SELECT nope FROM customer'), { code: '42703', position: '8' });
    assert.deepEqual(await rows('SELECT 1 AS one'), [{ one: 1 }]);
  });
  await check('metadata', async () => {
    const got = await c.query('SELECT id, n, ts FROM sample');
    assert.deepEqual(got.fields.map((f) => [f.name, f.dataTypeID]), [['id', 25], ['n', 1700], ['ts', 1184]]);
  });
  await check('cancel', async () => {
    const { rows: [{ pid }] } = await c.query('SELECT pg_backend_pid() AS pid');
    const other = await connect();
    let asked;
    const again = setInterval(() => { asked = other.query('SELECT pg_cancel_backend($1)', [pid]); }, 100);
    try {
      await fails(c.query(endless), '57014');
    } finally {
      clearInterval(again);
      await asked; // end() breaks off what is on its way
      await other.end();
    }
    assert.deepEqual(await rows('SELECT 1 AS one'), [{ one: 1 }]);
  });
  await check('statement_timeout', async () => {
    const hasty = await connect({ statement_timeout: 300, lock_timeout: 100, idle_in_transaction_session_timeout: 60000 });
    await fails(hasty.query(endless), '57014');
    await hasty.end();
  });
  await check('past: as_of.customer(p)', async () => {
    assert.deepEqual(await rows("SELECT balance FROM as_of.customer($1) WHERE id = 'c1'", [Number(point)]), [{ balance: 10 }]);
  });
  await check('past: SET', () => past({}, `SET ontosql.as_of = '${point}'`));
  await check('past: options', () => past({ options: `-c ontosql.as_of=${point}` }));
  await check('past: FOR SYSTEM_TIME AS OF', async () => {
    const got = await rows("SELECT balance FROM customer FOR SYSTEM_TIME AS OF $1 WHERE id = 'c1'", [Number(point)]);
    assert.deepEqual(got, [{ balance: 10 }]);
  });
  await check('past: database name', () => past({ database: `onto@${point}` }));
  await check('named statement', async () => {
    for (let i = 1; i < 5; i++) {
      const got = await c.query({ name: 'title', text: 'SELECT title FROM product WHERE sku = $1', values: [i] });
      assert.deepEqual(got.rows, [{ title: `product ${i}` }]);
    }
  });
  await check('several statements', async () => {
    const got = await c.query('SELECT 1 AS a; SELECT 2 AS b');
    assert.deepEqual(got.map((r) => r.rows), [[{ a: 1 }], [{ b: 2 }]]);
  });
  await check('pg-cursor', async () => {
    const cursor = c.query(new Cursor('SELECT sku FROM product WHERE sku > $1', [100]));
    assert.equal((await cursor.read(70)).length, 70);
    assert.equal((await cursor.read(2000)).length, 830);
    await cursor.close();
    const left = c.query(new Cursor('SELECT sku FROM product'));
    await left.read(1);
    await left.close();
  });
  await check('LISTEN and NOTIFY', async () => {
    const heard = new Promise((resolve) => c.once('notification', resolve));
    await c.query('LISTEN news');
    await c.query("SELECT pg_notify('news', 'hello')");
    assert.equal((await heard).payload, 'hello');
  });
  await check('pool', async () => {
    const pool = new pg.Pool({ ssl, max: 4 });
    const got = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((i) => pool.query('SELECT $1::int AS i', [i])));
    assert.deepEqual(got.map((r) => r.rows[0].i), [1, 2, 3, 4, 5, 6, 7, 8]);
    await pool.end();
  });
  await c.end();
}

main();

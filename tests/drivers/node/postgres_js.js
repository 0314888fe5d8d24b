// postgres.js: the extended protocol in a pipeline, text.
'use strict';
const assert = require('node:assert/strict');
const { pipeline } = require('node:stream/promises');
const { Readable } = require('node:stream');
const postgres = require('postgres');
const { about, check, createPicked, createView, endless, env, fails, point, samples, selectSample, selectView, ssl, withArgs, withWrites } = require('./cases.js');

const connect = (more) => postgres({ ssl, max: 1, onnotice: () => {}, ...more });

// past reads the balance on a connection of its own.
async function past(more, setting = 'SELECT 1') {
  const old = connect(more);
  try {
    await old.unsafe(setting);
    assert.deepEqual([...await old`SELECT balance FROM customer WHERE id = 'c1'`], [{ balance: 10 }]);
  } finally {
    await old.end();
  }
}

async function main() {
  about('postgres.js', 'postgres');
  const sql = connect({ database: env.PGDATABASE });

  await check('connect', async () => {
    assert.deepEqual([...await sql`SELECT current_user`], [{ current_user: 'ada' }]);
    const wrong = connect({ password: 'wrong' });
    await fails(wrong`SELECT 1`, '28P01');
  });
  await check('tables', async () => {
    const got = await sql`SELECT tablename FROM pg_tables WHERE schemaname = ${'public'} ORDER BY 1`;
    assert.deepEqual(got.map((r) => r.tablename), ['customer', 'product', 'purchase', 'sample']);
  });
  await check('types, text', async () => {
    const got = [...await sql.unsafe(selectSample)];
    assert.deepEqual([got[0], got[2]], samples);
  });
  await check('parameters', async () => {
    const at = new Date(5);
    const got = await sql`SELECT ${1}::int a, ${1.5}::float8 b, ${'é€😀 "\\\'\n'}::text c, ${Buffer.from([0, 255])}::bytea d, ${at}::timestamptz e,
      ${sql.json({ a: [1] })}::jsonb f, ${sql.array(['a', 'b"\\,{}'])}::text[] g, ${true}::boolean h, ${'-1.25'}::numeric i, ${null}::text j`;
    assert.deepEqual(Object.values(got[0]),
      [1, 1.5, 'é€😀 "\\\'\n', Buffer.from([0, 255]), at, { a: [1] }, ['a', 'b"\\,{}'], true, '-1.25', null]);
    assert.equal((await sql`SELECT sku FROM product WHERE sku = ANY(${[1, 2]})`).count, 2);
    assert.equal((await sql`SELECT sku FROM product WHERE sku IN ${sql([1, 2, 3])}`).count, 3);
  });
  await check('insert', async () => {
    const got = await sql`INSERT INTO product ${sql([{ sku: 5000, title: 'a' }, { sku: 5001, title: 'b' }])} RETURNING sku`;
    assert.deepEqual([...got], [{ sku: '5000' }, { sku: '5001' }]);
  });
  await check('rollback and savepoint', async () => {
    const stop = new Error('stop');
    await assert.rejects(sql.begin(async (tx) => {
      await tx`INSERT INTO customer ${tx({ id: 'gone', name: 'G' })}`;
      await assert.rejects(tx.savepoint(async (inner) => {
        await inner`INSERT INTO customer ${inner({ id: 'inner', name: 'I' })}`;
        throw stop;
      }), stop);
      assert.equal((await tx`SELECT id FROM customer WHERE id IN ('gone', 'inner')`).count, 1);
      throw stop;
    }), stop);
    assert.equal((await sql`SELECT id FROM customer WHERE id IN ('gone', 'inner')`).count, 0);
  });
  await check('temporary table', async () => {
    await sql.begin(async (tx) => {
      await tx.unsafe(createPicked);
      await tx`INSERT INTO picked ${tx([{ id: 1, note: 'one', weight: null }, { id: 2, note: 'two', weight: '1.5' }])}`;
      assert.deepEqual([...await tx`UPDATE picked SET ${tx({ note: 'two!' })} WHERE id = ${2} RETURNING note`], [{ note: 'two!' }]);
      assert.equal((await tx`DELETE FROM picked WHERE id = ${1}`).count, 1);
      await pipeline(Readable.from(['3\tcopied\n']), await tx`COPY picked (id, note) FROM STDIN`.writable());
      assert.deepEqual([...await tx`SELECT * FROM picked ORDER BY id`], [{ id: 2, note: 'two!', weight: '1.50' }, { id: 3, note: 'copied', weight: null }]);
    });
    await fails(sql`TABLE picked`, '42P01');
  });
  await check('views', async () => {
    await sql.unsafe(createView);
    assert.deepEqual([...await sql.unsafe(selectView, ['c1'])], [{ name: 'Ada', qty: '2' }]);
    await sql`DROP SCHEMA shown CASCADE`;
  });
  await check('with', async () => {
    const stop = new Error('stop');
    await assert.rejects(sql.begin(async (tx) => {
      assert.deepEqual([...await tx.unsafe(withWrites, withArgs)], [{ id: 'c2', name: 'Bea', sku: '4000' }]);
      throw stop;
    }), stop);
    assert.deepEqual([...await sql`SELECT name FROM customer WHERE id = 'c2'`], [{ name: 'Bob' }]);
  });
  await check('error and recovery', async () => {
    await assert.rejects(sql.begin(async (tx) => {
      await fails(tx`SELECT 1 / 0`, '22012');
      await fails(tx`SELECT 1`, '25P02');
      throw new Error('end');
    }));
    await assert.rejects(sql`SELECT nope FROM customer`, { code: '42703', position: '8' });
    assert.deepEqual([...await sql`SELECT 1 AS one`], [{ one: 1 }]);
  });
  await check('metadata', async () => {
    const got = await sql`SELECT id, n FROM sample WHERE i > ${1}`.describe();
    assert.deepEqual([got.types, got.columns.map((c) => [c.name, c.type])], [[20], [['id', 25], ['n', 1700]]]);
  });
  await check('cancel', async () => {
    // The library does not wait until the server has read a request, and one that arrives late cancels the
    // session's next statement: so the second, needed if the first came too early, follows much later.
    const query = sql.unsafe(endless);
    const timers = [500, 10000].map((wait) => setTimeout(() => query.cancel(), wait));
    try {
      await fails(query, '57014');
    } finally {
      timers.forEach(clearTimeout);
    }
  });
  await check('past: as_of.customer(p)', async () => {
    assert.deepEqual([...await sql`SELECT balance FROM as_of.customer(${point}) WHERE id = 'c1'`], [{ balance: 10 }]);
  });
  await check('past: SET', () => past({}, `SET ontosql.as_of = '${point}'`));
  await check('past: options', () => past({ connection: { options: `-c ontosql.as_of=${point}` } }));
  await check('past: FOR SYSTEM_TIME AS OF', async () => {
    assert.deepEqual([...await sql`SELECT balance FROM customer FOR SYSTEM_TIME AS OF ${point} WHERE id = 'c1'`], [{ balance: 10 }]);
  });
  await check('past: database name', () => past({ database: `onto@${point}` }));
  await check('cursor', async () => {
    const sizes = [];
    await sql`SELECT sku FROM product WHERE sku <= 1000`.cursor(400, (rows) => { sizes.push(rows.length); });
    assert.deepEqual(sizes, [400, 400, 200]);
    await sql`SELECT sku FROM product`.cursor(400, () => sql.CLOSE);
  });
  await check('several statements', async () => {
    const got = await sql`SELECT 1 AS a; SELECT 2 AS b`.simple();
    assert.deepEqual(got.map((r) => r[0]), [{ a: 1 }, { b: 2 }]);
  });
  await check('LISTEN and NOTIFY', async () => {
    const heard = new Promise((resolve, reject) => { sql.listen('news', resolve).catch(reject); });
    const again = setInterval(() => sql.notify('news', 'hello').catch(() => {}), 100);
    try {
      assert.equal(await heard, 'hello');
    } finally {
      clearInterval(again);
    }
  });
  await check('COPY', async () => {
    await pipeline(Readable.from(['6000\ta\n6001\tb\\\\\n']), await sql`COPY product FROM STDIN`.writable());
    let out = '';
    for await (const chunk of await sql`COPY (SELECT * FROM product WHERE sku >= 6000 ORDER BY sku) TO STDOUT`.readable()) {
      out += chunk;
    }
    assert.equal(out, '6000\ta\n6001\tb\\\\\n');
  });
  await sql.end({ timeout: 2 });
}

main().then(() => process.exit(0));

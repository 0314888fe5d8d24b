// What the programs of the Node clients share: how a case is told, and what stands in fill.sql.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');

const env = process.env;
exports.env = env;
exports.point = env.POINT;
exports.ssl = { ca: fs.readFileSync(env.PGSSLROOTCERT).toString() };

// A statement that runs until it is cancelled.
exports.endless = 'SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 10000000) b WHERE a + b = 3';
// A temporary table, which ends with its transaction.
exports.createPicked = "CREATE TEMP TABLE picked (id int PRIMARY KEY, note text DEFAULT 'none', weight numeric(6,2)) ON COMMIT DROP";
// A view in a schema of the workspace, and a WITH that writes two types.
exports.createView = 'CREATE SCHEMA shown; CREATE VIEW shown.orders AS SELECT c.id, c.name, b.qty FROM customer c JOIN purchase b ON b.left_key = c.id';
exports.selectView = 'SELECT name, qty FROM shown.orders WHERE id = $1';
exports.withWrites = `WITH changed AS (UPDATE customer SET name = $1 WHERE id = $2 RETURNING id, name), made AS (INSERT INTO product VALUES ($3, $4) RETURNING sku)
  SELECT changed.id, changed.name, made.sku FROM changed, made`;
exports.withArgs = ['Bea', 'c2', 4000, 'made'];
exports.balance = "SELECT balance FROM customer WHERE id = 'c1'";

// The rows full and none of table sample, each type as both clients give it; the date is text.
exports.selectSample = 'SELECT id, i, f, b, ts, d::text AS d, n, u, bt, j, s FROM sample ORDER BY id';
exports.samples = [
  {
    id: 'full', i: '9223372036854775807', f: 1.5, b: true, ts: new Date('2026-02-10T12:00:00.123Z'), d: '2026-02-10',
    n: '12345678901234567890.123456789', u: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', bt: Buffer.from('deadbeef00', 'hex'),
    j: { k: [1, 2.5, null] }, s: 'é€😀 "\\\'\n',
  },
  { id: 'none', i: null, f: null, b: null, ts: null, d: null, n: null, u: null, bt: null, j: null, s: null },
];

function tell(line) {
  fs.writeSync(1, JSON.stringify(line) + '\n');
}

exports.about = (client, library) => {
  const file = path.join(env.NODE_PATH, library, 'package.json');
  tell({ client, version: JSON.parse(fs.readFileSync(file)).version });
};

// check runs a case, which must end within a time, and tells how it went.
exports.check = async (name, run) => {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer within 20 s')), 20000);
  });
  try {
    await Promise.race([run(), late]);
    tell({ case: name, ok: true });
  } catch (e) {
    tell({ case: name, ok: false, detail: `${e.code ?? ''} ${e.message}` });
  } finally {
    clearTimeout(timer);
  }
};

// fails wants an error with an SQLSTATE.
exports.fails = (promise, code) => assert.rejects(promise, (e) => {
  assert.equal(e.code, code, e.message);
  return true;
});

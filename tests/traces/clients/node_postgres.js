// A session of node-postgres.
const { Client } = require('pg');

(async () => {
    const c = new Client({ ssl: false });
    await c.connect();
    await c.query('CREATE TABLE account (id text PRIMARY KEY, balance double precision, active boolean)');
    await c.query('INSERT INTO account VALUES ($1, $2, $3), ($4, $5, $6)', ['a', 1.5, true, 'b', null, false]);
    await c.query('SELECT * FROM account ORDER BY id');
    await c.query({ name: 'one', text: 'SELECT balance FROM account WHERE id = $1', values: ['a'] });
    await c.query({ name: 'one', text: 'SELECT balance FROM account WHERE id = $1', values: ['b'] });
    await c.query('SELECT 1 / (count(*) - count(*)) FROM account WHERE id <> $1', ['z']).catch(() => {});
    await c.query('BEGIN');
    await c.query('UPDATE account SET balance = $1 WHERE id = $2 RETURNING balance', [2.5, 'a']);
    await c.query('ROLLBACK');
    await c.query('SELECT 1; SELECT 2');
    await c.query({ text: 'SELECT id, active FROM account ORDER BY id', rowMode: 'array' });
    await c.end();
})();

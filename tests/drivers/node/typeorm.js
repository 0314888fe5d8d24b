// TypeORM over node-postgres: synchronize, migrations and the ORM of entities whose tables are in a
// schema of the workspace, and entities of types.
'use strict';
const assert = require('node:assert/strict');
const { DataSource, EntitySchema, In, IsNull, Like, MoreThan, Raw, Table, TableColumn, TableForeignKey, TableIndex } = require('typeorm');
const { about, check, env, point, samples, ssl } = require('./cases.js');

const Author = new EntitySchema({
  name: 'Author',
  columns: {
    id: { type: Number, primary: true, generated: true },
    name: { type: String, length: 40, unique: true },
    email: { type: String, nullable: true },
    settings: { type: 'jsonb', default: {} },
    joined: { type: 'timestamptz', createDate: true },
  },
  relations: { books: { type: 'one-to-many', target: 'Book', inverseSide: 'author', cascade: true } },
});
const Book = new EntitySchema({
  name: 'Book',
  columns: {
    id: { type: 'uuid', primary: true, generated: 'uuid' },
    title: { type: 'text' },
    price: { type: 'numeric', precision: 8, scale: 2, nullable: true },
    words: { type: 'text', array: true, default: [] },
    pages: { type: 'int', default: 0 },
    published: { type: 'date', nullable: true },
    revision: { type: 'int', version: true },
    changed: { type: 'timestamptz', updateDate: true },
    gone: { type: 'timestamptz', deleteDate: true },
  },
  relations: {
    author: { type: 'many-to-one', target: 'Author', inverseSide: 'books', nullable: false, onDelete: 'CASCADE' },
    tags: { type: 'many-to-many', target: 'Tag', joinTable: true, cascade: true },
  },
  indices: [{ name: 'book_title', columns: ['title'] }],
  checks: [{ name: 'book_pages', expression: 'pages >= 0' }],
});
const Tag = new EntitySchema({
  name: 'Tag',
  columns: { code: { type: String, primary: true }, weight: { type: 'bigint', default: 1 } },
});

// Types of the ontology: TypeORM reads and writes their rows and leaves their tables alone.
const Customer = new EntitySchema({
  name: 'Customer', schema: 'public', synchronize: false,
  columns: { id: { type: 'text', primary: true }, name: { type: 'text' }, balance: { type: 'double precision', nullable: true } },
});
const Sample = new EntitySchema({
  name: 'Sample', schema: 'public', synchronize: false,
  columns: {
    id: { type: 'text', primary: true }, i: { type: 'bigint' }, f: { type: 'double precision' }, b: { type: Boolean }, ts: { type: 'timestamptz' },
    d: { type: 'date' }, n: { type: 'numeric' }, u: { type: 'uuid' }, bt: { type: 'bytea' }, j: { type: 'jsonb' }, s: { type: 'text' },
  },
});

class Shelves1700000000001 {
  async up(q) {
    await q.createTable(new Table({
      name: 'shelf',
      columns: [
        { name: 'id', type: 'bigint', isPrimary: true, isGenerated: true, generationStrategy: 'increment' },
        { name: 'place', type: 'varchar', length: '20', isUnique: true },
        { name: 'tag', type: 'varchar', isNullable: true },
      ],
      checks: [{ name: 'shelf_place', expression: "place <> ''" }],
    }), true);
    await q.createIndex('shelf', new TableIndex({ name: 'shelf_tag', columnNames: ['tag'] }));
    await q.createForeignKey('shelf', new TableForeignKey({ columnNames: ['tag'], referencedTableName: 'tag', referencedColumnNames: ['code'], onDelete: 'SET NULL' }));
    await q.query("INSERT INTO library.shelf (place) VALUES ('hall')");
  }

  async down(q) {
    await q.dropTable('shelf');
  }
}

class Width1700000000002 {
  async up(q) {
    await q.addColumn('shelf', new TableColumn({ name: 'width', type: 'numeric', precision: 6, scale: 2, default: 1.5 }));
    await q.renameColumn('shelf', 'place', 'room');
    await q.changeColumn('shelf', 'width', new TableColumn({ name: 'width', type: 'numeric', precision: 6, scale: 2, default: 2, isNullable: true }));
  }

  async down(q) {
    await q.renameColumn('shelf', 'room', 'place');
    await q.dropColumn('shelf', 'width');
  }
}

async function open(more) {
  const source = new DataSource({
    type: 'postgres', host: env.PGHOST, port: Number(env.PGPORT), username: env.PGUSER, password: env.PGPASSWORD, database: env.PGDATABASE, ssl,
    schema: 'library', uuidExtension: 'pgcrypto', installExtensions: false, logging: false, entities: [Author, Book, Tag, Customer, Sample],
    migrations: [Shelves1700000000001, Width1700000000002], ...more,
  });
  return source.initialize();
}

async function past(more) {
  const old = await open(more);
  try {
    assert.deepEqual(await old.getRepository(Customer).findOneBy({ id: 'c1' }), { id: 'c1', name: 'Ada', balance: 10 });
  } finally {
    await old.destroy();
  }
}

const refuses = (promise, code) => assert.rejects(promise, (e) => {
  assert.equal(e.code ?? e.driverError?.code, code, e.message);
  return true;
});

async function main() {
  console.log = console.error; // TypeORM reports there
  about('TypeORM', 'typeorm');
  let db;
  await check('connect', async () => {
    db = await open();
    assert.deepEqual(await db.query('SELECT current_user AS u'), [{ u: 'ada' }]);
  });
  const books = db.getRepository(Book);
  const authors = db.getRepository(Author);
  const customers = db.getRepository(Customer);
  await check('synchronize', async () => {
    await db.query('CREATE SCHEMA library');
    await db.synchronize();
    const again = await db.driver.createSchemaBuilder().log();
    assert.deepEqual(again.upQueries.map((q) => q.query), []);
  });
  await check('cascade and relations', async () => {
    const ann = await authors.save({ name: 'Ann', settings: { theme: 'dark' }, books: [
      { title: 'Alpha', price: '10.50', words: ['a', 'b "c"'], pages: 100, published: '2026-02-10', tags: [{ code: 'new' }, { code: 'short', weight: '9007199254740993' }] },
      { title: 'Beta', pages: 20 },
    ] });
    assert.equal(ann.id, 1);
    assert.ok(ann.joined instanceof Date);
    await authors.save([{ name: 'Bob', books: [{ title: 'Gamma', pages: 300, tags: [{ code: 'new' }] }] }, { name: 'Cyd' }]);
    const got = await authors.find({ relations: { books: { tags: true } }, order: { id: 'ASC', books: { title: 'ASC', tags: { code: 'ASC' } } } });
    assert.deepEqual(got.map((a) => [a.name, a.books.map((b) => [b.title, b.price, b.words, b.published, b.revision, b.tags.map((t) => t.code + t.weight)])]), [
      ['Ann', [['Alpha', '10.50', ['a', 'b "c"'], '2026-02-10', 1, ['new1', 'short9007199254740993']], ['Beta', null, [], null, 1, []]]],
      ['Bob', [['Gamma', null, [], null, 1, ['new1']]]], ['Cyd', []],
    ]);
  });
  await check('find', async () => {
    assert.deepEqual((await books.find({ where: [{ title: Like('A%') }, { pages: MoreThan(100) }], order: { title: 'DESC' } })).map((b) => b.title), ['Gamma', 'Alpha']);
    assert.deepEqual(await books.findAndCount({ select: { title: true }, order: { pages: 'ASC' }, skip: 1, take: 1 }), [[{ title: 'Alpha' }], 3]);
    assert.equal(await books.countBy({ price: IsNull(), author: { name: In(['Ann', 'Bob']) } }), 2);
    assert.equal(await authors.countBy({ settings: Raw((c) => `${c} ->> 'theme' = :t`, { t: 'dark' }) }), 1);
    assert.equal(await books.sum('pages'), 420);
  });
  await check('query builder', async () => {
    const got = await db.createQueryBuilder(Author, 'a').leftJoin('a.books', 'b').select('a.name', 'name').addSelect('count(b.id)', 'n').addSelect('max(b.pages)', 'most')
      .groupBy('a.name').having('count(b.id) > :n', { n: 0 }).orderBy('n', 'DESC').getRawMany();
    assert.deepEqual(got, [{ name: 'Ann', n: '2', most: 100 }, { name: 'Bob', n: '1', most: 300 }]);
    const sub = books.createQueryBuilder('b').where((q) => 'b.pages > ' + q.subQuery().select('avg(c.pages)').from(Book, 'c').getQuery());
    assert.deepEqual((await sub.getMany()).map((b) => b.title), ['Gamma']);
    const page = await db.createQueryBuilder(Author, 'a').leftJoinAndSelect('a.books', 'b').orderBy('a.id').skip(0).take(2).getManyAndCount();
    assert.deepEqual([page[0].map((a) => a.books.length), page[1]], [[2, 1], 3]);
  });
  await check('insert, update, upsert, delete', async () => {
    const tags = db.getRepository(Tag);
    const made = await tags.insert([{ code: 'x' }, { code: 'y', weight: '5' }]);
    assert.deepEqual(made.generatedMaps, [{ weight: '1' }, { weight: '5' }]);
    await tags.upsert([{ code: 'y', weight: '6' }, { code: 'z', weight: '7' }], ['code']);
    assert.equal((await tags.createQueryBuilder().update().set({ weight: () => 'weight + 1' }).where('code >= :c', { c: 'x' }).returning('code').execute()).affected, 3);
    await tags.increment({ code: 'z' }, 'weight', 10);
    assert.deepEqual(await tags.find({ where: { code: In(['x', 'y', 'z']) }, order: { code: 'ASC' } }), [{ code: 'x', weight: '2' }, { code: 'y', weight: '7' }, { code: 'z', weight: '18' }]);
    assert.equal((await tags.delete({ code: In(['x', 'y', 'z']) })).affected, 3);
  });
  await check('soft delete and restore', async () => {
    const beta = await books.findOneByOrFail({ title: 'Beta' });
    await books.softRemove(beta);
    assert.equal(await books.count(), 2);
    assert.equal(await books.count({ withDeleted: true }), 3);
    await books.restore(beta.id);
    assert.equal(await books.count(), 3);
  });
  await check('version and update date', async () => {
    const alpha = await books.findOneByOrFail({ title: 'Alpha' });
    const before = [alpha.revision, alpha.changed];
    alpha.price = '11.25';
    await books.save(alpha);
    assert.equal(alpha.revision, before[0] + 1);
    assert.ok(alpha.changed > before[1]);
    await db.transaction(async (m) => {
      await assert.rejects(m.findOne(Book, { where: { id: alpha.id }, lock: { mode: 'optimistic', version: 1 } }), /optimistic lock/);
      assert.equal((await m.findOne(Book, { where: { id: alpha.id }, lock: { mode: 'optimistic', version: 2 } })).price, '11.25');
    });
  });
  await check('transactions and savepoints', async () => {
    await assert.rejects(db.transaction(async (m) => {
      await m.save(Author, { name: 'Gone' });
      throw new Error('back');
    }), /back/);
    await db.transaction('REPEATABLE READ', async (m) => {
      await m.update(Author, { name: 'Cyd' }, { email: 'cyd@example.org' });
      await assert.rejects(m.transaction(async (inner) => {
        await inner.delete(Author, { name: 'Cyd' });
        throw new Error('inner');
      }), /inner/);
    });
    assert.deepEqual((await authors.find({ order: { id: 'ASC' } })).map((a) => [a.name, a.email]), [['Ann', null], ['Bob', null], ['Cyd', 'cyd@example.org']]);
  });
  await check('pessimistic locks', async () => {
    await db.transaction(async (m) => {
      const ann = await m.findOne(Author, { where: { name: 'Ann' }, lock: { mode: 'pessimistic_write' } });
      await db.transaction(async (other) => {
        await refuses(other.findOne(Author, { where: { id: ann.id }, lock: { mode: 'pessimistic_write', onLocked: 'nowait' } }), '55P03');
      });
      await db.transaction(async (other) => {
        const free = await other.find(Author, { order: { id: 'ASC' }, lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' } });
        assert.deepEqual(free.map((a) => a.name), ['Bob', 'Cyd']);
      });
      await m.update(Author, ann.id, { email: 'ann@example.org' });
    });
    assert.equal((await authors.findOneByOrFail({ name: 'Ann' })).email, 'ann@example.org');
  });
  await check('errors', async () => {
    await refuses(authors.insert({ name: 'Ann' }), '23505');
    await refuses(books.insert({ title: 'No', pages: -1, author: { id: 1 } }), '23514');
    await refuses(books.insert({ title: 'No', author: { id: 99 } }), '23503');
    await refuses(authors.insert({ name: 'x'.repeat(41) }), '22001');
  });
  await check('foreign key with ON DELETE CASCADE', async () => {
    await authors.delete({ name: 'Bob' });
    assert.equal(await books.countBy({ title: 'Gamma' }), 0);
    assert.deepEqual(await db.query('SELECT count(*) AS n FROM library.book_tags_tag'), [{ n: '2' }]);
  });
  await check('migrations', async () => {
    assert.equal(await db.showMigrations(), true);
    assert.deepEqual((await db.runMigrations({ transaction: 'each' })).map((m) => m.name), ['Shelves1700000000001', 'Width1700000000002']);
    assert.deepEqual(await db.query('SELECT id, room, width FROM library.shelf'), [{ id: '1', room: 'hall', width: '1.50' }]);
    assert.equal(await db.showMigrations(), false);
    await db.undoLastMigration();
    assert.deepEqual(await db.query('SELECT * FROM library.shelf'), [{ id: '1', place: 'hall', tag: null }]);
    await db.undoLastMigration();
    await refuses(db.query('TABLE library.shelf'), '42P01');
  });
  await check('schema changes by synchronize', async () => {
    const changed = new EntitySchema({
      name: 'Tag', columns: { code: { type: String, primary: true }, weight: { type: 'bigint', nullable: true }, label: { type: 'varchar', length: 10, default: 'none' } },
      uniques: [{ name: 'tag_label', columns: ['code', 'label'] }],
    });
    const next = await open({ entities: [Author, Book, changed, Customer, Sample], synchronize: true });
    assert.deepEqual(await next.getRepository(changed).findOneBy({ code: 'new' }), { code: 'new', weight: '1', label: 'none' });
    await next.destroy();
  });
  await check('a type: read', async () => {
    assert.deepEqual(await customers.find({ order: { id: 'ASC' } }), [{ id: 'c1', name: 'Ada', balance: 20 }, { id: 'c2', name: 'Bob', balance: null }]);
    const got = await db.getRepository(Sample).find({ order: { id: 'ASC' } });
    assert.deepEqual([got[0], got[2]].map((r) => ({ ...r })), samples);
  });
  await check('a type: insert, save, upsert', async () => {
    await customers.insert({ id: 'orm', name: 'O' });
    const made = await customers.findOneBy({ id: 'orm' });
    made.balance = 1.5;
    await customers.save(made);
    await customers.upsert([{ id: 'orm', name: 'P', balance: 2.5 }], ['id']);
    assert.deepEqual(await customers.findOneBy({ id: 'orm' }), { id: 'orm', name: 'P', balance: 2.5 });
    await refuses(customers.delete({ id: 'orm' }), '0A000');
  });
  await check('a type: transaction', async () => {
    await assert.rejects(db.transaction(async (m) => {
      await m.insert(Customer, { id: 'gone', name: 'G' });
      throw new Error('back');
    }), /back/);
    assert.equal(await customers.countBy({ id: 'gone' }), 0);
  });
  await check('both joined', async () => {
    const got = await db.createQueryBuilder(Customer, 'c').innerJoin(Author, 'a', "a.name LIKE 'A%'").select('c.name || a.name', 'n').orderBy('c.id').limit(1).getRawMany();
    assert.deepEqual(got, [{ n: 'AdaAnn' }]);
  });
  await check('past: options', () => past({ extra: { options: `-c ontosql.as_of=${point}` } }));
  await check('past: database name', () => past({ database: `onto@${point}` }));
  await check('drop', async () => {
    await db.query('DROP SCHEMA library CASCADE');
    await db.destroy();
  });
}

main();

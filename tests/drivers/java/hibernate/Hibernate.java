import jakarta.persistence.*;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.*;
import java.util.*;
import org.hibernate.ScrollMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.Timeouts;
import org.hibernate.annotations.Immutable;
import org.hibernate.cfg.Configuration;

/**
 * Hibernate over pgjdbc: hbm2ddl and the ORM of entities whose tables are in a schema of the
 * workspace, and entities of types.
 */
public class Hibernate {
    static final Map<String, String> ENV = System.getenv();

    enum Kind { NOVEL, ESSAY }

    @Entity(name = "Author") @Table(name = "author", uniqueConstraints = @UniqueConstraint(name = "author_name", columnNames = "name"))
    public static class Author {
        @Id @GeneratedValue(strategy = GenerationType.SEQUENCE) Long id;
        @Column(nullable = false, length = 40) String name;
        @Version int revision;
        @OneToMany(mappedBy = "author", cascade = CascadeType.ALL, orphanRemoval = true) List<Book> books = new ArrayList<>();
        @ElementCollection @CollectionTable(name = "author_mail") Set<String> mails = new HashSet<>();

        public Author() {}

        Author(String name) {
            this.name = name;
        }

        Author with(Book... all) {
            for (Book b : all) {
                b.author = this;
                books.add(b);
            }
            return this;
        }
    }

    @Entity(name = "Book") @Table(name = "book", indexes = @Index(name = "book_title", columnList = "title"))
    public static class Book {
        @Id @GeneratedValue(strategy = GenerationType.IDENTITY) Long id;
        @Column(nullable = false) String title;
        @Column(precision = 8, scale = 2) BigDecimal price;
        @Enumerated(EnumType.STRING) Kind kind;
        int pages;
        boolean printed;
        double weight;
        LocalDate published;
        OffsetDateTime changed;
        Duration spent;
        byte[] cover;
        String[] words;
        @ManyToOne(fetch = FetchType.LAZY, optional = false) Author author;
        @ManyToMany @JoinTable(name = "book_tag") Set<Tag> tags = new HashSet<>();

        public Book() {}

        Book(String title, int pages, String price) {
            this.title = title;
            this.pages = pages;
            this.price = price == null ? null : new BigDecimal(price);
        }
    }

    @Entity(name = "Tag") @Table(name = "tag")
    public static class Tag {
        @Id @GeneratedValue(strategy = GenerationType.UUID) UUID id;
        @Column(unique = true, nullable = false) String code;

        public Tag() {}

        Tag(String code) {
            this.code = code;
        }
    }

    /** The table of Tag with one more column, by which hbm2ddl updates it. */
    @Entity(name = "Tag") @Table(name = "tag")
    public static class WiderTag {
        @Id UUID id;
        @Column(unique = true, nullable = false) String code;
        @Column(length = 20) String label;
    }

    @Entity(name = "Customer") @Immutable @Table(schema = "public", name = "customer")
    public static class Customer {
        @Id String id;
        String name;
        Double balance;
    }

    @Entity(name = "Product") @Table(schema = "public", name = "product")
    public static class Product {
        @Id Long sku;
        String title;
    }

    static SessionFactory open(String action, String database, Class<?>... entities) {
        Configuration c = new Configuration();
        List.of(entities).forEach(c::addAnnotatedClass);
        c.setProperty("hibernate.connection.url", "jdbc:postgresql://" + ENV.get("PGHOST") + ":" + ENV.get("PGPORT") + "/"
            + java.net.URLEncoder.encode(database, StandardCharsets.UTF_8) + "?sslmode=verify-full&sslrootcert=" + ENV.get("PGSSLROOTCERT"));
        c.setProperty("hibernate.connection.username", ENV.get("PGUSER")).setProperty("hibernate.connection.password", ENV.get("PGPASSWORD"));
        c.setProperty("hibernate.default_schema", "store").setProperty("hibernate.hbm2ddl.create_namespaces", "true");
        c.setProperty("hibernate.hbm2ddl.auto", action).setProperty("hibernate.hbm2ddl.halt_on_error", "true");
        c.setProperty("hibernate.jdbc.batch_size", "20").setProperty("hibernate.timezone.default_storage", "NORMALIZE");
        return c.buildSessionFactory();
    }

    static final Class<?>[] OWN = {Author.class, Book.class, Tag.class}, ALL = {Author.class, Book.class, Tag.class, Customer.class, Product.class};
    static SessionFactory db;

    public static void main(String[] args) throws Exception {
        java.util.logging.LogManager.getLogManager().reset();
        tell("client", "Hibernate", "version", org.hibernate.Version.getVersionString());
        check("hbm2ddl create-only", () -> open("create-only", "onto", OWN).close());
        check("hbm2ddl create, which drops first", () -> open("create", "onto", OWN).close());
        check("hbm2ddl validate", () -> db = open("validate", "onto", ALL));
        check("persist: sequence, identity and uuid", () -> {
            db.inTransaction(s -> {
                Tag fresh = new Tag("new"), brief = new Tag("short");
                s.persist(fresh);
                s.persist(brief);
                Book alpha = new Book("Alpha", 100, "10.50");
                alpha.kind = Kind.NOVEL;
                alpha.printed = true;
                alpha.weight = 0.25;
                alpha.published = LocalDate.parse("2026-02-10");
                alpha.changed = OffsetDateTime.parse("2026-02-10T12:00:00.123456Z");
                alpha.spent = Duration.ofSeconds(90, 5);
                alpha.cover = new byte[] {0, -1};
                alpha.words = new String[] {"a", "b \"c\""};
                alpha.tags.addAll(List.of(fresh, brief));
                Author ann = new Author("Ann").with(alpha, new Book("Beta", 20, null));
                ann.mails.addAll(List.of("ann@example.org", "a@example.org"));
                s.persist(ann);
                s.persist(new Author("Bob").with(new Book("Gamma", 300, "7")));
                s.persist(new Author("Cyd"));
                equal(ann.id + " " + alpha.id, "1 1");
            });
            db.inTransaction(s -> {
                Book b = s.createQuery("from Book b join fetch b.author where b.title = 'Alpha'", Book.class).getSingleResult();
                equal(List.of(b.kind, b.price, b.printed, b.weight, b.published, b.changed.toInstant(), b.spent, b.cover[1], List.of(b.words), b.tags.size(), b.author.name),
                    List.of(Kind.NOVEL, new BigDecimal("10.50"), true, 0.25, LocalDate.parse("2026-02-10"), Instant.parse("2026-02-10T12:00:00.123456Z"),
                        Duration.ofSeconds(90, 5), (byte) -1, List.of("a", "b \"c\""), 2, "Ann"));
                equal(b.author.mails.size(), 2);
            });
        });
        check("batches", () -> db.inTransaction(s -> {
            for (int i = 0; i < 100; i++) {
                s.persist(new Author("many " + i));
            }
            s.flush();
            equal(s.createMutationQuery("delete from Author where name like 'many %'").executeUpdate(), 100);
        }));
        check("HQL", () -> db.inTransaction(s -> {
            equal(s.createQuery("select a.name, count(b), max(b.pages) from Author a left join a.books b group by a.name order by 1", Object[].class)
                .getResultList().stream().map(Arrays::toString).toList(), List.of("[Ann, 2, 100]", "[Bob, 1, 300]", "[Cyd, 0, null]"));
            equal(s.createQuery("select distinct a from Author a join fetch a.books where a.name = 'Ann'", Author.class).getSingleResult().books.size(), 2);
            equal(titles(s.createQuery("from Book b where b.pages > (select avg(c.pages) from Book c) or :tag in (select t.code from b.tags t) order by b.title", Book.class)
                .setParameter("tag", "short")), "[Alpha, Gamma]");
            equal(titles(s.createQuery("from Book order by pages", Book.class).setFirstResult(1).setMaxResults(1)), "[Alpha]");
            equal(s.createQuery("select title from Book where extract(year from published) = 2026 and array_contains(words, 'a')", String.class).getSingleResult(), "Alpha");
        }));
        check("criteria", () -> db.inTransaction(s -> {
            var builder = s.getCriteriaBuilder();
            var query = builder.createQuery(Book.class);
            var b = query.from(Book.class);
            query.where(builder.like(b.get("title"), "%a"), builder.or(builder.isNull(b.get("price")), builder.equal(b.get("kind"), Kind.NOVEL))).orderBy(builder.desc(b.get("pages")));
            equal(titles(s.createQuery(query)), "[Alpha, Beta]");
        }));
        check("update and optimistic lock", () -> {
            Author seen = db.fromTransaction(s -> author(s, "Cyd"));
            db.inTransaction(s -> author(s, "Cyd").name = "Cid");
            seen.name = "Cedric";
            fails(OptimisticLockException.class, () -> db.inTransaction(s -> s.merge(seen)));
            equal(db.fromTransaction(s -> author(s, "Cid").revision), 1);
        });
        check("bulk update, merge and orphans", () -> db.inTransaction(s -> {
            equal(s.createMutationQuery("update Book set pages = pages + 1, price = coalesce(price, 1) where title <> 'Gamma'").executeUpdate(), 2);
            Author ann = author(s, "Ann");
            ann.books.removeIf(b -> b.title.equals("Beta"));
            s.flush();
            equal(s.createQuery("select count(*) from Book", Long.class).getSingleResult(), 2L);
            equal(s.createMutationQuery("insert into Tag (id, code) values (:id, 'new') on conflict (code) do nothing").setParameter("id", UUID.randomUUID()).executeUpdate(), 0);
        }));
        check("rollback", () -> {
            fails(IllegalStateException.class, () -> db.inTransaction(s -> {
                s.persist(new Author("gone"));
                s.flush();
                throw new IllegalStateException();
            }));
            equal(db.fromTransaction(s -> s.createQuery("select count(*) from Author where name = 'gone'", Long.class).getSingleResult()), 0L);
        });
        check("pessimistic lock", Hibernate::lock);
        check("constraints", () -> {
            state("23505", () -> db.inTransaction(s -> s.persist(new Author("Ann"))));
            state("23514", () -> db.inTransaction(s -> s.createNativeMutationQuery("update store.book set kind = 'OTHER'").executeUpdate()));
            state("23503", () -> db.inTransaction(s -> s.createNativeMutationQuery("delete from store.author where name = 'Ann'").executeUpdate()));
        });
        check("stateless session, upsert", () -> {
            Tag t = new Tag("put");
            t.id = UUID.randomUUID();
            db.inStatelessTransaction(s -> s.upsert(t));
            t.code = "set";
            db.inStatelessTransaction(s -> s.upsert(t));
            equal(db.fromStatelessTransaction(s -> s.createQuery("select count(*) from Tag where code = 'set'", Long.class).getSingleResult()), 1L);
        });
        check("scroll", () -> db.inTransaction(s -> {
            try (var rows = s.createQuery("select pages from Book order by pages", Integer.class).setFetchSize(1).scroll(ScrollMode.FORWARD_ONLY)) {
                int sum = 0;
                while (rows.next()) {
                    sum += rows.get();
                }
                equal(sum, 401);
            }
        }));
        check("a type: a read-only entity", () -> db.inTransaction(s -> {
            equal(s.find(Customer.class, "c1").balance, 20.0);
            s.find(Customer.class, "c1").name = "not written";
            s.flush();
            equal(s.createNativeQuery("SELECT name FROM customer FOR SYSTEM_TIME AS OF " + ENV.get("POINT") + " WHERE id = 'c1'", String.class).getSingleResult(), "Ada");
            equal(s.createQuery("select c.name || ' ' || a.name from Customer c join Author a on substring(a.name, 1, 1) = substring(c.name, 1, 1) order by a.name", String.class).setMaxResults(1).getSingleResult(), "Ada Ann");
        }));
        check("a type: persist and update", () -> {
            Product p = new Product();
            p.sku = 9000L;
            p.title = "made";
            db.inTransaction(s -> s.persist(p));
            db.inTransaction(s -> s.find(Product.class, 9000L).title = "changed");
            equal(db.fromTransaction(s -> s.find(Product.class, 9000L).title), "changed");
            state("0A000", () -> db.inTransaction(s -> s.remove(s.find(Product.class, 9000L))));
        });
        check("past: database name", () -> {
            try (SessionFactory old = open("none", "onto@" + ENV.get("POINT"), Customer.class)) {
                equal(old.fromSession(s -> s.find(Customer.class, "c1").balance), 10.0);
            }
        });
        check("hbm2ddl update", () -> {
            open("update", "onto", WiderTag.class).close();
            db.inTransaction(s -> equal(s.createNativeMutationQuery("update store.tag set label = code").executeUpdate(), 3));
        });
        check("hbm2ddl create-drop", () -> {
            db.close();
            open("create-drop", "onto", OWN).close();
            try (SessionFactory none = open("none", "onto", OWN)) {
                equal(none.fromSession(s -> s.createNativeQuery("select count(*) from pg_class where relnamespace = to_regnamespace('store')", Long.class).getSingleResult()), 0L);
            }
        });
    }

    static Author author(Session s, String name) {
        return s.createQuery("from Author where name = :name", Author.class).setParameter("name", name).getSingleResult();
    }

    static String titles(org.hibernate.query.SelectionQuery<Book> q) {
        return q.getResultList().stream().map(b -> b.title).toList().toString();
    }

    /** A row that one transaction has locked: another does not wait for it, skips it, or waits in vain. */
    static void lock() throws Exception {
        db.inTransaction(s -> {
            Author ann = s.find(Author.class, 1L, LockModeType.PESSIMISTIC_WRITE);
            for (Timeout limit : List.of(Timeouts.NO_WAIT, Timeout.milliseconds(200))) {
                db.inTransaction(other -> fails(PersistenceException.class, () -> other.find(Author.class, 1L, LockModeType.PESSIMISTIC_WRITE, limit)));
            }
            db.inTransaction(other -> equal(other.createQuery("select name from Author order by name", String.class)
                .setLockMode(LockModeType.PESSIMISTIC_WRITE).setTimeout(Timeouts.SKIP_LOCKED).getResultList().toString(), "[Bob, Cid]"));
            db.inTransaction(other -> equal(other.find(Author.class, ann.id).name, "Ann"));
        });
        db.inTransaction(s -> s.find(Author.class, 1L, LockModeType.PESSIMISTIC_FORCE_INCREMENT));
        db.inTransaction(s -> equal(s.find(Author.class, 1L, LockModeType.PESSIMISTIC_READ, Timeouts.NO_WAIT).name, "Ann"));
    }

    interface Case {
        void run() throws Exception;
    }

    static void equal(Object got, Object want) {
        if (!Objects.equals(got, want)) {
            throw new AssertionError("got " + got + ", want " + want);
        }
    }

    static void fails(Class<? extends Exception> want, Case body) {
        try {
            body.run();
        } catch (Exception e) {
            if (!want.isInstance(e)) {
                throw new AssertionError("want " + want, e);
            }
            return;
        }
        throw new AssertionError("no error, want " + want);
    }

    static void state(String want, Case body) {
        try {
            body.run();
        } catch (Exception e) {
            Throwable cause = e;
            while (!(cause instanceof SQLException) && cause.getCause() != null) {
                cause = cause.getCause();
            }
            equal(cause instanceof SQLException s ? s.getSQLState() : cause, want);
            return;
        }
        throw new AssertionError("no error, want " + want);
    }

    static void check(String name, Case body) {
        try {
            body.run();
            tell("case", name, "ok", true);
        } catch (Exception | AssertionError e) {
            StringBuilder all = new StringBuilder();
            for (Throwable t = e; t != null; t = t.getCause()) {
                all.append(t).append("; ");
            }
            tell("case", name, "ok", false, "detail", all);
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

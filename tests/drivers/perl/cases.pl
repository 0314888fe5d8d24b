# DBD::Pg: libpq, the extended protocol, text.
use strict;
use warnings;
use utf8;
use DBI;
use DBD::Pg qw(:pg_types);
use JSON::PP;

my $json    = JSON::PP->new->canonical;
my $point   = $ENV{POINT};
my $balance = "SELECT balance FROM customer WHERE id = 'c1'";
my $endless = 'SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 10000000) b WHERE a + b = 3';

$| = 1;
binmode STDOUT, ':encoding(UTF-8)';

sub tell_line { print $json->encode({@_}), "\n" }

# check runs a case and tells whether it died.
sub check {
    my ($name, $run) = @_;
    my $ok = eval { local $SIG{ALRM} = sub { die "no answer within 20 s\n" }; alarm 20; $run->(); 1 };
    my $detail = $ok ? undef : join ' ', $DBI::state // '', $@;
    alarm 0;
    tell_line(case => $name, $ok ? (ok => JSON::PP::true) : (ok => JSON::PP::false, detail => $detail));
}

# texts makes numbers texts, as deep as they are.
sub texts { my ($v) = @_; return ref $v ? [map { texts($_) } @$v] : defined $v ? "$v" : undef }

sub equal {
    my ($got, $want) = map { $json->encode([texts($_)]) } @_;
    die "got $got, want $want\n" if $got ne $want;
}

sub fails {
    my ($state, $run) = @_;
    eval { $run->(); 1 } and die "no error, want $state\n";
    equal($DBI::state, $state);
}

# connect_with connects as the environment says, with more of libpq's words.
sub connect_with {
    my ($more, $password) = @_;
    return DBI->connect('dbi:Pg:' . ($more // ''), undef, $password,
        { RaiseError => 1, PrintError => 0, AutoCommit => 1, pg_enable_utf8 => 1 });
}

my $db = connect_with();
sub rows { my ($sql, @args) = @_; return $db->selectall_arrayref($sql, undef, @args) }
sub column { return [map { $_->[0] } @{ rows(@_) }] }

tell_line(client => 'DBD::Pg', version => "$DBD::Pg::VERSION");
check('connect', sub {
    equal(rows('SELECT current_user'), [['ada']]);
    eval { connect_with('', 'wrong'); 1 } and die "a wrong password is let in\n";
    die $@ unless $@ =~ /password authentication failed/;
});
check('tables', sub {
    equal([$db->tables(undef, 'public', undef, 'TABLE')], [map { "public.$_" } qw(customer product purchase sample)]);
});
check('types, text', sub {
    equal(rows('SELECT * FROM sample ORDER BY id'), [
        ['full', '9223372036854775807', '1.5', 1, '2026-02-10 12:00:00.123456+00', '2026-02-10', '12345678901234567890.123456789',
            'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', "\xde\xad\xbe\xef\0", '{"k": [1, 2.5, null]}', "é€😀 \"\\'\n"],
        ['low', '-9223372036854775808', '-Inf', 0, '1969-12-31 23:59:59.999999+00', '1900-02-28', '-0.5',
            '00000000-0000-0000-0000-000000000000', '', '[]', ''],
        ['none', (undef) x 10],
    ]);
});
check('parameters', sub {
    my @values = (['text', "é€😀 \"\\'\n"], ['bigint', '5'], ['float8', '1.5'], ['date', '2026-02-10'], ['timestamptz', '2026-02-10 12:00:00+00'],
        ['numeric', '-1.25'], ['uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'], ['jsonb', '{"a": 1}'], ['text[]', ['a', undef, 'b"\\,{}']]);
    for (@values) {
        my ($type, $value) = @$_;
        equal([$type, rows("SELECT ?::$type, ?::$type", $value, undef)], [$type, [[$value, undef]]]);
    }
    my $s = $db->prepare('SELECT ?::bytea');
    $s->bind_param(1, "\0\xff", { pg_type => PG_BYTEA });
    $s->execute;
    equal($s->fetchall_arrayref, [["\0\xff"]]);
});
check('insert', sub {
    equal($db->do('INSERT INTO sample (id, i, b) VALUES (?, ?, ?)', undef, 'new', 5, 1), 1);
    equal(rows("SELECT i FROM sample WHERE id = 'new'"), [[5]]);
});
check('rollback and savepoint', sub {
    $db->begin_work;
    $db->do("INSERT INTO customer VALUES ('gone', 'G')");
    $db->pg_savepoint('s');
    $db->do("INSERT INTO customer VALUES ('inner', 'I')");
    $db->pg_rollback_to('s');
    my $within = column("SELECT id FROM customer WHERE id IN ('gone', 'inner')");
    $db->rollback;
    equal([$within, column("SELECT id FROM customer WHERE id IN ('gone', 'inner')")], [['gone'], []]);
});
check('temporary table', sub {
    $db->begin_work;
    $db->do("CREATE TEMP TABLE picked (id int PRIMARY KEY, note text DEFAULT 'none', weight numeric(6,2)) ON COMMIT DROP");
    my $s = $db->prepare('INSERT INTO picked VALUES (?, ?, ?)');
    $s->execute(@$_) for [1, 'one', undef], [2, 'two', 1.5];
    equal(rows('UPDATE picked SET note = note || ? WHERE id = 2 RETURNING note', '!'), [['two!']]);
    equal($db->do('DELETE FROM picked WHERE id = ?', undef, 1), 1);
    $db->do('COPY picked (id, note) FROM STDIN');
    $db->pg_putcopydata("3\tcopied\n");
    $db->pg_putcopyend;
    equal(rows('SELECT * FROM picked ORDER BY id'), [[2, 'two!', '1.50'], [3, 'copied', undef]]);
    $db->commit;
    fails('42P01', sub { $db->do('TABLE picked') });
});
$db->rollback unless $db->{AutoCommit};
check('views', sub {
    $db->do('CREATE SCHEMA shown');
    $db->do('CREATE VIEW shown.orders AS SELECT c.id, c.name, b.qty FROM customer c JOIN purchase b ON b.left_key = c.id');
    equal(rows('SELECT name, qty FROM shown.orders WHERE id = ?', 'c1'), [['Ada', 2]]);
    equal([$db->tables(undef, 'shown', undef, 'VIEW')], ['shown.orders']);
    $db->do('DROP SCHEMA shown CASCADE');
});
check('with', sub {
    $db->begin_work;
    equal(rows('WITH changed AS (UPDATE customer SET name = ? WHERE id = ? RETURNING id, name), made AS (INSERT INTO product VALUES (?, ?) RETURNING sku)
        SELECT changed.id, changed.name, made.sku FROM changed, made', 'Bea', 'c2', 4000, 'made'), [['c2', 'Bea', 4000]]);
    $db->rollback;
    equal(rows("SELECT name FROM customer WHERE id = 'c2'"), [['Bob']]);
});
$db->rollback unless $db->{AutoCommit};
check('error and recovery', sub {
    $db->begin_work;
    fails('22012', sub { $db->do('SELECT 1 / 0') });
    fails('25P02', sub { $db->do('SELECT 1') });
    $db->rollback;
    equal(rows('SELECT 1'), [[1]]);
});
$db->rollback unless $db->{AutoCommit};
check('metadata', sub {
    equal([map { $_->{COLUMN_NAME} } @{ $db->column_info('', 'public', 'purchase', '%')->fetchall_arrayref({}) }], [qw(left_key right_key order_no qty)]);
    equal([$db->primary_key('', 'public', 'purchase')], [qw(left_key right_key order_no)]);
    equal(scalar @{ $db->foreign_key_info('', 'public', 'customer', '', 'public', 'purchase')->fetchall_arrayref }, 1);
    $db->table_info('', '%', '')->fetchall_arrayref;
    my $s = $db->prepare('SELECT id, n FROM sample');
    $s->execute;
    equal([$s->{NAME}, $s->{pg_type}], [['id', 'n'], ['text', 'numeric']]);
});
check('metadata: statistics_info', sub {
    equal(scalar @{ $db->statistics_info(undef, 'public', 'purchase', 1, 0)->fetchall_arrayref }, 3);
});
check('cancel', sub {
    my ($pid) = @{ column('SELECT pg_backend_pid()') };
    my $child = fork // die "fork: $!\n";
    if (!$child) {    # repeats, because the first may come too early; seldom, because a late one cancels SELECT 1
        my $other = connect_with();
        for (my $wait = 0.5; ; $wait = 10) { select undef, undef, undef, $wait; $other->do('SELECT pg_cancel_backend(?)', undef, $pid) }
    }
    my $ok = eval { fails('57014', sub { $db->do($endless) }); 1 };
    my $error = $@;
    kill 'KILL', $child;
    waitpid $child, 0;
    die $error unless $ok;
    equal(rows('SELECT 1'), [[1]]);
});
check('asynchronous statement', sub {
    my $s = $db->prepare('SELECT count(*) FROM product', { pg_async => PG_ASYNC });
    $s->execute;
    $db->pg_result;
    equal($s->fetchall_arrayref, [[1000]]);
});
check('past: as_of.customer(p)', sub { equal(rows("SELECT balance FROM as_of.customer(?) WHERE id = 'c1'", $point), [[10]]) });
check('past: SET', sub {
    my $old = connect_with();
    $old->do("SET ontosql.as_of = '$point'");
    equal($old->selectall_arrayref($balance), [[10]]);
});
check('past: options', sub { equal(connect_with("options='-c ontosql.as_of=$point'")->selectall_arrayref($balance), [[10]]) });
check('past: FOR SYSTEM_TIME AS OF', sub { equal(rows("SELECT balance FROM customer FOR SYSTEM_TIME AS OF ? WHERE id = 'c1'", $point), [[10]]) });
check('past: database name', sub { equal(connect_with("dbname=onto\@$point")->selectall_arrayref($balance), [[10]]) });
check('cursor', sub {
    $db->begin_work;
    $db->do('DECLARE c CURSOR FOR SELECT sku FROM product ORDER BY sku');
    my $got = column('FETCH 3 FROM c');
    $db->commit;
    equal($got, [1, 2, 3]);
});
check('prepared statement', sub {
    my $s = $db->prepare('SELECT title FROM product WHERE sku = $1', { pg_server_prepare => 1 });
    for (1 .. 4) { $s->execute($_); equal($s->fetchall_arrayref, [["product $_"]]) }
});
check('LISTEN and NOTIFY', sub {
    $db->do('LISTEN news');
    $db->do("NOTIFY news, 'hello'");
    my $n = $db->pg_notifies;
    equal([@$n[0, 2]], ['news', 'hello']);
});
check('COPY', sub {
    $db->do('COPY product FROM STDIN');
    $db->pg_putcopydata("5000\tcopied\n");
    $db->pg_putcopyend;
    $db->do('COPY (SELECT * FROM product WHERE sku = 5000) TO STDOUT');
    my ($line, @lines);
    while ($db->pg_getcopydata($line) >= 0) { push @lines, $line }
    equal(\@lines, ["5000\tcopied\n"]);
});

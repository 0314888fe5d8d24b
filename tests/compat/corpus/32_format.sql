# format and quotes
SELECT format('%s has %s', name, age) FROM customer ORDER BY id;
SELECT format('%1$s-%1$s-%2$s', id, tier) FROM customer ORDER BY id;
SELECT format('[%10s][%-10s][%3s]', id, tier, name) FROM customer ORDER BY id;
SELECT format('%I.%I = %L', 'select', 'Name', name) FROM customer ORDER BY id;
SELECT format('%*s|%-*s|%2$*1$s', 5, 'a', 4, 'b', 'c'), format('%-*s|', -5, 'a'), format('%*s|', NULL, 'a'), format('%*3$s|', 'a', 'b', 6);
SELECT format('100%%'), format(''), format(NULL), format('%s', NULL), format('%L', NULL), format('%L', 'it''s'), format('%L', 'a\b'), format('%s %s', 'a', NULL);
SELECT format('%s', true), format('%s', ARRAY[1, NULL]), format('%L', ARRAY['a']), format('%s', date '2024-01-01'), format('%s', 1.50), format('%s', '{"a":1}'::json), format('%I', 5);
SELECT format('%s %s', VARIADIC ARRAY['a', 'b']), format('%s', VARIADIC ARRAY[1]), format('x', VARIADIC NULL::text[]), concat(VARIADIC ARRAY[1, NULL, 3]), concat_ws('-', VARIADIC ARRAY['a', NULL, 'b']);
SELECT format(note || ' %s', quantity) FROM subscription ORDER BY left_key, right_key;
SELECT format('%s %s', 'a');
SELECT format('%');
SELECT format('%0$s', 'a');
SELECT format('%1$', 'a');
SELECT format('%q', 'a');
SELECT format('%I', NULL);
SELECT format('%5');
SELECT format();
SELECT format('%s', VARIADIC 'a'::text);
SELECT quote_ident('a b'), quote_ident('a"b'), quote_ident('abc'), quote_ident('Abc'), quote_ident('table'), quote_ident('name'), quote_ident('1a'), quote_ident('a$'), quote_ident(''), quote_ident('été'), quote_ident(NULL);
SELECT quote_literal('a'), quote_literal('it''s'), quote_literal('a\b'), quote_literal(NULL), quote_literal(true), quote_literal(ARRAY[1, 2]), quote_nullable(NULL), quote_nullable('x'), quote_nullable(1.5);
SELECT split_part('a,b,c', ',', 2), split_part('a,b,c', ',', -1), split_part('a,b,c', ',', 4), split_part('abc', '', 1), split_part('abc', '', 2), split_part(NULL, ',', 1);
SELECT to_hex(255), to_hex(-1), to_hex(-1::bigint), to_hex(0);
SELECT 'a' LIKE 'a' ESCAPE '', 'a%' LIKE 'a!%' ESCAPE '!', 'ab' LIKE 'a!%' ESCAPE '!';

# Digests and bytes
SELECT md5('abc'), md5('abc'::bytea), md5(NULL), sha224('abc'), sha256('abc'), sha384(''), sha512('a');
SELECT encode('abc', 'hex'), encode('abc', 'base64'), encode('\x00ff5c41', 'escape'), encode(repeat('a', 57)::bytea, 'base64'), encode(repeat('a', 60)::bytea, 'base64'), encode(NULL, 'hex'), encode('a', 'HEX');
SELECT encode('abc', 'nosuch');

-- Texts in other encodings: names, tables and errors of PostgreSQL.
SELECT convert_from('\xff'::bytea, 'SQL_ASCII');
SELECT convert_from('\xc3a4'::bytea, 'SQL_ASCII'), convert_to('ä', 'SQL_ASCII');
SELECT convert_from('\x6100'::bytea, 'LATIN1');
SELECT convert_from('\x81'::bytea, 'WIN1252');
SELECT convert_from('\xe282'::bytea, 'UTF8');
SELECT convert_to('€', 'LATIN1');
SELECT convert_to('€', 'ISO-8859-15'), convert_to('Ω', 'ISO_8859_7'), convert_to('ж', 'koi8'), convert_to('ґ', 'Win-1251');
SELECT convert_from('\xa4'::bytea, 'LATIN10'), convert_from('\xfe'::bytea, 'LATIN8'), convert_from('\xd5'::bytea, 'WIN1258');
SELECT convert('\xe4'::bytea, 'LATIN1', 'UTF8'), convert('\xc3a4'::bytea, 'utf8', 'latin-1');
SELECT convert_from('\x61'::bytea, 'klingon');
SELECT convert_to('a', '');

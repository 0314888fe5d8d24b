-- store: a copy, and PostgreSQL's
-- numeric(p, s) with more than twelve digits behind the point: no digit is lost, however a value gets into a column or is compared with it.
create schema e; create table e.t (k text, x numeric(18,14), y numeric(38,20));
insert into e.t values ('lit', 0.01000005940696, 1.00000000000000000001), ('text', '0.01000005940696','1.00000000000000000001'), ('cast', 0.01000005940696::numeric, '1.00000000000000000001'::numeric(38,20)), ('textcast', '0.01000005940696'::numeric,'1.00000000000000000001'::numeric);
insert into e.t values ('one', '0.01000005940696','1.00000000000000000001');
prepare p (numeric, numeric) as insert into e.t values ('p', $1, $2);
execute p (0.01000005940696, 1.00000000000000000001);
prepare q as insert into e.t values ('q', $1, $2);
execute q ('0.01000005940696', '1.00000000000000000001');
prepare r (numeric, numeric) as insert into e.t select 'r', $1, $2;
execute r (0.01000005940696, 1.00000000000000000001);
insert into e.t select 'sub', v, w from (values ('0.01000005940696'::numeric, '1.00000000000000000001'::numeric), (0.01000005940696, 2)) q(v, w);
prepare u as update e.t set x = $1, y = $2 where k = 'one';
execute u ('0.01000005940697', '1.00000000000000000002');
copy e.t from stdin;
copy	0.01000005940696	1.00000000000000000001
\.
insert into e.t values ('over', 12345, 1);
insert into e.t values ('over', '12345', 1);
insert into e.t (k, x) values ('round', '0.123456789012345');
select * from e.t;
prepare x as insert into e.t select 'untyped', $1, $2; execute x ('0.01000005940696', '1.00000000000000000001');
prepare y as select $1::numeric(18,14); execute y ('0.01000005940696');
select * from e.t where k = 'untyped';
-- A parameter has the digits of its value wherever it is computed with.
insert into e.nn values (1, '0.01000005940696'), (2, 0.01000005940697);
prepare f_p (numeric) as select $1::numeric(18,14); execute f_p(0.01000005940696);
prepare f_q (numeric) as select $1 + 0.00000000000001; execute f_q(0.01000005940696);
prepare f_r (numeric) as select id from e.nn where x = $1; execute f_r(0.01000005940696); execute f_r('0.01000005940697');
prepare f_s as select id from e.nn where x = $1; execute f_s('0.01000005940696');
prepare f_t as select id from e.nn where x between $1 and $2; execute f_t('0.010000059406955', '0.010000059406965');
prepare f_u as select id from e.nn where x in ($1, $2); execute f_u('0.01000005940696', '1');
prepare f_w as select x + $1 from e.nn order by id; execute f_w('0.00000000000001');
prepare f_aa (numeric) as select x - $1 from e.nn order by id; execute f_aa('0.00000000000001');
prepare f_ab (numeric) as select greatest(x, $1) from e.nn order by id; execute f_ab('0.01000005940698');
prepare f_ac (numeric) as select coalesce(null, $1, x) from e.nn order by id; execute f_ac('0.01000005940698');
prepare f_ad (numeric) as select case when x < $1 then $1 else x end from e.nn order by id; execute f_ad('0.010000059406965');
prepare f_ae (numeric) as select x from e.nn union select $1 order by 1; execute f_ae('0.01000005940698');
prepare f_af (numeric) as select id from e.nn where x > $1 order by id; execute f_af('0.01000005940696');
prepare f_ag (numeric) as update e.nn set x = $1 where id = 2 returning x; execute f_ag('0.01000005940698');
prepare f_ah (numeric) as update e.nn set x = x + $1 where id = 2 returning x; execute f_ah('0.00000000000001');
prepare f_ai (numeric) as select -$1, abs($1), round($1, 14), $1::text; execute f_ai('0.01000005940698');
prepare f_aj (numeric) as select $1 * 10, $1 * 2.5, $1 / 1; execute f_aj('0.01000005940698');
prepare f_ak (numeric) as select sum(x + $1), max($1) from e.nn; execute f_ak('0.01000005940698');
with n as (insert into e.nn values (3, 1) returning x) select 1;
prepare f_z (numeric) as with n as (insert into e.nn values (4, $1) returning x) select x, x = $1, x + $1 from n; execute f_z (0.01000005940698);
drop table e.nn;
drop table e.t, e.u, e.c, e.a, e.p;
drop schema e;

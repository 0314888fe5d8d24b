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
drop table e.t, e.u, e.c, e.a, e.p;
drop schema e;

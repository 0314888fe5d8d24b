# SchemaSpy: functions and their arguments.
select r.routine_name || '(' || oidvectortypes(pp.proargtypes) || ')' as specific_name, coalesce(p.parameter_name, '$' || p.ordinal_position) as parameter_name, p.data_type as dtd_identifier, p.parameter_mode from information_schema.parameters p left join information_schema.routines r on r.specific_name = p.specific_name left join pg_proc pp on r.specific_name = pp.proname || '_' || pp.oid where p.specific_schema = 'public' order by p.specific_name, p.ordinal_position;
SELECT oidvectortypes(proargtypes), pg_typeof(oidvectortypes(proargtypes)) FROM pg_proc WHERE proname IN ('now', 'substr', 'format_type') ORDER BY 1;
SELECT oidvectortypes(NULL), oidvectortypes(' 23  1015'), oidvectortypes(''), ''::int2vector;

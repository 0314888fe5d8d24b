# The introspector, level by level: database objects, then all of a schema.
select l.oid as id, lanname as name, lanpltrusted as trusted, h.proname as handler, hs.nspname as "handlerSchema", i.proname as inline, isc.nspname as
	"inlineSchema", v.proname as validator, vs.nspname as "validatorSchema"
	from pg_catalog.pg_language l left join pg_catalog.pg_proc h on h.oid = lanplcallfoid
	left join pg_catalog.pg_namespace hs on hs.oid = h.pronamespace
	left join pg_catalog.pg_proc i on i.oid = laninline
	left join pg_catalog.pg_namespace isc on isc.oid = i.pronamespace
	left join pg_catalog.pg_proc v on v.oid = lanvalidator
	left join pg_catalog.pg_namespace vs on vs.oid = v.pronamespace
	order by lanname;
select A.oid as access_method_id, A.amname as access_method_name, A.amhandler::oid as handler_id, pg_catalog.quote_ident(N.nspname) || '.' || pg_catalog.quote_ident(P.proname)
	as handler_name, A.amtype as access_method_type
	from pg_am A join pg_proc P on A.amhandler::oid = P.oid
	join pg_namespace N on P.pronamespace = N.oid
	order by A.oid;
select C.oid, C.castsource as castsource_id, pg_catalog.quote_ident(SN.nspname) || '.' || pg_catalog.quote_ident(S.typname) as castsource_name, C.casttarget
	as casttarget_id, pg_catalog.quote_ident(TN.nspname) || '.' || pg_catalog.quote_ident(T.typname) as casttarget_name, C.castfunc as castfunc_id, pg_catalog.quote_ident(FN.nspname)
	|| '.' || pg_catalog.quote_ident(F.proname) as castfunc_name, C.castcontext, C.castmethod
	from pg_cast C left outer join pg_proc F on C.castfunc::oid = F.oid
	left outer join pg_namespace FN on F.pronamespace = FN.oid
	join pg_type S on C.castsource::oid = S.oid
	join pg_namespace SN on S.typnamespace = SN.oid
	join pg_type T on C.casttarget::oid = T.oid
	join pg_namespace TN on T.typnamespace = TN.oid
	order by C.castsource, C.casttarget;
select E.oid as id, extname as name, extversion as version, extnamespace as schema_id, nspname as schema_name, array(select unnest
		from unnest(available_versions) where unnest > extversion) as available_updates
	from pg_catalog.pg_extension E join pg_namespace N on E.extnamespace = N.oid
	left join (select name, array_agg(version) as available_versions
		from pg_available_extension_versions()
		group by name) V on E.extname = V.name;
select fdw.oid as id, fdw.fdwname as name, pr.proname as handler, nspc.nspname as handler_schema, pr2.proname as validator, nspc2.nspname as validator_schema,
	fdw.fdwoptions as options, pg_catalog.pg_get_userbyid(fdw.fdwowner) as "owner"
	from pg_catalog.pg_foreign_data_wrapper fdw
	left outer join pg_catalog.pg_proc pr on fdw.fdwhandler = pr.oid
	left outer join pg_catalog.pg_namespace nspc on pr.pronamespace = nspc.oid
	left outer join pg_catalog.pg_proc pr2 on fdw.fdwvalidator = pr2.oid
	left outer join pg_catalog.pg_namespace nspc2 on pr2.pronamespace = nspc2.oid;
select t.oid as id, t.evtname as name, t.evtevent as event, t.evtfoid as routine_id, pg_catalog.pg_get_userbyid(t.evtowner) as owner, t.evttags as tags,
	case when evtenabled = 'D' then true else false end as is_disabled
	from pg_catalog.pg_event_trigger t order by t.oid;
select P.oid as id, pubname as name, puballtables as all_tables, pubinsert, pubupdate, pubdelete from pg_catalog.pg_publication P;
select distinct oid from pg_catalog.pg_type where typnamespace = 2200::oid and typtype in ('d','e');
select oid::bigint as id from pg_catalog.pg_class where relnamespace = 2200::oid and relkind in ('r', 'm', 'v', 'p', 'f') order by relname;
with T as ( select oid as sequence_id, relname as sequence_name, relpersistence as sequence_persistence, pg_catalog.pg_get_userbyid(relowner) as "owner"
		from pg_catalog.pg_class where relnamespace = 2200::oid and relkind = 'S' )
	select T.*, S.seqtypid as data_type, S.seqstart as start_value, S.seqincrement as inc_value, S.seqmin as min_value, S.seqmax as max_value, S.seqcache
	as cache_size, S.seqcycle as cycle_option
	from T inner join pg_catalog.pg_sequence S on T.sequence_id = S.seqrelid
	order by T.sequence_name;
select T.oid as type_id, T.typname as type_name, T.typtype as type_sub_kind, T.typcategory as type_category, T.typrelid as class_id, T.typbasetype as base_type_id,
	case when T.typtype in ('c','e') then null else pg_catalog.format_type(T.typbasetype, T.typtypmod) end as type_def, T.typndims as dimensions_number, T.typdefault
	as default_expression, T.typnotnull as mandatory, pg_catalog.pg_get_userbyid(T.typowner) as "owner"
	from pg_catalog.pg_type T where T.typnamespace = 2200::oid and (T.typtype in ('d','e') or coalesce((select relkind = 'c'
				from pg_catalog.pg_class where oid = T.typrelid), (T.typtype = 'b' or T.typtype = 'p') and T.typcategory <> 'A'))
	order by 1;
select T.relkind as table_kind, T.relname as table_name, T.oid as table_id, false as table_with_oids, T.reltablespace as tablespace_id, T.reloptions as
	options, T.relpersistence as persistence, (select pg_catalog.array_agg(inhparent::bigint
			order by inhseqno)::varchar from pg_catalog.pg_inherits
		where T.oid = inhrelid) as ancestors, (select pg_catalog.array_agg(inhrelid::bigint
			order by inhrelid)::varchar from pg_catalog.pg_inherits
		where T.oid = inhparent) as successors, T.relispartition as is_partition, pg_catalog.pg_get_partkeydef(T.oid) as partition_key, pg_catalog.pg_get_expr(T.relpartbound,
		T.oid) as partition_expression, T.relam am_id, pg_catalog.pg_get_userbyid(T.relowner) as "owner"
	from pg_catalog.pg_class T where relnamespace = 2200::oid and relkind in ('r', 'm', 'v', 'f', 'p')
	order by table_kind, table_name;
select T.xmin as table_state_number from pg_catalog.pg_class T where relnamespace = 2200::oid and pg_catalog.age(T.xmin) <= -1;
with T as ( select distinct T.oid as table_id, T.relname as table_name
		from pg_catalog.pg_class T, pg_catalog.pg_attribute A
		where T.relnamespace = 2200::oid and T.relkind in ('r', 'm', 'v', 'f', 'p') and A.attrelid = T.oid )
	select T.table_id, C.attnum as column_position, C.attname as column_name, C.atttypmod as type_mod, C.attndims as dimensions_number, pg_catalog.format_type(C.atttypid,
		C.atttypmod) as type_spec, C.atttypid as type_id, C.attnotnull as mandatory, pg_catalog.pg_get_expr(D.adbin, T.table_id) as column_default_expression,
	not C.attislocal as column_is_inherited, C.attfdwoptions as options, C.attisdropped as column_is_dropped, C.attidentity as identity_kind, C.attgenerated
	as generated from T join pg_catalog.pg_attribute C on T.table_id = C.attrelid
	left join pg_catalog.pg_attrdef D on (C.attrelid, C.attnum) = (D.adrelid, D.adnum)
	where attnum > 0 order by table_name, attnum;
with tab as ( select relnamespace as schema_id, oid as table_id, relkind as table_kind
		from pg_catalog.pg_class where relnamespace = 2200::oid and relkind in ('r','m','v','p')), ind_head as ( select indrelid as table_id, indexrelid as index_id,
		indisunique as is_unique, indisprimary as is_primary, indkey as column_positions, indclass as column_operators, indoption as column_options, pg_catalog.pg_get_expr(indpred,
			indrelid) as condition, case when indexprs is not null then pg_catalog.array_to_string(array( select case when indkey[k] = 0 then chr(27) || pg_catalog.pg_get_indexdef(indexrelid,
				k + 1, true) else pg_catalog.pg_get_indexdef(indexrelid, k + 1, true) end
				from pg_catalog.generate_subscripts(indkey, 1) as k
				order by k), chr(28)) else null end as expressions
		from pg_catalog.pg_index ), ind_stor as ( select cls.relnamespace as schema_id, cls.oid as index_id, cls.relname as index_name, pg_catalog.pg_get_userbyid(cls.relowner)
		as "owner", am.amname, null can_order from pg_catalog.pg_class cls
		join pg_catalog.pg_am am on am.oid = cls.relam
		where cls.relkind = 'i') select table_id, table_kind, index_name collate "C", index_id, is_unique, is_primary, column_positions, column_operators, column_options,
	condition, expressions, can_order, "owner"
	from tab natural join ind_head natural join ind_stor
	order by index_name;
select T.relname, T.oid table_id, relkind table_kind, C.oid::bigint con_id, conname con_name, contype con_kind, conkey con_columns, conindid index_id,
	confrelid ref_table_id, confkey ref_columns, condeferrable is_deferrable, condeferred is_init_deferred, confupdtype on_update, confdeltype on_delete,
	connoinherit no_inherit, pg_catalog.pg_get_expr(conbin, T.oid) con_expression, null::oid exclusion_operators
	from pg_catalog.pg_constraint C join pg_catalog.pg_class T on C.conrelid = T.oid
	where relkind in ('r', 'v', 'f', 'p') and relnamespace = 2200::oid and contype in ('p', 'u', 'f', 'c', 'x') and connamespace = 2200::oid
	order by strpos('pufc', contype::text), conname;
select T.relkind as view_kind, T.oid as view_id, pg_catalog.pg_get_viewdef(T.oid, true) as source_text
	from pg_catalog.pg_class T join pg_catalog.pg_namespace N on T.relnamespace = N.oid
	where N.oid = 2200::oid and T.relkind in ('m','v');
with languages as (select oid as lang_oid, lanname as lang
		from pg_catalog.pg_language), routines as ( select proname as r_name, prolang as lang_oid, oid as r_id, proargnames as arg_names, proargmodes as arg_modes,
		proargtypes::int[] as in_arg_types, proallargtypes::int[] as all_arg_types, pg_catalog.pg_get_expr(proargdefaults, 0) as arg_defaults, provariadic as
		arg_variadic_id, prorettype as ret_type_id, proretset as ret_set, prokind as kind, provolatile as volatile_kind, proisstrict as is_strict, prosecdef
		as is_security_definer, proconfig as configuration_parameters, procost as cost, pg_catalog.pg_get_userbyid(proowner) as "owner", prorows as rows, proleakproof
		as is_leakproof, proparallel as concurrency_kind
		from pg_catalog.pg_proc where pronamespace = 2200::oid and not (prokind = 'a'))
	select * from routines natural join languages;
# differs: pg_proc and pg_aggregate list the functions that can be called. Subscripts of an oidvector begin at 1 instead of 0.
with languages as (select oid as lang_oid, lanname as lang
		from pg_catalog.pg_language), routines as ( select proname as r_name, prolang as lang_oid, oid as r_id, proargnames as arg_names, proargmodes as arg_modes,
		proargtypes::int[] as in_arg_types, prorettype as ret_type_id, proretset as ret_set, prokind as kind, provolatile as volatile_kind, procost as cost
		from pg_catalog.pg_proc where pronamespace = 11::oid and proname in ('abs', 'format_type', 'generate_series', 'round'))
	select * from routines natural join languages
	order by r_id;
# differs: pg_proc and pg_aggregate list the functions that can be called. Subscripts of an oidvector begin at 1 instead of 0.
select P.oid as aggregate_id, P.proname as aggregate_name, P.proargtypes::int[] as in_types, A.aggtransfn::oid as transition_function_id, A.aggtransfn::regproc::text
	as transition_function_name, A.aggtranstype as transition_type, A.aggfinalfn::oid as final_function_id, case when A.aggfinalfn::oid = 0 then null else
	A.aggfinalfn::regproc::varchar end as final_function_name, case when A.aggfinalfn::oid = 0 then 0 else P.prorettype end as final_return_type, A.agginitval
	as initial_value, A.aggsortop as sort_operator_id
	from pg_catalog.pg_aggregate A join pg_catalog.pg_proc P on A.aggfnoid::oid = P.oid
	where P.pronamespace = 11::oid and P.proname in ('count', 'max', 'string_agg')
	order by P.oid;
select O.oid as op_id, O.oprname as op_name, oprkind as op_kind, oprleft as arg_left_type_id, oprright as arg_right_type_id, oprresult as arg_result_type_id,
	oprcode::oid as main_id, oprcode::varchar as main_name, oprrest::oid as restrict_id, oprjoin::oid as join_id, oprcom::oid as com_id, oprnegate::oid as
	neg_id, oprcanmerge as merges, oprcanhash as hashes
	from pg_catalog.pg_operator O where oprnamespace = 2200::oid;
select R.ev_class as table_id, R.oid as rule_id, R.rulename as rule_name, pg_catalog.translate(ev_type,'1234','SUID') as rule_event_code, R.ev_enabled
	as rule_fire_mode, R.is_instead as rule_is_instead
	from pg_catalog.pg_rewrite R where R.ev_class in (select oid
		from pg_catalog.pg_class where relnamespace = 2200::oid) and R.rulename != '_RETURN'::name
	order by R.ev_class::bigint, ev_type;
select t.tgrelid as table_id, t.oid as trigger_id, t.tgname as trigger_name, t.tgfoid as function_id, pg_catalog.encode(t.tgargs, 'escape') as function_args,
	t.tgtype as bits, t.tgdeferrable as is_deferrable, t.tginitdeferred as is_init_deferred, t.tgenabled as trigger_fire_mode, t.tgattr as columns, t.tgconstraint
	!= 0 as is_constraint, t.tgoldtable as old_table_name, t.tgnewtable as new_table_name, pg_catalog.pg_get_triggerdef(t.oid, true) as source_code
	from pg_catalog.pg_trigger t where t.tgrelid in (select oid
		from pg_catalog.pg_class where relnamespace = 2200::oid) and not t.tgisinternal
	order by t.tgname;
select D.objoid id, C.relkind::char as kind, D.objsubid sub_id, D.description
	from pg_catalog.pg_description D join pg_catalog.pg_class C on D.objoid = C.oid
	where C.relnamespace = 2200::oid and C.relkind != 'c' and D.classoid = 'pg_catalog.pg_class'::regclass
	union all select T.oid id, 'T'::char as kind, D.objsubid sub_id, D.description
	from pg_catalog.pg_description D join pg_catalog.pg_type T on T.oid = D.objoid or T.typrelid = D.objoid
	left join pg_catalog.pg_class C on T.typrelid = C.oid
	where T.typnamespace = 2200::oid and (C.relkind = 'c' or C.relkind is null)
	union all select D.objoid id, pg_catalog.translate(C.contype, 'pufc', 'kkxz')::char as kind, D.objsubid sub_id, D.description
	from pg_catalog.pg_description D join pg_catalog.pg_constraint C on D.objoid = C.oid
	where C.connamespace = 2200::oid order by 4;
select T.oid as object_id, T.relacl as acl
	from pg_catalog.pg_class T where T.relnamespace = 2200::oid and T.relkind in ('r', 'm', 'v', 'f', 'p')
	order by T.relname;
select T.oid as object_id, N.attnum as position, N.attacl as acl
	from pg_catalog.pg_class T join pg_catalog.pg_attribute N on N.attrelid = T.oid
	where T.relnamespace = 2200::oid and N.attacl is not null;
select C.oid as id, collname as name, pg_catalog.pg_get_userbyid(C.collowner) as "owner", C.collprovider as provider
	from pg_catalog.pg_collation C where C.collnamespace = 2200::oid;
select O.oid as id, O.opcname as name, opcintype::regtype::varchar as in_type, case when opckeytype = 0 then null else opckeytype::regtype::varchar end
	as key_type, opcdefault as is_default, opcfamily as family_id, opfname as family, am.amname
	from pg_catalog.pg_opclass O join pg_catalog.pg_opfamily F on F.oid = opcfamily
	join pg_catalog.pg_am am on am.oid = opcmethod
	where am.amname = 'btree' and opcname ~ '^int'
	order by O.oid;
select P.polname policy_name, P.polrelid table_id, polcmd cmd, polroles roles, polpermissive
	from pg_catalog.pg_policy P join pg_catalog.pg_class C on C.oid = P.polrelid
	where C.relnamespace = 2200::oid;
select proname, pg_catalog.pg_get_functiondef(oid) as source_text from pg_catalog.pg_proc where oid = 1081;
select T.relname, (information_schema._pg_expandarray(I.indkey)).n
	from pg_catalog.pg_index I join pg_catalog.pg_class T on T.oid = I.indrelid
	where T.relnamespace = 2200::oid order by 1, 2;
SELECT t.* FROM public.item t ORDER BY sku LIMIT 501;
SELECT COUNT(*) FROM public.item;
select t.*, tableoid::regclass::text as of from public.stands t order by left_key, right_key limit 501;

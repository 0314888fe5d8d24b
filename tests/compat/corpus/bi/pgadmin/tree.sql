# The object tree.
SELECT db.oid as did, db.datname as name, ta.spcname as spcname, db.datallowconn, db.datistemplate AS is_template, pg_catalog.has_database_privilege(db.oid,
		'CREATE') as cancreate, datdba as owner, descr.description
	FROM pg_catalog.pg_database db LEFT OUTER JOIN pg_catalog.pg_tablespace ta ON db.dattablespace = ta.oid
	LEFT OUTER JOIN pg_catalog.pg_shdescription descr ON ( db.oid=descr.objoid AND descr.classoid='pg_database'::regclass )
	WHERE db.datname = 'onto' ORDER BY datname;
SELECT db.oid AS did, db.oid, db.datname AS name, db.dattablespace AS spcoid, spcname, datallowconn, pg_catalog.pg_encoding_to_char(encoding) AS encoding,
	pg_catalog.pg_get_userbyid(datdba) AS datowner, (select pg_catalog.current_setting('lc_collate')) as datcollate, (select pg_catalog.current_setting('lc_ctype'))
	as datctype, datconnlimit, pg_catalog.has_database_privilege(db.oid, 'CREATE') AS cancreate, pg_catalog.current_setting('default_tablespace') AS default_tablespace,
	descr.description AS comments, db.datistemplate AS is_template, '' AS tblacl, '' AS seqacl, '' AS funcacl, pg_catalog.array_to_string(datacl::text[],
		', ') AS acl FROM pg_catalog.pg_database db
	LEFT OUTER JOIN pg_catalog.pg_tablespace ta ON db.dattablespace=ta.OID
	LEFT OUTER JOIN pg_catalog.pg_shdescription descr ON ( db.oid=descr.objoid AND descr.classoid='pg_database'::regclass )
	WHERE db.oid = {database}::OID ORDER BY datname;
SELECT nsp.oid, nsp.nspname as name, pg_catalog.has_schema_privilege(nsp.oid, 'CREATE') as can_create, pg_catalog.has_schema_privilege(nsp.oid, 'USAGE')
	as has_usage, des.description FROM pg_catalog.pg_namespace nsp
	LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=nsp.oid AND des.classoid='pg_namespace'::regclass)
	WHERE nspname NOT LIKE E'pg\\_%' AND NOT ( (nsp.nspname = 'pg_catalog' AND EXISTS (SELECT 1
				FROM pg_catalog.pg_class WHERE relname = 'pg_class' AND relnamespace = nsp.oid
				LIMIT 1)) OR (nsp.nspname = 'pgagent' AND EXISTS (SELECT 1
				FROM pg_catalog.pg_class WHERE relname = 'pga_job' AND relnamespace = nsp.oid
				LIMIT 1)) OR (nsp.nspname = 'information_schema' AND EXISTS (SELECT 1
				FROM pg_catalog.pg_class WHERE relname = 'tables' AND relnamespace = nsp.oid
				LIMIT 1)) ) ORDER BY nspname;
SELECT CASE WHEN (nspname LIKE E'pg\\_temp\\_%') THEN 1 WHEN (nspname LIKE E'pg\\_%') THEN 0 ELSE 3 END AS nsptyp, nsp.nspname AS name, nsp.oid, r.rolname
	AS namespaceowner, description, pg_catalog.has_schema_privilege(nsp.oid, 'CREATE') AS can_create, (SELECT pg_catalog.array_to_string(ARRAY( SELECT pg_catalog.array_to_string(defaclacl::text[],
				', ') FROM pg_catalog.pg_default_acl
				WHERE defaclobjtype = 'r' AND defaclnamespace = nsp.oid ), ', ')) AS tblacl, (SELECT pg_catalog.array_agg(provider || '=' || label)
		FROM pg_catalog.pg_seclabels sl1 WHERE sl1.objoid=nsp.oid) AS seclabels
	FROM pg_catalog.pg_namespace nsp LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=nsp.oid AND des.classoid='pg_namespace'::regclass)
	LEFT JOIN pg_catalog.pg_roles r ON (r.oid = nsp.nspowner)
	WHERE nsp.oid=2200::oid AND nspname NOT LIKE E'pg\\_%'
	ORDER BY 1, nspname;
SELECT rel.oid, rel.relname AS name, (SELECT count(*)
		FROM pg_catalog.pg_trigger WHERE tgrelid=rel.oid AND tgisinternal = FALSE) AS triggercount, (SELECT count(*)
		FROM pg_catalog.pg_trigger WHERE tgrelid=rel.oid AND tgisinternal = FALSE AND tgenabled = 'O') AS has_enable_triggers, (CASE WHEN rel.relkind = 'p' THEN
		true ELSE false END) AS is_partitioned, (SELECT count(1)
		FROM pg_catalog.pg_inherits WHERE inhrelid=rel.oid
		LIMIT 1) as is_inherits, (SELECT count(1)
		FROM pg_catalog.pg_inherits WHERE inhparent=rel.oid
		LIMIT 1) as is_inherited, des.description
	FROM pg_catalog.pg_class rel LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=rel.oid AND des.objsubid=0 AND des.classoid='pg_class'::regclass)
	WHERE rel.relkind IN ('r','s','t','p') AND rel.relnamespace = 2200::oid AND NOT rel.relispartition
	ORDER BY rel.relname;
SELECT rel.oid, rel.relname AS name, rel.reltablespace AS spcoid, rel.relacl AS relacl_str, (CASE WHEN length(spc.spcname::text) > 0 OR rel.relkind = 'p'
		THEN spc.spcname ELSE (SELECT sp.spcname
			FROM pg_catalog.pg_database dtb JOIN pg_catalog.pg_tablespace sp ON dtb.dattablespace=sp.oid
			WHERE dtb.oid = {database}::oid) END) as spcname, (CASE rel.relreplident WHEN 'd' THEN 'default' WHEN 'n' THEN 'nothing' WHEN 'f' THEN 'full' WHEN 'i'
		THEN 'index' END) as replica_identity, (select nspname
		FROM pg_catalog.pg_namespace WHERE oid = 2200::oid ) as schema, pg_catalog.pg_get_userbyid(rel.relowner) AS relowner, rel.relkind, (CASE WHEN rel.relkind
		= 'p' THEN true ELSE false END) AS is_partitioned, rel.relhassubclass, des.description, con.conname, con.conkey, EXISTS(select 1
		FROM pg_catalog.pg_trigger JOIN pg_catalog.pg_proc pt ON pt.oid=tgfoid AND pt.proname='logtrigger'
		JOIN pg_catalog.pg_proc pc ON pc.pronamespace=pt.pronamespace AND pc.proname='slonyversion'
		WHERE tgrelid=rel.oid) AS isrepl, (SELECT ARRAY(SELECT CASE WHEN (nspname NOT LIKE 'pg\_%') THEN pg_catalog.quote_ident(nspname)||'.'||pg_catalog.quote_ident(c.relname)
			ELSE pg_catalog.quote_ident(c.relname) END AS inherited_tables
			FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhparent
			JOIN pg_catalog.pg_namespace n ON n.oid=c.relnamespace
			WHERE i.inhrelid = rel.oid ORDER BY inhseqno)) AS coll_inherits, (CASE WHEN rel.relpersistence = 'u' THEN true ELSE false END) AS relpersistence, (SELECT
		st.setting from pg_catalog.pg_show_all_settings() st
		WHERE st.name = 'default_table_access_method') as default_amname, substring(pg_catalog.array_to_string(rel.reloptions, ',')
		FROM 'fillfactor=([0-9]*)') AS fillfactor, (substring(pg_catalog.array_to_string(rel.reloptions, ',')
			FROM 'autovacuum_enabled=([a-z|0-9]*)'))::BOOL AS autovacuum_enabled, substring(pg_catalog.array_to_string(rel.reloptions, ',')
		FROM 'autovacuum_vacuum_scale_factor=([0-9]*[.]?[0-9]*)') AS autovacuum_vacuum_scale_factor, rel.reloptions AS reloptions, rel.reloftype, am.amname,
	CASE WHEN typ.typname IS NOT NULL THEN (select pg_catalog.quote_ident(nspname)
		FROM pg_catalog.pg_namespace WHERE oid = 2200::oid )||'.'||pg_catalog.quote_ident(typ.typname) ELSE typ.typname END AS typname, typ.typrelid AS typoid,
	rel.relrowsecurity as rlspolicy, rel.relforcerowsecurity as forcerlspolicy, (SELECT pg_catalog.array_agg(provider || '=' || label)
		FROM pg_catalog.pg_seclabels sl1 WHERE sl1.objoid=rel.oid AND sl1.objsubid=0) AS seclabels, (CASE WHEN rel.oid <= 16383::oid THEN true ElSE false END)
	AS is_sys_table FROM pg_catalog.pg_class rel
	LEFT OUTER JOIN pg_catalog.pg_tablespace spc on spc.oid=rel.reltablespace
	LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=rel.oid AND des.objsubid=0 AND des.classoid='pg_class'::regclass)
	LEFT OUTER JOIN pg_catalog.pg_constraint con ON con.conrelid=rel.oid AND con.contype='p'
	LEFT JOIN pg_catalog.pg_type typ ON rel.reloftype=typ.oid
	LEFT OUTER JOIN pg_catalog.pg_am am ON am.oid = rel.relam
	WHERE rel.relkind IN ('r','s','t','p') AND rel.relnamespace = 2200::oid AND NOT rel.relispartition AND rel.oid = {item}::oid
	ORDER BY rel.relname;
SELECT DISTINCT att.attname as name, att.attnum as OID, pg_catalog.format_type(ty.oid,NULL) AS datatype, pg_catalog.format_type(ty.oid,att.atttypmod) AS
	displaytypname, att.attnotnull as not_null, CASE WHEN att.atthasdef OR att.attidentity != '' OR ty.typdefault IS NOT NULL THEN True ELSE False END as
	has_default_val, des.description, seq.seqtypid
	FROM pg_catalog.pg_attribute att JOIN pg_catalog.pg_type ty ON ty.oid=atttypid
	JOIN pg_catalog.pg_namespace tn ON tn.oid=ty.typnamespace
	JOIN pg_catalog.pg_class cl ON cl.oid=att.attrelid
	JOIN pg_catalog.pg_namespace na ON na.oid=cl.relnamespace
	LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=ty.typelem
	LEFT OUTER JOIN pg_catalog.pg_attrdef def ON adrelid=att.attrelid AND adnum=att.attnum
	LEFT OUTER JOIN (pg_catalog.pg_depend JOIN pg_catalog.pg_class cs ON classid='pg_class'::regclass AND objid=cs.oid AND cs.relkind='S') ON refobjid=att.attrelid
	AND refobjsubid=att.attnum LEFT OUTER JOIN pg_catalog.pg_namespace ns ON ns.oid=cs.relnamespace
	LEFT OUTER JOIN pg_catalog.pg_index pi ON pi.indrelid=att.attrelid AND indisprimary
	LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=att.attrelid AND des.objsubid=att.attnum AND des.classoid='pg_class'::regclass)
	LEFT OUTER JOIN pg_catalog.pg_sequence seq ON cs.oid=seq.seqrelid
	WHERE att.attrelid = {item}::oid AND att.attnum > 0 AND att.attisdropped IS FALSE
	ORDER BY att.attnum;
WITH INH_TABLES AS (SELECT at.attname AS name, ph.inhparent AS inheritedid, ph.inhseqno, pg_catalog.concat(nmsp_parent.nspname, '.',parent.relname ) AS
		inheritedfrom FROM pg_catalog.pg_attribute at
		JOIN pg_catalog.pg_inherits ph ON ph.inhparent = at.attrelid AND ph.inhrelid = {item}::oid
		JOIN pg_catalog.pg_class parent ON ph.inhparent = parent.oid
		JOIN pg_catalog.pg_namespace nmsp_parent ON nmsp_parent.oid = parent.relnamespace
		GROUP BY at.attname, ph.inhparent, ph.inhseqno, inheritedfrom
		ORDER BY at.attname, ph.inhparent, ph.inhseqno, inheritedfrom )
	SELECT DISTINCT ON (att.attnum) att.attname as name, att.atttypid, att.attlen, att.attnum, att.attndims, att.atttypmod, att.attacl, att.attnotnull, att.attoptions,
	att.attfdwoptions, att.attstattarget, att.attstorage, att.attidentity, pg_catalog.pg_get_expr(def.adbin, def.adrelid) AS defval, pg_catalog.format_type(ty.oid,NULL)
	AS typname, pg_catalog.format_type(ty.oid,att.atttypmod) AS displaytypname, pg_catalog.format_type(ty.oid,att.atttypmod) AS cltype, inh.inheritedfrom,
	inh.inheritedid, CASE WHEN ty.typelem > 0 THEN ty.typelem ELSE ty.oid END as elemoid, (SELECT nspname
		FROM pg_catalog.pg_namespace WHERE oid = ty.typnamespace) as typnspname, ty.typstorage AS defaultstorage, description, pi.indkey, (SELECT count(1)
		FROM pg_catalog.pg_type t2 WHERE t2.typname=ty.typname) > 1 AS isdup, CASE WHEN length(coll.collname::text) > 0 AND length(nspc.nspname::text) > 0 THEN
	pg_catalog.concat(pg_catalog.quote_ident(nspc.nspname),'.',pg_catalog.quote_ident(coll.collname)) ELSE '' END AS collspcname, EXISTS(SELECT 1
		FROM pg_catalog.pg_constraint WHERE conrelid=att.attrelid AND contype='f' AND att.attnum=ANY(conkey)) As is_fk, (SELECT pg_catalog.array_agg(provider
			|| '=' || label) FROM pg_catalog.pg_seclabels sl1
		WHERE sl1.objoid=att.attrelid AND sl1.objsubid=att.attnum) AS seclabels, (CASE WHEN (att.attnum < 1) THEN true ElSE false END) AS is_sys_column, (CASE
		WHEN (att.attidentity in ('a', 'd')) THEN 'i' WHEN (att.attgenerated in ('s')) THEN 'g' ELSE 'n' END) AS colconstype, (CASE WHEN (att.attgenerated in
				('s')) THEN pg_catalog.pg_get_expr(def.adbin, def.adrelid) END) AS genexpr, tab.relname as relname, (CASE WHEN tab.relkind = 'v' THEN true ELSE false
		END) AS is_view_only, (CASE WHEN att.attcompression = 'p' THEN 'pglz' WHEN att.attcompression = 'l' THEN 'lz4' END) AS attcompression, (SELECT dsd.refobjid
		FROM pg_catalog.pg_depend dsd JOIN pg_catalog.pg_class dsc ON dsd.refclassid='pg_catalog.pg_class'::regclass AND dsd.refobjid=dsc.oid AND dsc.relkind='S'
		WHERE dsd.classid='pg_catalog.pg_attrdef'::regclass AND dsd.objid=def.oid AND dsd.deptype='n'
		ORDER BY dsd.refobjid LIMIT 1) AS defseqrelid, seq.*
	FROM pg_catalog.pg_attribute att JOIN pg_catalog.pg_type ty ON ty.oid=atttypid
	LEFT OUTER JOIN pg_catalog.pg_attrdef def ON adrelid=att.attrelid AND adnum=att.attnum
	LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=att.attrelid AND des.objsubid=att.attnum AND des.classoid='pg_class'::regclass)
	LEFT OUTER JOIN (pg_catalog.pg_depend dep
		JOIN pg_catalog.pg_class cs ON dep.classid='pg_class'::regclass AND dep.objid=cs.oid AND cs.relkind='S') ON dep.refobjid=att.attrelid AND dep.refobjsubid=att.attnum
	LEFT OUTER JOIN pg_catalog.pg_index pi ON pi.indrelid=att.attrelid AND indisprimary
	LEFT OUTER JOIN pg_catalog.pg_collation coll ON att.attcollation=coll.oid
	LEFT OUTER JOIN pg_catalog.pg_namespace nspc ON coll.collnamespace=nspc.oid
	LEFT OUTER JOIN pg_catalog.pg_sequence seq ON cs.oid=seq.seqrelid
	LEFT OUTER JOIN pg_catalog.pg_class tab on tab.oid = att.attrelid
	LEFT OUTER join INH_TABLES as INH ON att.attname = INH.name
	WHERE att.attrelid = {item}::oid AND att.attnum > 0 AND att.attisdropped IS FALSE
	ORDER BY att.attnum;
SELECT DISTINCT ON(cls.relname) cls.oid, cls.relname as name, (SELECT (CASE WHEN count(i.inhrelid) > 0 THEN true ELSE false END)
		FROM pg_catalog.pg_inherits i WHERE i.inhrelid = cls.oid) as is_inherited, CASE WHEN contype IN ('p', 'u', 'x') THEN desp.description ELSE des.description
	END AS description FROM pg_catalog.pg_index idx
	JOIN pg_catalog.pg_class cls ON cls.oid=indexrelid
	JOIN pg_catalog.pg_class tab ON tab.oid=indrelid
	LEFT OUTER JOIN pg_catalog.pg_tablespace ta on ta.oid=cls.reltablespace
	JOIN pg_catalog.pg_namespace n ON n.oid=tab.relnamespace
	JOIN pg_catalog.pg_am am ON am.oid=cls.relam
	LEFT JOIN pg_catalog.pg_depend dep ON (dep.classid = cls.tableoid AND dep.objid = cls.oid AND dep.refobjsubid = '0' AND dep.refclassid=(SELECT oid
			FROM pg_catalog.pg_class WHERE relname='pg_constraint') AND dep.deptype='i')
	LEFT OUTER JOIN pg_catalog.pg_constraint con ON (con.tableoid = dep.refclassid AND con.oid = dep.refobjid)
	LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=cls.oid AND des.classoid='pg_class'::regclass)
	LEFT OUTER JOIN pg_catalog.pg_description desp ON (desp.objoid=con.oid AND desp.objsubid = 0 AND desp.classoid='pg_constraint'::regclass)
	WHERE indrelid = {stands}::OID ORDER BY cls.relname;
SELECT cls.oid, cls.relname as name, indnkeyatts as col_count, CASE contype WHEN 'p' THEN desp.description WHEN 'u' THEN desp.description WHEN 'x' THEN
	desp.description ELSE des.description END AS comment, condeferrable, condeferred, conislocal, substring(pg_catalog.array_to_string(cls.reloptions, ',')
		from 'fillfactor=([0-9]*)') AS fillfactor
	FROM pg_catalog.pg_index idx JOIN pg_catalog.pg_class cls ON cls.oid=indexrelid
	LEFT OUTER JOIN pg_catalog.pg_tablespace ta on ta.oid=cls.reltablespace
	LEFT JOIN pg_catalog.pg_depend dep ON (dep.classid = cls.tableoid AND dep.objid = cls.oid AND dep.refobjsubid = '0' AND dep.refclassid=(SELECT oid
			FROM pg_catalog.pg_class WHERE relname='pg_constraint') AND dep.deptype='i')
	LEFT OUTER JOIN pg_catalog.pg_constraint con ON (con.tableoid = dep.refclassid AND con.oid = dep.refobjid)
	LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=cls.oid AND des.classoid='pg_class'::regclass)
	LEFT OUTER JOIN pg_catalog.pg_description desp ON (desp.objoid=con.oid AND desp.objsubid = 0 AND desp.classoid='pg_constraint'::regclass)
	WHERE indrelid = {stands}::oid AND contype='p'
	ORDER BY cls.relname;
SELECT ct.oid, conname as name, condeferrable, condeferred, confupdtype, confdeltype, CASE confmatchtype WHEN 's' THEN FALSE WHEN 'f' THEN TRUE END AS
	confmatchtype, conkey, confkey, confrelid, nl.nspname as fknsp, cl.relname as fktab, nr.oid as refnspoid, nr.nspname as refnsp, cr.relname as reftab,
	description as comment, convalidated, conislocal
	FROM pg_catalog.pg_constraint ct JOIN pg_catalog.pg_class cl ON cl.oid=conrelid
	JOIN pg_catalog.pg_namespace nl ON nl.oid=cl.relnamespace
	JOIN pg_catalog.pg_class cr ON cr.oid=confrelid
	JOIN pg_catalog.pg_namespace nr ON nr.oid=cr.relnamespace
	LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=ct.oid AND des.classoid='pg_constraint'::regclass)
	WHERE contype='f' AND conrelid = {stands}::oid
	ORDER BY conname;
SELECT a1.attname as conattname, a2.attname as confattname
	FROM (SELECT pg_catalog.unnest('{1}'::smallint[]) AS num, pg_catalog.unnest('{1}'::smallint[]) AS refnum) AS c(num, refnum)
	JOIN pg_catalog.pg_attribute a1 ON a1.attrelid = {stands}::oid AND a1.attnum = c.num
	JOIN pg_catalog.pg_attribute a2 ON a2.attrelid = {item}::oid AND a2.attnum = c.refnum;
SELECT c.oid, c.relname AS name, description AS comment
	FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=c.oid and des.objsubid=0 AND des.classoid='pg_class'::regclass)
	WHERE c.relkind = 'v' AND c.relnamespace = 2200::oid
	ORDER BY c.relname;
SELECT 'relacl' as deftype, COALESCE(gt.rolname, 'PUBLIC') as grantee, g.rolname as grantor, pg_catalog.array_agg(b.privilege_type
		order by b.privilege_type) as privileges, pg_catalog.array_agg(b.is_grantable) as grantable
	FROM (SELECT (d).grantee AS grantee, (d).grantor AS grantor, (d).is_grantable AS is_grantable, CASE (d).privilege_type WHEN 'CONNECT' THEN 'c' WHEN 'CREATE'
		THEN 'C' WHEN 'DELETE' THEN 'd' WHEN 'EXECUTE' THEN 'X' WHEN 'INSERT' THEN 'a' WHEN 'REFERENCES' THEN 'x' WHEN 'SELECT' THEN 'r' WHEN 'TEMPORARY' THEN
		'T' WHEN 'TRIGGER' THEN 't' WHEN 'TRUNCATE' THEN 'D' WHEN 'UPDATE' THEN 'w' WHEN 'USAGE' THEN 'U' ELSE 'UNKNOWN' END AS privilege_type
		FROM (SELECT pg_catalog.aclexplode(rel.relacl) as d
			FROM pg_catalog.pg_class rel WHERE rel.oid = {item}::oid) acl) b
	LEFT JOIN pg_catalog.pg_roles g ON (b.grantor = g.oid)
	LEFT JOIN pg_catalog.pg_roles gt ON (b.grantee = gt.oid)
	GROUP BY g.rolname, gt.rolname ORDER BY grantee;
SELECT ext.oid, extname AS name FROM pg_catalog.pg_extension ext ORDER BY 2;
SELECT lan.oid as oid, lanname as name, lanpltrusted as trusted, pg_catalog.array_to_string(lanacl::text[], ', ') as acl, hp.proname as lanproc, vp.proname
	as lanval FROM pg_catalog.pg_language lan
	LEFT OUTER JOIN pg_catalog.pg_proc hp on hp.oid=lanplcallfoid
	LEFT OUTER JOIN pg_catalog.pg_proc vp on vp.oid=lanvalidator
	WHERE lanispl IS TRUE ORDER BY lanname;
SELECT oid, pubname AS name FROM pg_catalog.pg_publication;
SELECT nsp.nspname schemaname, cl.relname objname, cl.relkind
	FROM pg_catalog.pg_class cl JOIN pg_catalog.pg_namespace nsp ON nsp.oid = cl.relnamespace
	WHERE nsp.nspname = 'public' AND cl.relname LIKE '%s%'
	ORDER BY 1, 2;
SELECT ca.oid, pg_catalog.concat(pg_catalog.format_type(st.oid,NULL),'->',pg_catalog.format_type(tt.oid,tt.typtypmod)) as name
	FROM pg_catalog.pg_cast ca JOIN pg_catalog.pg_type st ON st.oid=castsource
	JOIN pg_catalog.pg_type tt ON tt.oid=casttarget
	WHERE st.typname = 'int4' ORDER BY name;
SELECT DISTINCT dep.deptype, dep.refclassid, cl.relkind, ad.adbin, CASE WHEN cl.relkind IS NOT NULL THEN CASE WHEN cl.relkind = 'r' THEN cl.relkind::text || COALESCE(dep.refobjsubid::text, '') ELSE cl.relkind::text END WHEN ns.oid IS NOT NULL THEN 'n'::text ELSE '' END AS type, COALESCE(coc.relname,
		clrw.relname) AS ownertable, COALESCE(cl.relname, ns.nspname) AS refname
	FROM pg_catalog.pg_depend dep LEFT JOIN pg_catalog.pg_class cl ON dep.refobjid=cl.oid
	LEFT JOIN pg_catalog.pg_attribute att ON dep.refobjid=att.attrelid AND dep.refobjsubid=att.attnum
	LEFT JOIN pg_catalog.pg_namespace ns ON dep.refobjid=ns.oid
	LEFT JOIN pg_catalog.pg_rewrite rw ON dep.refobjid=rw.oid
	LEFT JOIN pg_catalog.pg_class clrw ON clrw.oid=rw.ev_class
	LEFT JOIN pg_catalog.pg_constraint co ON dep.refobjid=co.oid
	LEFT JOIN pg_catalog.pg_class coc ON coc.oid=co.conrelid
	LEFT JOIN pg_catalog.pg_attrdef ad ON ad.adrelid=att.attrelid AND ad.adnum=att.attnum
	WHERE dep.objid={item}::oid ORDER BY refclassid, refname;
SELECT pg_catalog.pg_size_pretty(0::bigint), pg_catalog.pg_relation_size({item}) >= 0;
SELECT seq_scan, idx_scan, n_tup_ins, n_live_tup
	FROM pg_catalog.pg_stat_all_tables stat
	JOIN pg_catalog.pg_statio_all_tables statio ON stat.relid = statio.relid
	JOIN pg_catalog.pg_class cl ON cl.oid=stat.relid
	WHERE stat.relid = {item}::oid;
# The browser with all that hangs below a schema.
SELECT has_table_privilege('pgagent.pga_job', 'INSERT, SELECT, UPDATE') has_priviledge
	WHERE EXISTS(SELECT has_schema_privilege('pgagent', 'USAGE') WHERE EXISTS(SELECT cl.oid FROM pg_catalog.pg_class cl
	LEFT JOIN pg_catalog.pg_namespace ns ON ns.oid=relnamespace WHERE relname='pga_job' AND nspname='pgagent'));
SELECT has_table_privilege('pgagent.pga_job', 'INSERT');
SELECT pr.proname, pg_catalog.oidvectortypes(proargtypes) AS proargtypenames, proargtypes::regtype[]::text[] <> '{}' AS named
	FROM pg_catalog.pg_proc pr WHERE pr.proname IN ('lpad', 'now', 'upper') AND provariadic = 0 AND prorettype <> 3831 ORDER BY 1, 2 LIMIT 4;
SELECT aggfnoid, aggtransfn, aggfinalfn FROM pg_catalog.pg_aggregate WHERE aggfnoid IN (2100, 2147, 4053) ORDER BY aggfnoid::oid;
SELECT rw.rulename, rw.ev_type, rw.is_instead, relname AS view, pg_catalog.pg_get_ruledef(rw.oid) AS definition, pg_catalog.pg_get_ruledef(rw.oid, true) AS pretty
	FROM pg_catalog.pg_rewrite rw JOIN pg_catalog.pg_class cl ON cl.oid=rw.ev_class WHERE relname = 'pg_available_extension_versions';
SELECT rolname, rolcanlogin, rolpassword FROM pg_catalog.pg_authid r WHERE r.oid = 3373;
SELECT (SELECT CASE WHEN rolpassword IS NOT NULL THEN 'a password' ELSE '' END FROM pg_catalog.pg_authid au WHERE au.oid=r.oid)
	FROM pg_catalog.pg_roles r WHERE r.oid = 10;

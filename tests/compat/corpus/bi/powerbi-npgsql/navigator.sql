# Power BI's and Excel's navigator: tables, columns, keys.
select TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE
	from INFORMATION_SCHEMA.tables where TABLE_SCHEMA not in ('information_schema', 'pg_catalog')
	order by TABLE_SCHEMA, TABLE_NAME;
select COLUMN_NAME, ORDINAL_POSITION, IS_NULLABLE, case when (data_type like '%unsigned%') then DATA_TYPE || ' unsigned' else DATA_TYPE end as DATA_TYPE
	from INFORMATION_SCHEMA.columns where TABLE_SCHEMA = 'public' and TABLE_NAME = 'item'
	order by TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION;
select pkcol.COLUMN_NAME as PK_COLUMN_NAME, fkcol.TABLE_SCHEMA AS FK_TABLE_SCHEMA, fkcol.TABLE_NAME AS FK_TABLE_NAME, fkcol.COLUMN_NAME as FK_COLUMN_NAME,
	fkcol.ORDINAL_POSITION as ORDINAL, fkcon.CONSTRAINT_SCHEMA || '_' || fkcol.TABLE_NAME || '_' || 'item' || '_' || fkcon.CONSTRAINT_NAME as FK_NAME
	from (select distinct constraint_catalog, constraint_schema, unique_constraint_schema, constraint_name, unique_constraint_name
		from INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS) fkcon
	inner join INFORMATION_SCHEMA.KEY_COLUMN_USAGE fkcol on fkcon.CONSTRAINT_SCHEMA = fkcol.CONSTRAINT_SCHEMA and fkcon.CONSTRAINT_NAME = fkcol.CONSTRAINT_NAME
	inner join INFORMATION_SCHEMA.KEY_COLUMN_USAGE pkcol on fkcon.UNIQUE_CONSTRAINT_SCHEMA = pkcol.CONSTRAINT_SCHEMA and fkcon.UNIQUE_CONSTRAINT_NAME = pkcol.CONSTRAINT_NAME
	where pkcol.TABLE_SCHEMA = 'public' and pkcol.TABLE_NAME = 'item' and pkcol.ORDINAL_POSITION = fkcol.ORDINAL_POSITION
	order by FK_NAME, fkcol.ORDINAL_POSITION;
select pkcol.TABLE_SCHEMA AS PK_TABLE_SCHEMA, pkcol.TABLE_NAME AS PK_TABLE_NAME, pkcol.COLUMN_NAME as PK_COLUMN_NAME, fkcol.COLUMN_NAME as FK_COLUMN_NAME,
	fkcol.ORDINAL_POSITION as ORDINAL, fkcon.CONSTRAINT_NAME as FK_NAME
	from INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS fkcon
	inner join INFORMATION_SCHEMA.KEY_COLUMN_USAGE fkcol on fkcon.CONSTRAINT_SCHEMA = fkcol.CONSTRAINT_SCHEMA and fkcon.CONSTRAINT_NAME = fkcol.CONSTRAINT_NAME
	inner join INFORMATION_SCHEMA.KEY_COLUMN_USAGE pkcol on fkcon.UNIQUE_CONSTRAINT_SCHEMA = pkcol.CONSTRAINT_SCHEMA and fkcon.UNIQUE_CONSTRAINT_NAME = pkcol.CONSTRAINT_NAME
	where fkcol.TABLE_SCHEMA = 'public' and fkcol.TABLE_NAME = 'stands' and pkcol.ORDINAL_POSITION = fkcol.POSITION_IN_UNIQUE_CONSTRAINT
	order by FK_NAME, fkcol.ORDINAL_POSITION;
select i.CONSTRAINT_SCHEMA || '_' || i.CONSTRAINT_NAME as INDEX_NAME, ii.COLUMN_NAME, ii.ORDINAL_POSITION, case when i.CONSTRAINT_TYPE = 'PRIMARY KEY'
	then 'Y' else 'N' end as PRIMARY_KEY from INFORMATION_SCHEMA.table_constraints i
	inner join INFORMATION_SCHEMA.key_column_usage ii on i.CONSTRAINT_SCHEMA = ii.CONSTRAINT_SCHEMA and i.CONSTRAINT_NAME = ii.CONSTRAINT_NAME and i.TABLE_SCHEMA
	= ii.TABLE_SCHEMA and i.TABLE_NAME = ii.TABLE_NAME
	where i.TABLE_SCHEMA = 'public' and i.TABLE_NAME = 'stands' and i.CONSTRAINT_TYPE in ('PRIMARY KEY', 'UNIQUE')
	order by i.CONSTRAINT_SCHEMA || '_' || i.CONSTRAINT_NAME, ii.TABLE_SCHEMA, ii.TABLE_NAME, ii.ORDINAL_POSITION;
select character_set_name from INFORMATION_SCHEMA.character_sets;
SELECT 'onto' as Database, ns.nspname as Schema, relname as Name, CASE WHEN ns.nspname Like E'pg\\_catalog' then 'Catalog' WHEN ns.nspname Like E'information\\_schema'
	then 'Information' WHEN relkind = 'f' then 'Foreign' ELSE 'User' END as TableType, pg_get_userbyid(relowner) AS definer, rel.oid as Oid, relacl as ACL,
	true as HasOids, relhassubclass as HasSubtables, description as Comment, relnatts as ColumnNumber, conname as Constraint, conkey as ColumnConstrainsIndexes
	FROM pg_class rel INNER JOIN pg_namespace ns ON relnamespace = ns.oid
	LEFT OUTER JOIN pg_description des ON des.objoid = rel.oid AND des.objsubid = 0
	LEFT OUTER JOIN pg_constraint c ON c.conrelid = rel.oid AND c.contype = 'p'
	WHERE ( (relkind = 'r') OR (relkind = 's') OR (relkind = 'f') ) AND NOT ns.nspname LIKE E'pg\\_temp\\_%%' AND NOT ns.nspname like E'pg\\_%' AND NOT ns.nspname
	like E'information\\_schema' AND ns.nspname::varchar like E'public' AND relname::varchar like '%' AND pg_get_userbyid(relowner)::varchar like '%'
	ORDER BY relname;
SELECT a.conname as Name, ns.nspname as Schema, mycl.relname as Table, b.conname as ReferencedKey, frns.nspname as ReferencedSchema, frcl.relname as ReferencedTable,
	a.oid as Oid, a.conkey as ColumnIndexes, a.confkey as ForeignColumnIndexes, a.confupdtype as UpdateActionCode, a.confdeltype as DeleteActionCode, a.confmatchtype
	as ForeignKeyMatchType, a.condeferrable as IsDeferrable, a.condeferred as Iscondeferred
	FROM pg_constraint a inner join pg_constraint b on ( a.confrelid = b.conrelid AND a.confkey = b.conkey )
	INNER JOIN pg_namespace ns ON a.connamespace = ns.oid
	INNER JOIN pg_class mycl ON a.conrelid = mycl.oid
	LEFT OUTER JOIN pg_class frcl ON a.confrelid = frcl.oid
	INNER JOIN pg_namespace frns ON frcl.relnamespace = frns.oid
	WHERE a.contype = 'f' AND ( b.contype = 'p' OR b.contype = 'u' ) AND a.oid::varchar like '%' AND a.conname like '%' AND ns.nspname like E'public' AND
	mycl.relname like E'stands' AND frns.nspname like '%' AND frcl.relname like '%'
	ORDER BY 1;
SELECT a.attname as fieldname, a.attnum as fieldordinal, a.atttypid as datatype, a.atttypmod as fieldmod, a.attnotnull as isnull, c.relname as tablename,
	n.nspname as schema, CASE WHEN exists( select null
		from pg_constraint c1 where c1.conrelid = c.oid and c1.contype = 'p' and a.attnum = ANY (c1.conkey) ) THEN true ELSE false END as iskey, CASE WHEN exists(
		select null from pg_constraint c1 where c1.conrelid = c.oid and c1.contype = 'u' and a.attnum = ANY (c1.conkey) ) THEN true ELSE false END as isunique,
	CAST(pg_get_expr(d.adbin, d.adrelid) AS varchar) as defvalue, CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE a.atttypid END as basetype, CASE WHEN
	a.attidentity = 'a' THEN true ELSE false END as IsAutoIncrement, CASE WHEN t.typname Like 'bit' OR t.typname Like 'varbit' and a.atttypmod > 0 THEN a.atttypmod
	WHEN t.typname Like 'interval' OR t.typname Like 'timestamp' OR t.typname Like 'timestamptz' OR t.typname Like 'time' OR t.typname Like 'timetz' THEN
	-1 WHEN a.atttypmod > 0 THEN a.atttypmod - 4 ELSE a.atttypmod END as Length, (information_schema._pg_numeric_precision( information_schema._pg_truetypid(a.*,
				t.*), information_schema._pg_truetypmod(a.*, t.*) ))::information_schema.cardinal_number AS Precision, (information_schema._pg_numeric_scale( information_schema._pg_truetypid(a.*,
				t.*), information_schema._pg_truetypmod(a.*, t.*) ))::information_schema.cardinal_number AS Scale, (information_schema._pg_datetime_precision( information_schema._pg_truetypid(a.*,
				t.*), information_schema._pg_truetypmod(a.*, t.*) ))::information_schema.cardinal_number AS DatetimePrecision
	FROM pg_namespace n INNER JOIN pg_class c ON c.relnamespace = n.oid
	INNER JOIN pg_attribute a on c.oid = a.attrelid
	LEFT JOIN pg_attrdef d on d.adrelid = a.attrelid and d.adnum =a.attnum
	LEFT JOIN pg_type t on t.oid = a.atttypid
	WHERE a.attisdropped = false AND ( (c.relkind = 'r') OR (c.relkind = 's') OR (c.relkind = 'v') OR (c.relkind = 'm') OR (c.relkind = 'f') ) AND a.attnum
	> 0 AND (( c.relname LIKE 'item' AND n.nspname LIKE 'public' ))
	ORDER BY tablename, fieldordinal;
SELECT DISTINCT attname AS Name, attnum FROM pg_attribute
	JOIN pg_class ON oid = attrelid INNER JOIN pg_namespace ON pg_class.relnamespace = pg_namespace.oid
	WHERE attnum > 0 AND attisdropped IS FALSE AND pg_namespace.nspname like 'public' AND relname like 'item' AND attnum in (2);
SELECT typname as name, t.oid as oid, typtype as Type, typelem as TypeElement
	FROM pg_type t WHERE t.oid::varchar like '1034' and typtype::varchar like 'b' and typelem != 0;
SELECT typname as name, n.nspname as Schema, typlen as Length, t.oid as oid, typbyval as IsReferenceType, case when typtype = 'b' then 'base' when typtype
	= 'd' then 'domain' when typtype = 'c' then 'composite' end as Type, case when typalign = 'c' then 'char' when typalign = 's' then 'short' when typalign
	= 'i' then 'int' else 'double' end as alignment, case when typstorage = 'p' then 'plain' when typstorage = 'e' then 'secondary' when typstorage = 'm'
	then 'compressed inline' else 'secondary or compressed inline' end as ValueStorage, typdefault as DefaultValue
	FROM pg_type t, pg_namespace n WHERE t.typnamespace = n.oid and t.oid::varchar like E'23%' and typname like E'%' and n.nspname like E'%' and typtype::varchar
	like E'b' ORDER BY name;
SELECT table_catalog, table_schema, table_name, table_type
	FROM information_schema.tables WHERE table_type IN ('BASE TABLE', 'VIEW') AND table_schema NOT IN ('pg_catalog', 'information_schema')
	ORDER BY 2, 3;

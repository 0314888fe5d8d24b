package functions

// rowFunctionTable lists the functions whose result is a row of several columns, each
// with its columns and its template. One without a template is a macro of the catalog.
// They give a struct, those of a set a list of structs.
const rowFunctionTable = `
set json_each(json) key text, value json = @json_pairs(@json_object({1}, 'json_each'))
set json_each_text(json) key text, value text = @json_text_pairs(@json_object({1}, 'json_each_text'))
set jsonb_each(jsonb) key text, value jsonb = @jsonb_pairs(@json_object({1}, 'jsonb_each'))
set jsonb_each_text(jsonb) key text, value text = @jsonb_text_pairs(@json_object({1}, 'jsonb_each_text'))
set pg_get_keywords() word text, catcode char, barelabel bool, catdesc text, baredesc text
set pg_options_to_table(text[]) option_name text, option_value text
set aclexplode(aclitem[]) grantor oid, grantee oid, privilege_type text, is_grantable bool
set ts_token_type(oid) tokid int4, alias text, description text
set pg_partition_tree(regclass) relid regclass, parentrelid regclass, isleaf bool, level int4
pg_identify_object(oid,oid,int4) type text, schema text, name text, identity text
pg_identify_object_as_address(oid,oid,int4) type text, object_names text[], object_args text[]
`

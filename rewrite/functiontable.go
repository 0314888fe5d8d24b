package rewrite

// operatorTable lists PostgreSQL's operators but the comparisons, which every
// type has (operator.go).
const operatorTable = `
+(int2,int2) int2 = CAST({1} + {2} AS SMALLINT)
+(int4,int4) int4
+(int8,int8) int8
+(numeric,numeric) numeric
+(float4,float4) float4
+(float8,float8) float8
+(date,int4) date
+(int4,date) date
+(date,interval) timestamp
+(interval,date) timestamp
+(date,time) timestamp
+(time,interval) time
+(timestamp,interval) timestamp
+(timestamptz,interval) timestamptz
+(interval,timestamp) timestamp
+(interval,timestamptz) timestamptz
+(interval,interval) interval
+(int2|int4|int8|numeric|float4|float8) =1 = (+{1})
-(int2,int2) int2 = CAST({1} - {2} AS SMALLINT)
-(int4,int4) int4
-(int8,int8) int8
-(numeric,numeric) numeric
-(float4,float4) float4
-(float8,float8) float8
-(date,int4) date
-(date,date) int4 = CAST({1} - {2} AS INTEGER)
-(date,interval) timestamp
-(time,interval) time
-(time,time) interval = to_microseconds(epoch_us({1}) - epoch_us({2}))
-(timestamp,timestamp) interval = @ts_sub({1}, {2})
-(timestamptz,timestamptz) interval = @ts_sub({1}, {2})
-(timestamp,interval) timestamp
-(timestamptz,interval) timestamptz
-(interval,interval) interval
-(int2|int4|int8|numeric|float4|float8|interval) =1 = (-{1})
*(int2,int2) int2 = CAST({1} * {2} AS SMALLINT)
*(int4,int4) int4
*(int8,int8) int8
*(numeric,numeric) numeric
*(float4,float4) float4
*(float8,float8) float8
*(interval,float8) interval = @interval_mul({1}, {2})
*(float8,interval) interval = @interval_mul({2}, {1})
/(int2|int4|int8,int2) =1 = @int_div({1}, {2})
/(int4|int8,int4) =1 = @int_div({1}, {2})
/(int8,int8) int8 = @int_div({1}, {2})
/(numeric,numeric) numeric = list_transform([@operands({1}, {2})], lambda pair: @numeric_div(pair.a, pair.b))[1]
/(float4,float4) float4 = @float_div({1}, {2})
/(float8,float8) float8 = @float_div({1}, {2})
/(interval,float8) interval = @interval_div({1}, {2})
%(int2,int2) int2 = @int_mod({1}, {2})
%(int4,int4) int4 = @int_mod({1}, {2})
%(int8,int8) int8 = @int_mod({1}, {2})
%(numeric,numeric) numeric = @int_mod({1}, {2})
^(float8,float8) float8 = @power({1}, {2})
^(numeric,numeric) numeric = CAST(pow({1}, {2}) AS DECIMAL(38,16))
|/(float8) float8 = @sqrt({1})
@(int2|int4|int8|numeric|float4|float8) =1 = abs({1})
&(int2|int4|int8,int8) =1 = ({1} & {2})
&(int4,int4) int4
|(int4,int4) int4
|(int8,int8) int8
#(int4,int4) int4 = xor({1}, {2})
#(int8,int8) int8 = xor({1}, {2})
~(int4|int8) =1 = (~{1})
<<(int4|int8,int4) =1 = ({1} << {2})
>>(int4|int8,int4) =1 = ({1} >> {2})
||(text,text) text
||(text,any) text = ({1} || @any_out({2}))
||(any,text) text = (@any_out({1}) || {2})
||(array,array) array = list_concat({1}, {2})
||(array,elem) array = list_append({1}, {2})
||(elem,array) array = list_prepend({1}, {2})
||(bytea,bytea) bytea
~(text,text) bool = regexp_matches({1}, ontosql_regexp({2}, ''))
~*(text,text) bool = regexp_matches({1}, ontosql_regexp({2}, 'i'))
!~(text,text) bool = (NOT regexp_matches({1}, ontosql_regexp({2}, '')))
!~*(text,text) bool = (NOT regexp_matches({1}, ontosql_regexp({2}, 'i')))
~~(text,text) bool = ({1} LIKE {2} ESCAPE '\')
!~~(text,text) bool = ({1} NOT LIKE {2} ESCAPE '\')
~~*(text,text) bool = ({1} ILIKE {2} ESCAPE '\')
!~~*(text,text) bool = ({1} NOT ILIKE {2} ESCAPE '\')
^@(text,text) bool = starts_with({1}, {2})
->(json|jsonb,text) =1 = ({1} -> @json_path({2}))
->(json|jsonb,int4) =1 = ({1} -> CAST({2} AS BIGINT))
->>(json|jsonb,text) text = ({1} ->> @json_path({2}))
->>(json|jsonb,int4) text = ({1} ->> CAST({2} AS BIGINT))
#>(json|jsonb,text[]) =1 = @json_get({1}, {2})
#>>(json|jsonb,text[]) text = (@json_get({1}, {2}) ->> '$')
||(jsonb,jsonb) jsonb = @json_concat({1}, {2})
-(jsonb,text) jsonb = @json_delete_key({1}, {2})
-(jsonb,text[]) jsonb = @json_delete_keys({1}, {2})
-(jsonb,int4) jsonb = @json_delete_index({1}, {2})
#-(jsonb,text[]) jsonb = @json_delete_path({1}, {2})
@>(jsonb,jsonb) bool = json_contains({1}, {2})
<@(jsonb,jsonb) bool = json_contains({2}, {1})
?(jsonb,text) bool = @json_has({1}, {2})
@?(jsonb,text) bool = (ontosql_json_path_exists(CAST({1} AS VARCHAR), {2}, '', 1) <> 0)
@@(jsonb,text) bool = (ontosql_json_path_match(CAST({1} AS VARCHAR), {2}, '', 1) <> 0)
?|(jsonb,text[]) bool = @json_of({1}, list_has_any(@json_names({1}), {2}))
?&(jsonb,text[]) bool = @json_of({1}, list_has_all(@json_names({1}), {2}))
@>(array,array) bool = @has_all({1}, {2})
<@(array,array) bool = @has_all({2}, {1})
&&(array,array) bool = list_has_any({1}, {2})
`

// functionTable lists the functions a client may call. A function that is not
// here does not exist (decision A23). One that is not marked volatile answers the
// same whenever it is asked the same in the same time zone: results are kept
// (Scoped.Repeatable).
const functionTable = `
abs(int2|int4|int8|numeric|float4|float8) =1
ceil(numeric|float8) =1 = ceil({1})
ceiling(numeric|float8) =1 = ceil({1})
floor(numeric|float8) =1
round(numeric) numeric = round({1})
round(float8) float8 = round_even({1}, 0)
round(numeric,int4) numeric = round({1}, {2})
trunc(numeric|float8) =1 = trunc({1})
trunc(numeric,int4) numeric = @numeric_trunc({1}, {2})
sign(numeric|float8) =1 = CAST(sign({1}) AS DECIMAL(18,0))
sqrt(float8) float8 = @sqrt({1})
sqrt(numeric) numeric = CAST(@sqrt({1}) AS DECIMAL(38,15))
cbrt(float8) float8
exp(float8) float8 = @finite(exp({1}), {1})
exp(numeric) numeric = CAST(exp({1}) AS DECIMAL(38,16))
ln(float8) float8 = @ln({1})
ln(numeric) numeric = CAST(@ln({1}) AS DECIMAL(38,16))
log(float8) float8 = @log10({1})
log(numeric) numeric = CAST(@log10({1}) AS DECIMAL(38,16))
log(numeric,numeric) numeric = CAST(log({1}, {2}) AS DECIMAL(38,16))
log10(float8) float8 = @log10({1})
power(float8,float8) float8 = @power({1}, {2})
power(numeric,numeric) numeric = CAST(pow({1}, {2}) AS DECIMAL(38,16))
pow(float8,float8) float8 = @power({1}, {2})
pow(numeric,numeric) numeric = CAST(pow({1}, {2}) AS DECIMAL(38,16))
mod(int2,int2) int2 = @int_mod({1}, {2})
mod(int4,int4) int4 = @int_mod({1}, {2})
mod(int8,int8) int8 = @int_mod({1}, {2})
mod(numeric,numeric) numeric = @int_mod({1}, {2})
div(numeric,numeric) numeric = list_transform([@operands({1}, {2})], lambda pair: @numeric_whole_div(pair.a, pair.b))[1]
gcd(int4,int4) int4
gcd(int8,int8) int8
lcm(int4,int4) int4
lcm(int8,int8) int8
pi() float8
degrees(float8) float8
radians(float8) float8
sin(float8) float8
cos(float8) float8
tan(float8) float8
cot(float8) float8
asin(float8) float8
acos(float8) float8
atan(float8) float8
atan2(float8,float8) float8
volatile random() float8
width_bucket(elem,array) int4 = @width_place({1}, {2})
width_bucket(float8,float8,float8,int4) int4 = @width_bucket({1}, {2}, {3}, {4})
volatile gen_random_uuid() uuid
upper(text) text
lower(text) text
initcap(text) text = @initcap({1})
length(text) int4 = CAST(length({1}) AS INTEGER)
length(bytea) int4 = CAST(octet_length({1}) AS INTEGER)
char_length(text) int4 = CAST(length({1}) AS INTEGER)
character_length(text) int4 = CAST(length({1}) AS INTEGER)
octet_length(text) int4 = CAST(strlen({1}) AS INTEGER)
octet_length(bytea) int4 = CAST(octet_length({1}) AS INTEGER)
bit_length(text) int4 = CAST(8 * strlen({1}) AS INTEGER)
btrim(text) text = trim({1}, ' ')
btrim(text,text) text = trim({1}, {2})
ltrim(text) text = ltrim({1}, ' ')
ltrim(text,text) text
rtrim(text) text = rtrim({1}, ' ')
rtrim(text,text) text
substring(text,int4) text = @substr2({1}, {2})
substring(text,int4,int4) text = @substr3({1}, {2}, {3})
substr(text,int4) text = @substr2({1}, {2})
substr(text,int4,int4) text = @substr3({1}, {2}, {3})
substring(text,text) text = ontosql_substring({1}, {2}, '')
substring(text,text,text) text = ontosql_similar_substring({1}, {2}, {3})
overlay(text,text,int4) text = @overlay4({1}, {2}, {3}, CAST(length({2}) AS INTEGER))
overlay(text,text,int4,int4) text = @overlay4({1}, {2}, {3}, {4})
position(text,text) int4 = CAST(strpos({1}, {2}) AS INTEGER)
strpos(text,text) int4 = CAST(strpos({1}, {2}) AS INTEGER)
left(text,int4) text
right(text,int4) text
lpad(text,int4) text = @lpad3({1}, {2}, ' ')
lpad(text,int4,text) text = @lpad3({1}, {2}, {3})
rpad(text,int4) text = @rpad3({1}, {2}, ' ')
rpad(text,int4,text) text = @rpad3({1}, {2}, {3})
repeat(text,int4) text = repeat({1}, @bounded('repeat', strlen({1}) * CAST({2} AS BIGINT), {2}))
reverse(text) text
replace(text,text,text) text = replace({1}, {2}, @replacement({1}, {2}, {3}))
translate(text,text,text) text
split_part(text,text,int4) text = @split_part({1}, {2}, {3})
starts_with(text,text) bool
ascii(text) int4
chr(int4) text = @chr({1})
md5(text) text
md5(bytea) text = ontosql_md5({1})
sha224(bytea) bytea = ontosql_sha224({1})
sha384(bytea) bytea = ontosql_sha384({1})
sha512(bytea) bytea = ontosql_sha512({1})
sha256(bytea) bytea = unhex(sha256({1}))
concat(any...) text = concat({*})
concat_ws(text,any...) text = concat_ws({*})
quote_ident(text) text = ontosql_quote_ident({1})
quote_literal(text) text = @quote_literal({1})
quote_literal(any) text = @quote_literal(@any_out({1}))
quote_nullable(text) text = coalesce(@quote_literal({1}), 'NULL')
quote_nullable(any) text = coalesce(@quote_literal(@any_out({1})), 'NULL')
to_hex(int4) text = lower(to_hex(CAST({1} AS BIGINT) & 4294967295))
to_hex(int8) text = lower(to_hex({1}))
encode(bytea,text) text = ontosql_encode({1}, {2})
decode(text,text) bytea = @decode_text({1}, {2})
convert_from(bytea,text) text = decode({1})
convert_to(text,text) bytea = encode({1})
regexp_replace(text,text,text) text = ontosql_regexp_replace({1}, {2}, {3}, 1, 4294967296, '')
regexp_replace(text,text,text,text) text = ontosql_regexp_replace({1}, {2}, {3}, 1, 4294967296, {4})
regexp_replace(text,text,text,int4) text = ontosql_regexp_replace({1}, {2}, {3}, {4}, 1, '')
regexp_replace(text,text,text,int4,int4) text = ontosql_regexp_replace({1}, {2}, {3}, {4}, {5}, '')
regexp_replace(text,text,text,int4,int4,text) text = ontosql_regexp_replace({1}, {2}, {3}, {4}, {5}, {6})
regexp_match(text,text) text[] = ontosql_regexp_match({1}, {2}, '')
regexp_match(text,text,text) text[] = ontosql_regexp_match({1}, {2}, {3})
set regexp_matches(text,text) text[] = ontosql_regexp_matches({1}, {2}, '')
set regexp_matches(text,text,text) text[] = ontosql_regexp_matches({1}, {2}, {3})
regexp_split_to_array(text,text) text[] = ontosql_regexp_split({1}, {2}, '', 'regexp_split_to_array')
regexp_split_to_array(text,text,text) text[] = ontosql_regexp_split({1}, {2}, {3}, 'regexp_split_to_array')
regexp_count(text,text) int4 = CAST(ontosql_regexp_count({1}, {2}, 1, '') AS INTEGER)
regexp_count(text,text,int4) int4 = CAST(ontosql_regexp_count({1}, {2}, {3}, '') AS INTEGER)
regexp_count(text,text,int4,text) int4 = CAST(ontosql_regexp_count({1}, {2}, {3}, {4}) AS INTEGER)
regexp_instr(text,text) int4 = CAST(ontosql_regexp_instr({1}, {2}, 1, 1, 0, '', 0) AS INTEGER)
regexp_instr(text,text,int4) int4 = CAST(ontosql_regexp_instr({1}, {2}, {3}, 1, 0, '', 0) AS INTEGER)
regexp_instr(text,text,int4,int4) int4 = CAST(ontosql_regexp_instr({1}, {2}, {3}, {4}, 0, '', 0) AS INTEGER)
regexp_instr(text,text,int4,int4,int4) int4 = CAST(ontosql_regexp_instr({1}, {2}, {3}, {4}, {5}, '', 0) AS INTEGER)
regexp_instr(text,text,int4,int4,int4,text) int4 = CAST(ontosql_regexp_instr({1}, {2}, {3}, {4}, {5}, {6}, 0) AS INTEGER)
regexp_instr(text,text,int4,int4,int4,text,int4) int4 = CAST(ontosql_regexp_instr({1}, {2}, {3}, {4}, {5}, {6}, {7}) AS INTEGER)
regexp_substr(text,text) text = ontosql_regexp_substr({1}, {2}, 1, 1, '', 0)
regexp_substr(text,text,int4) text = ontosql_regexp_substr({1}, {2}, {3}, 1, '', 0)
regexp_substr(text,text,int4,int4) text = ontosql_regexp_substr({1}, {2}, {3}, {4}, '', 0)
regexp_substr(text,text,int4,int4,text) text = ontosql_regexp_substr({1}, {2}, {3}, {4}, {5}, 0)
regexp_substr(text,text,int4,int4,text,int4) text = ontosql_regexp_substr({1}, {2}, {3}, {4}, {5}, {6})
regexp_like(text,text) bool = regexp_matches({1}, ontosql_regexp({2}, ''))
regexp_like(text,text,text) bool = regexp_matches({1}, ontosql_regexp({2}, {3}))
string_to_array(text,text) text[] = @string_to_array({1}, {2})
string_to_array(text,text,text) text[] = list_transform(@string_to_array({1}, {2}), lambda x: nullif(x, {3}))
array_to_string(array,text) text = @array_text_of(@texts_of({1}), {2})
array_to_string(array,text,text) text = @array_text_with(@texts_of({1}), {2}, {3})
array_length(array,int4) int4 = CASE WHEN {2} = 1 THEN CAST(nullif(len({1}), 0) AS INTEGER) END
array_upper(array,int4) int4 = CASE WHEN {2} = 1 THEN CAST(nullif(len({1}), 0) AS INTEGER) END
array_lower(array,int4) int4 = CASE WHEN {2} = 1 AND len({1}) > 0 THEN 1 END
array_upper(int2vector|oidvector,int4) int4 = CASE WHEN {2} = 1 THEN CAST(nullif(len({1}), 0) - 1 AS INTEGER) END
array_lower(int2vector|oidvector,int4) int4 = CASE WHEN {2} = 1 AND len({1}) > 0 THEN 0 END
array_dims(array) text = CASE WHEN len({1}) > 0 THEN '[1:' || len({1}) || ']' END
array_fill(elem,int4[]) array = @array_fill({1}, {2})
array_positions(array,elem) int4[] = @array_positions({1}, {2})
array_position(array,elem,int4) int4 = @array_position({1}, {2}, {3})
array_ndims(array) int4 = CASE WHEN len({1}) > 0 THEN 1 END
cardinality(array) int4 = CAST(len({1}) AS INTEGER)
array_append(array,elem) array = list_append(coalesce({1}, []), {2})
array_prepend(elem,array) array = list_prepend({1}, coalesce({2}, []))
array_cat(array,array) array = list_concat({1}, {2})
array_remove(array,elem) array = list_filter({1}, lambda x: x IS DISTINCT FROM {2})
array_position(array,elem) int4 = @array_position({1}, {2}, 1)
array_replace(array,elem,elem) array = list_transform({1}, lambda x: CASE WHEN x IS NOT DISTINCT FROM {2} THEN {3} ELSE x END)
trim_array(array,int4) array = @trim_array({1}, {2})
set unnest(array) elem = {1}
set generate_series(int4,int4) int4 = generate_series({1}, @series_end({1}, {2}, 1)) => CAST({set} AS INTEGER)
set generate_series(int8,int8) int8 = generate_series({1}, @series_end({1}, {2}, 1))
set generate_series(int4,int4,int4) int4 = generate_series({1}, @series_end({1}, {2}, {3}), {3}) => CAST({set} AS INTEGER)
set generate_series(int8,int8,int8) int8 = generate_series({1}, @series_end({1}, {2}, {3}), {3})
set generate_series(numeric,numeric) numeric = @numeric_series({1}, {2}, 1)
set generate_series(numeric,numeric,numeric) numeric = @numeric_series({1}, {2}, {3})
set generate_series(timestamp,timestamp,interval) timestamp = generate_series({1}, @time_series_end({1}, {2}, {3}), {3})
set generate_series(timestamptz,timestamptz,interval) timestamptz = generate_series({1}, @time_series_end({1}, {2}, {3}), {3})
set generate_subscripts(array,int4) int4 = generate_series(1, CASE WHEN {2} = 1 THEN len({1}) ELSE 0 END) => CAST({set} AS INTEGER)
set generate_subscripts(int2vector|oidvector,int4) int4 = generate_series(0, CASE WHEN {2} = 1 THEN len({1}) - 1 ELSE -1 END) => CAST({set} AS INTEGER)
set regexp_split_to_table(text,text) text = ontosql_regexp_split({1}, {2}, '', 'regexp_split_to_table')
set regexp_split_to_table(text,text,text) text = ontosql_regexp_split({1}, {2}, {3}, 'regexp_split_to_table')
set string_to_table(text,text) text = @string_to_array({1}, {2})
set json_array_elements(json) json = @json_elements({1})
set jsonb_array_elements(jsonb) jsonb = @json_elements({1})
set json_array_elements_text(json) text = @json_texts(@json_elements({1}))
set jsonb_array_elements_text(jsonb) text = @json_texts(@json_elements({1}))
set json_object_keys(json) text = @json_object_names({1}, 'json')
set jsonb_object_keys(jsonb) text = @json_object_names({1}, 'jsonb')
date_part(text,timestamptz|timestamp|date|interval|time) float8 = @date_part({1}, {2})
extract(text,timestamptz|timestamp|interval|date|time) numeric = @extract({1}, {2})
date_trunc(text,timestamptz|timestamp) =2 = @date_trunc({1}, {2})
date_trunc(text,interval) interval = date_trunc({1}, {2})
date_trunc(text,timestamptz,text) timestamptz = timezone({3}, date_trunc({1}, timezone({3}, {2})))
date_bin(interval,timestamp|timestamptz,timestamp|timestamptz) =2 = @date_bin({1}, {2}, {3})
age(timestamptz,timestamptz) interval = age({1}, {2})
age(timestamp,timestamp) interval = age({1}, {2})
justify_hours(interval) interval = @justify({1}, 'hours')
justify_days(interval) interval = @justify({1}, 'days')
justify_interval(interval) interval = @justify({1}, 'all')
isfinite(interval) bool = ({1} IS NOT NULL OR NULL)
isfinite(timestamp|timestamptz|date) bool
to_char(timestamp,text) text = @to_char_timestamp({1}, {2})
to_char(timestamptz,text) text = @to_char_timestamptz({1}, {2})
to_char(interval,text) text = @to_char_interval({1}, {2})
to_char(int4,text) text = ontosql_number_chars(@any_out({1}), 'int4', {2})
to_char(int8,text) text = ontosql_number_chars(@any_out({1}), 'int8', {2})
to_char(numeric,text) text = ontosql_number_chars(@any_out({1}), 'numeric', {2})
to_char(float4,text) text = ontosql_number_chars(@any_out({1}), 'float4', {2})
to_char(float8,text) text = ontosql_number_chars(@any_out({1}), 'float8', {2})
to_date(text,text) date = CAST(make_timestamp(ontosql_parse_time({1}, {2})) AS DATE)
to_timestamp(text,text) timestamptz = @to_timestamp({1}, {2})
to_number(text,text) numeric = @to_number({1}, {2})
make_date(int4,int4,int4) date = @make_date({1}, {2}, {3})
make_time(int4,int4,float8) time = @make_time({1}, {2}, {3})
make_timestamp(int4,int4,int4,int4,int4,float8) timestamp = @make_timestamp({1}, {2}, {3}, {4}, {5}, {6})
make_timestamptz(int4,int4,int4,int4,int4,float8) timestamptz = CAST(@make_timestamp({1}, {2}, {3}, {4}, {5}, {6}) AS TIMESTAMPTZ)
make_timestamptz(int4,int4,int4,int4,int4,float8,text) timestamptz = @zone_in_time({7}, @make_timestamp({1}, {2}, {3}, {4}, {5}, {6}))
to_timestamp(float8) timestamptz = @to_timestamp_epoch({1})
timezone(text,timestamptz) timestamp = @time_in_zone({1}, {2})
timezone(text,timestamp) timestamptz = @zone_in_time({1}, {2})
timezone(interval,timestamptz) timestamp = (timezone('UTC', {2}) + @zone_interval({1}))
timezone(interval,timestamp) timestamptz = timezone('UTC', {2} - @zone_interval({1}))
overlaps(timestamp,interval,timestamp,interval) bool = @overlaps({1}, {1} + {2}, {3}, {3} + {4})
overlaps(timestamp,timestamp,timestamp,interval) bool = @overlaps({1}, {2}, {3}, {3} + {4})
overlaps(timestamp,interval,timestamp,timestamp) bool = @overlaps({1}, {1} + {2}, {3}, {4})
overlaps(timestamptz,interval,timestamptz,interval) bool = @overlaps({1}, {1} + {2}, {3}, {3} + {4})
overlaps(timestamptz,timestamptz,timestamptz,interval) bool = @overlaps({1}, {2}, {3}, {3} + {4})
overlaps(timestamptz,interval,timestamptz,timestamptz) bool = @overlaps({1}, {1} + {2}, {3}, {4})
overlaps(timestamp,timestamp,timestamp,timestamp) bool = @overlaps({1}, {2}, {3}, {4})
overlaps(timestamptz,timestamptz,timestamptz,timestamptz) bool = @overlaps({1}, {2}, {3}, {4})
overlaps(time,time,time,time) bool = @overlaps({1}, {2}, {3}, {4})
-- json
to_json(any) json = {1}
to_jsonb(any) jsonb = {1}
json_build_object(any...) json = {built}
jsonb_build_object(any...) jsonb = {built}
json_build_object() json = CAST('{}' AS JSON)
jsonb_build_object() jsonb = CAST('{}' AS JSON)
json_build_array(any...) json = {built}
jsonb_build_array(any...) jsonb = {built}
json_build_array() json = CAST('[]' AS JSON)
jsonb_build_array() jsonb = CAST('[]' AS JSON)
json_typeof(json) text = @json_typeof({1})
jsonb_typeof(jsonb) text = @json_typeof({1})
json_array_length(json) int4 = @json_length({1})
jsonb_array_length(jsonb) int4 = @json_length({1})
jsonb_contains(jsonb,jsonb) bool = json_contains({1}, {2})
jsonb_contained(jsonb,jsonb) bool = json_contains({2}, {1})
json_extract_path(json,text...) json = @json_get({1}, [{rest}])
jsonb_extract_path(jsonb,text...) jsonb = @json_get({1}, [{rest}])
json_extract_path_text(json,text...) text = (@json_get({1}, [{rest}]) ->> '$')
jsonb_extract_path_text(jsonb,text...) text = (@json_get({1}, [{rest}]) ->> '$')
jsonb_concat(jsonb,jsonb) jsonb = @json_concat({1}, {2})
jsonb_delete(jsonb,text) jsonb = @json_delete_key({1}, {2})
jsonb_delete(jsonb,text[]) jsonb = @json_delete_keys({1}, {2})
jsonb_delete(jsonb,int4) jsonb = @json_delete_index({1}, {2})
jsonb_delete_path(jsonb,text[]) jsonb = @json_delete_path({1}, {2})
jsonb_set(jsonb,text[],jsonb) jsonb = @json_set({1}, {2}, {3}, TRUE)
jsonb_set(jsonb,text[],jsonb,bool) jsonb = @json_set({1}, {2}, {3}, {4})
jsonb_set_lax(jsonb,text[],jsonb) jsonb = @json_set_lax({1}, {2}, {3}, TRUE, 'use_json_null')
jsonb_set_lax(jsonb,text[],jsonb,bool) jsonb = @json_set_lax({1}, {2}, {3}, {4}, 'use_json_null')
jsonb_set_lax(jsonb,text[],jsonb,bool,text) jsonb = @json_set_lax({1}, {2}, {3}, {4}, {5})
jsonb_insert(jsonb,text[],jsonb) jsonb = @json_insert({1}, {2}, {3}, FALSE)
jsonb_insert(jsonb,text[],jsonb,bool) jsonb = @json_insert({1}, {2}, {3}, {4})
jsonb_exists(jsonb,text) bool = @json_has({1}, {2})
jsonb_pretty(jsonb) text = json_pretty({1})
array_to_json(array) json = {1}
set jsonb_path_query(jsonb,text) jsonb = CAST(ontosql_json_path(CAST({1} AS VARCHAR), {2}, '', 0) AS JSON[])
jsonb_path_query_array(jsonb,text) jsonb = CAST('[' || array_to_string(ontosql_json_path(CAST({1} AS VARCHAR), {2}, '', 0), ',') || ']' AS JSON)
jsonb_path_query_first(jsonb,text) jsonb = CAST(ontosql_json_path(CAST({1} AS VARCHAR), {2}, '', 0)[1] AS JSON)
jsonb_path_exists(jsonb,text) bool = (ontosql_json_path_exists(CAST({1} AS VARCHAR), {2}, '', 0) <> 0)
jsonb_path_match(jsonb,text) bool = (ontosql_json_path_match(CAST({1} AS VARCHAR), {2}, '', 0) <> 0)
set jsonb_path_query(jsonb,text,jsonb) jsonb = CAST(ontosql_json_path(CAST({1} AS VARCHAR), {2}, CAST({3} AS VARCHAR), 0) AS JSON[])
jsonb_path_query_array(jsonb,text,jsonb) jsonb = CAST('[' || array_to_string(ontosql_json_path(CAST({1} AS VARCHAR), {2}, CAST({3} AS VARCHAR), 0), ',') || ']' AS JSON)
jsonb_path_query_first(jsonb,text,jsonb) jsonb = CAST(ontosql_json_path(CAST({1} AS VARCHAR), {2}, CAST({3} AS VARCHAR), 0)[1] AS JSON)
jsonb_path_exists(jsonb,text,jsonb) bool = (ontosql_json_path_exists(CAST({1} AS VARCHAR), {2}, CAST({3} AS VARCHAR), 0) <> 0)
jsonb_path_match(jsonb,text,jsonb) bool = (ontosql_json_path_match(CAST({1} AS VARCHAR), {2}, CAST({3} AS VARCHAR), 0) <> 0)
set jsonb_path_query(jsonb,text,jsonb,bool) jsonb = CAST(ontosql_json_path(CAST({1} AS VARCHAR), {2}, CAST({3} AS VARCHAR), CAST({4} AS BIGINT)) AS JSON[])
jsonb_path_query_array(jsonb,text,jsonb,bool) jsonb = CAST('[' || array_to_string(ontosql_json_path(CAST({1} AS VARCHAR), {2}, CAST({3} AS VARCHAR), CAST({4} AS BIGINT)), ',') || ']' AS JSON)
jsonb_path_query_first(jsonb,text,jsonb,bool) jsonb = CAST(ontosql_json_path(CAST({1} AS VARCHAR), {2}, CAST({3} AS VARCHAR), CAST({4} AS BIGINT))[1] AS JSON)
jsonb_path_exists(jsonb,text,jsonb,bool) bool = (ontosql_json_path_exists(CAST({1} AS VARCHAR), {2}, CAST({3} AS VARCHAR), CAST({4} AS BIGINT)) <> 0)
jsonb_path_match(jsonb,text,jsonb,bool) bool = (ontosql_json_path_match(CAST({1} AS VARCHAR), {2}, CAST({3} AS VARCHAR), CAST({4} AS BIGINT)) <> 0)
json_strip_nulls(json) json = CAST(ontosql_json_strip_nulls(CAST({1} AS VARCHAR)) AS JSON)
jsonb_strip_nulls(jsonb) jsonb = CAST(ontosql_json_strip_nulls(CAST({1} AS VARCHAR)) AS JSON)
json_object(text[]) json = CAST(ontosql_json_object({1}) AS JSON)
json_object(text[],text[]) json = CAST(ontosql_json_object_pairs({1}, {2}) AS JSON)
jsonb_object(text[]) jsonb = CAST(ontosql_json_object({1}) AS JSON)
jsonb_object(text[],text[]) jsonb = CAST(ontosql_json_object_pairs({1}, {2}) AS JSON)
-- aggregates
agg count(any) int8 = count({1})
agg sum(int2|int4) int8 = sum({1}) => CAST({agg} AS BIGINT)
agg sum(int8) numeric = sum({1}) => CAST({agg} AS DECIMAL(38,12))
agg sum(numeric) numeric = sum({1})
agg sum(float4) float4 = sum({1}) => CAST({agg} AS FLOAT)
agg sum(float8) float8 = sum({1})
agg sum(interval) interval = list({1}) => @interval_sum({agg})
agg avg(int2|int4|int8|numeric) numeric = sum({1}) => list_transform([@operands({agg}, {count})], lambda pair: @numeric_div(pair.a, nullif(pair.b, 0)))[1]
agg avg(float4|float8) float8 = avg({1})
agg avg(interval) interval = list({1}) => @interval_avg({agg})
agg min(int2|int4|int8|numeric|float4|float8|text|date|time|timestamp|timestamptz|interval|uuid|oid|array) =1 = min({1})
agg max(int2|int4|int8|numeric|float4|float8|text|date|time|timestamp|timestamptz|interval|uuid|oid|array) =1 = max({1})
agg bool_and(bool) bool = bool_and({1})
agg bool_or(bool) bool = bool_or({1})
agg every(bool) bool = bool_and({1})
agg bit_and(int2|int4|int8) =1 = bit_and({1})
agg bit_or(int2|int4|int8) =1 = bit_or({1})
agg bit_xor(int2|int4|int8) =1 = bit_xor({1})
agg string_agg(text,text) text = string_agg({1}, {2})
agg array_agg(elem) array = array_agg({1})
agg json_agg(any) json = list({1}) => @json_of_list({agg}, ', ')
agg jsonb_agg(any) jsonb = list({1}) => @json_of_list({agg}, ', ')
agg json_object_agg(any,any) json = json_group_object({1}, {2}) => nullif({agg}, CAST('{}' AS JSON))
agg jsonb_object_agg(any,any) jsonb = json_group_object({1}, {2}) => nullif({agg}, CAST('{}' AS JSON))
agg stddev(int2|int4|int8|numeric) numeric = stddev_samp({1}) => CAST({agg} AS DECIMAL(38,16))
agg stddev(float4|float8) float8 = stddev_samp({1})
agg stddev_samp(int2|int4|int8|numeric) numeric = stddev_samp({1}) => CAST({agg} AS DECIMAL(38,16))
agg stddev_samp(float4|float8) float8 = stddev_samp({1})
agg stddev_pop(int2|int4|int8|numeric) numeric = stddev_pop({1}) => CAST({agg} AS DECIMAL(38,16))
agg stddev_pop(float4|float8) float8 = stddev_pop({1})
agg variance(int2|int4|int8|numeric) numeric = var_samp({1}) => CAST({agg} AS DECIMAL(38,16))
agg variance(float4|float8) float8 = var_samp({1})
agg var_samp(int2|int4|int8|numeric) numeric = var_samp({1}) => CAST({agg} AS DECIMAL(38,16))
agg var_samp(float4|float8) float8 = var_samp({1})
agg var_pop(int2|int4|int8|numeric) numeric = var_pop({1}) => CAST({agg} AS DECIMAL(38,16))
agg var_pop(float4|float8) float8 = var_pop({1})
agg corr(float8,float8) float8 = corr({1}, {2})
agg covar_pop(float8,float8) float8 = covar_pop({1}, {2})
agg covar_samp(float8,float8) float8 = covar_samp({1}, {2})
agg regr_slope(float8,float8) float8 = regr_slope({1}, {2})
agg regr_intercept(float8,float8) float8 = regr_intercept({1}, {2})
agg regr_r2(float8,float8) float8 = regr_r2({1}, {2})
agg regr_avgx(float8,float8) float8 = regr_avgx({1}, {2})
agg regr_avgy(float8,float8) float8 = regr_avgy({1}, {2})
agg regr_sxx(float8,float8) float8 = regr_sxx({1}, {2})
agg regr_syy(float8,float8) float8 = regr_syy({1}, {2})
agg regr_sxy(float8,float8) float8 = regr_sxy({1}, {2})
agg regr_count(float8,float8) int8 = regr_count({1}, {2})
-- window functions
win row_number() int8 = row_number()
win rank() int8 = rank()
win dense_rank() int8 = dense_rank()
win percent_rank() float8 = percent_rank()
win cume_dist() float8 = cume_dist()
win ntile(int4) int4 = ntile({1}) => CAST({agg} AS INTEGER)
win lag(elem) elem = lag({1})
win lag(elem,int4) elem = lag({1}, {2})
win lag(elem,int4,elem) elem = lag({1}, {2}, {3})
win lead(elem) elem = lead({1})
win lead(elem,int4) elem = lead({1}, {2})
win lead(elem,int4,elem) elem = lead({1}, {2}, {3})
win first_value(elem) elem = first_value({1})
win last_value(elem) elem = last_value({1})
win nth_value(elem,int4) elem = nth_value({1}, {2})
`

// catalogTable lists the functions over pg_catalog. They exist only where the
// schema ontosql_catalog has a macro of their name.
const catalogTable = `
format_type(oid,int4) text
pg_get_constraintdef(oid) text
pg_get_constraintdef(oid,bool) text
pg_get_indexdef(oid) text
pg_get_indexdef(oid,int4,bool) text
pg_get_viewdef(oid) text
pg_get_viewdef(oid,bool) text
pg_get_expr(pg_node_tree,oid) text
pg_get_expr(text,oid) text
pg_get_expr(pg_node_tree,oid,bool) text
pg_get_expr(text,oid,bool) text
pg_get_userbyid(oid) name
pg_get_functiondef(oid) text
pg_get_function_result(oid) text
pg_get_function_arguments(oid) text
pg_get_function_identity_arguments(oid) text
pg_get_ruledef(oid) text
pg_get_ruledef(oid,bool) text
pg_get_triggerdef(oid) text
pg_get_triggerdef(oid,bool) text
pg_get_partkeydef(oid) text
pg_get_statisticsobjdef_columns(oid) text
pg_get_serial_sequence(text,text) text
pg_table_is_visible(oid) bool
pg_type_is_visible(oid) bool
pg_function_is_visible(oid) bool
pg_operator_is_visible(oid) bool
pg_opclass_is_visible(oid) bool
pg_collation_is_visible(oid) bool
pg_statistics_obj_is_visible(oid) bool
pg_table_size(regclass) int8
pg_relation_size(regclass) int8
pg_relation_size(regclass,text) int8
pg_total_relation_size(regclass) int8
pg_indexes_size(regclass) int8
pg_database_size(oid) int8
pg_database_size(name) int8
pg_tablespace_size(oid) int8
pg_tablespace_size(name) int8
pg_tablespace_location(oid) text
pg_size_pretty(int8) text
pg_size_pretty(numeric) text
pg_relation_is_publishable(regclass) bool
pg_relation_filenode(regclass) oid
pg_encoding_to_char(int4) name
pg_char_to_encoding(name) int4
pg_stat_get_numscans(oid) int8
pg_my_temp_schema() oid
pg_is_other_temp_schema(oid) bool
pg_is_in_recovery() bool
getdatabaseencoding() name
pg_client_encoding() name
current_schemas(bool) name[]
pg_get_function_sqlbody(oid) text
pg_get_statisticsobjdef(oid) text
pg_get_partition_constraintdef(oid) text
pg_relation_is_updatable(regclass,bool) int4
pg_opfamily_is_visible(oid) bool
pg_conversion_is_visible(oid) bool
pg_ts_config_is_visible(oid) bool
pg_ts_dict_is_visible(oid) bool
pg_ts_parser_is_visible(oid) bool
pg_ts_template_is_visible(oid) bool
has_language_privilege(oid,text) bool
has_language_privilege(text,text) bool
set pg_partition_ancestors(regclass) regclass
pg_typeof(any) regtype
obj_description(oid,text) text
obj_description(oid) text
col_description(oid,int4) text
shobj_description(oid,text) text
has_table_privilege(text,text) bool
has_table_privilege(oid,text) bool
has_table_privilege(oid,text,text) bool
has_table_privilege(oid,oid,text) bool
has_table_privilege(name,text,text) bool
has_table_privilege(name,oid,text) bool
has_any_column_privilege(text,text) bool
has_any_column_privilege(name,text,text) bool
has_any_column_privilege(oid,text) bool
has_any_column_privilege(name,oid,text) bool
has_column_privilege(text,text,text) bool
has_column_privilege(text,int2,text) bool
has_column_privilege(oid,text,text) bool
has_column_privilege(oid,int2,text) bool
has_schema_privilege(text,text) bool
has_schema_privilege(oid,text) bool
has_schema_privilege(name,text,text) bool
has_schema_privilege(name,oid,text) bool
has_database_privilege(text,text) bool
has_database_privilege(oid,text) bool
has_database_privilege(name,text,text) bool
has_database_privilege(name,oid,text) bool
has_function_privilege(oid,text) bool
has_function_privilege(text,text) bool
has_function_privilege(name,oid,text) bool
has_function_privilege(name,text,text) bool
has_sequence_privilege(text,text) bool
has_sequence_privilege(oid,text) bool
has_type_privilege(oid,text) bool
has_type_privilege(text,text) bool
has_type_privilege(name,oid,text) bool
has_type_privilege(name,text,text) bool
has_tablespace_privilege(text,text) bool
has_tablespace_privilege(oid,text) bool
pg_has_role(name,text) bool
pg_has_role(oid,text) bool
pg_has_role(name,oid,text) bool
pg_has_role(name,name,text) bool
to_regclass(text) regclass
to_regtype(text) regtype
to_regnamespace(text) regnamespace
to_regproc(text) regproc
to_regprocedure(text) regprocedure
to_regoper(text) regoper
to_regoperator(text) regoperator
to_regcollation(text) regcollation
to_regrole(text) regrole
acldefault(char,oid) aclitem[]
makeaclitem(oid,oid,text,bool) aclitem
aclcontains(aclitem[],aclitem) bool
pg_column_is_updatable(regclass,int2,bool) bool
pg_partition_root(regclass) regclass
pg_describe_object(oid,oid,int4) text
pg_index_column_has_property(regclass,int4,text) bool
pg_index_has_property(regclass,text) bool
pg_indexam_has_property(oid,text) bool
pg_get_viewdef(text) text
pg_get_viewdef(text,bool) text
pg_get_viewdef(oid,int4) text
pg_get_replica_identity_index(regclass) regclass
pg_relation_filepath(regclass) text
pg_filenode_relation(oid,oid) regclass
pg_get_function_arg_default(oid,int4) text
pg_encoding_max_length(int4) int4
pg_stat_get_blocks_fetched(oid) int8
pg_stat_get_blocks_hit(oid) int8
pg_stat_get_dead_tuples(oid) int8
pg_stat_get_live_tuples(oid) int8
pg_stat_get_tuples_inserted(oid) int8
pg_stat_get_tuples_updated(oid) int8
pg_stat_get_tuples_deleted(oid) int8
pg_stat_get_tuples_returned(oid) int8
pg_stat_get_tuples_fetched(oid) int8
pg_stat_get_tuples_hot_updated(oid) int8
pg_stat_get_mod_since_analyze(oid) int8
pg_stat_get_ins_since_vacuum(oid) int8
pg_stat_get_vacuum_count(oid) int8
pg_stat_get_autovacuum_count(oid) int8
pg_stat_get_analyze_count(oid) int8
pg_stat_get_autoanalyze_count(oid) int8
pg_stat_get_db_xact_commit(oid) int8
pg_stat_get_db_xact_rollback(oid) int8
pg_stat_get_db_blocks_fetched(oid) int8
pg_stat_get_db_blocks_hit(oid) int8
pg_stat_get_db_tuples_returned(oid) int8
pg_stat_get_db_tuples_fetched(oid) int8
pg_stat_get_db_tuples_inserted(oid) int8
pg_stat_get_db_tuples_updated(oid) int8
pg_stat_get_db_tuples_deleted(oid) int8
pg_stat_get_db_deadlocks(oid) int8
pg_stat_get_db_temp_files(oid) int8
pg_stat_get_db_temp_bytes(oid) int8
pg_stat_get_db_stat_reset_time(oid) timestamptz
pg_stat_get_last_vacuum_time(oid) timestamptz
pg_stat_get_last_autovacuum_time(oid) timestamptz
pg_stat_get_last_analyze_time(oid) timestamptz
pg_stat_get_last_autoanalyze_time(oid) timestamptz
pg_stat_get_snapshot_timestamp() timestamptz
pg_stat_clear_snapshot() void
pg_last_xact_replay_timestamp() timestamptz
pg_last_wal_receive_lsn() text
pg_last_wal_replay_lsn() text
pg_jit_available() bool
pg_trigger_depth() int4
pg_notification_queue_usage() float8
pg_blocking_pids(int4) int4[]
pg_safe_snapshot_blocking_pids(int4) int4[]
pg_isolation_test_session_is_blocked(int4,int4[]) bool
row_security_active(regclass) bool
`

// inexactFunctions are functions of PostgreSQL that clients write with and the engine
// cannot do exactly: they are refused by name, for they do exist.
var inexactFunctions = []string{
	"jsonb_populate_record", "jsonb_populate_recordset", "json_populate_record", "json_populate_recordset", "jsonb_to_record", "jsonb_to_recordset",
	"json_to_record", "json_to_recordset", "jsonb_path_query_tz", "jsonb_path_query_array_tz", "jsonb_path_query_first_tz", "jsonb_path_exists_tz",
	"jsonb_path_match_tz",
}

// engineOnly are functions of DuckDB that reach files, the network or the
// configuration. Naming one is answered with 42501 and not with 42883, so that
// an audit can tell a probe from a typo.
var engineOnly = map[string]bool{
	"read_csv": true, "read_csv_auto": true, "read_parquet": true, "parquet_scan": true, "read_json": true, "read_json_auto": true,
	"read_json_objects": true, "read_json_objects_auto": true, "read_ndjson": true, "read_ndjson_auto": true, "read_ndjson_objects": true,
	"read_text": true, "read_blob": true, "read_duckdb": true, "sniff_csv": true, "glob": true, "parquet_metadata": true, "parquet_schema": true,
	"parquet_file_metadata": true, "parquet_kv_metadata": true, "parquet_bloom_probe": true, "query": true, "query_table": true,
	"getenv": true, "getvariable": true, "which_secret": true, "load_extension": true, "install_extension": true, "checkpoint": true,
	"force_checkpoint": true, "iceberg_scan": true, "delta_scan": true, "sqlite_scan": true, "postgres_scan": true, "mysql_scan": true,
	"arrow_scan": true, "arrow_scan_dumb": true, "seq_scan": true, "from_substrait": true, "write_log": true, "pg_read_file": true,
	"pg_read_binary_file": true, "pg_ls_dir": true, "pg_stat_file": true, "lo_import": true, "lo_export": true, "read_xlsx": true,
	"http_get": true,
}

package functions

// operatorTable lists PostgreSQL's operators but the comparisons, which every
// type has (operator.go).
const operatorTable = `
+(int2,int2) int2 = CAST({1} + {2} AS SMALLINT)
+(int4,int4) int4
+(int8,int8) int8
+(numeric,numeric) numeric
+(wide,wide) wide = ontosql_wide_add({1}, {2})
+(float4,float4) float4 = ontosql_add({1}, {2})
+(float4,float8) float8 = ontosql_add({1}, {2})
+(float8,float4) float8 = ontosql_add({1}, {2})
+(float8,float8) float8 = ontosql_add({1}, {2})
+(date,int4) date
+(int4,date) date
+(date,interval) timestamp
+(interval,date) timestamp
+(date,time) timestamp
+(time,date) timestamp = ({2} + {1})
+(date,timetz) timestamptz = @moment_of({1}, {2})
+(timetz,date) timestamptz = @moment_of({2}, {1})
+(time,interval) time
+(interval,time) time = ({2} + {1})
+(timetz,interval) timetz = @timetz_plus({1}, @interval_micros({2}))
+(interval,timetz) timetz = @timetz_plus({2}, @interval_micros({1}))
+(timestamp,interval) timestamp
+(timestamptz,interval) timestamptz = @moment_plus({1}, {2})
+(interval,timestamp) timestamp
+(interval,timestamptz) timestamptz = @moment_plus({2}, {1})
+(interval,interval) interval
+(int2|int4|int8|numeric|float4|float8) =1 = (+{1})
+(wide) =1 = {1}
-(int2,int2) int2 = CAST({1} - {2} AS SMALLINT)
-(int4,int4) int4
-(int8,int8) int8
-(numeric,numeric) numeric
-(wide,wide) wide = ontosql_wide_sub({1}, {2})
-(float4,float4) float4 = ontosql_sub({1}, {2})
-(float4,float8) float8 = ontosql_sub({1}, {2})
-(float8,float4) float8 = ontosql_sub({1}, {2})
-(float8,float8) float8 = ontosql_sub({1}, {2})
-(date,int4) date
-(date,date) int4 = @date_sub({1}, {2})
-(date,interval) timestamp
-(time,interval) time
-(time,time) interval = to_microseconds(epoch_us({1}) - epoch_us({2}))
-(timestamp,timestamp) interval = @ts_sub({1}, {2})
-(timestamptz,timestamptz) interval = @ts_sub({1}, {2})
-(timetz,interval) timetz = @timetz_plus({1}, -@interval_micros({2}))
-(timestamp,interval) timestamp
-(timestamptz,interval) timestamptz = @moment_plus({1}, -{2})
-(interval,interval) interval
-(int2|int4|int8) =1 = (0 - {1})
-(numeric|float4|float8|interval) =1 = (-{1})
-(wide) =1 = ontosql_wide_neg({1})
*(int2,int2) int2 = CAST({1} * {2} AS SMALLINT)
*(int4,int4) int4
*(int8,int8) int8
*(numeric,numeric) numeric
*(wide,wide) wide = ontosql_wide_mul({1}, {2})
*(float4,float4) float4 = ontosql_mul({1}, {2})
*(float4,float8) float8 = ontosql_mul({1}, {2})
*(float8,float4) float8 = ontosql_mul({1}, {2})
*(float8,float8) float8 = ontosql_mul({1}, {2})
*(interval,float8) interval = @interval_mul({1}, {2})
*(float8,interval) interval = @interval_mul({2}, {1})
/(int2|int4|int8,int2) =1 = ontosql_div({1}, {2})
/(int4|int8,int4) =1 = ontosql_div({1}, {2})
/(int8,int8) int8 = ontosql_div({1}, {2})
/(numeric,numeric) numeric = CAST(ontosql_numeric_div(@shown_out({1}), @shown_out({2})) AS DECIMAL(38,20))
/(float4,float4) float4 = ontosql_div({1}, {2})
/(float4,float8) float8 = ontosql_div({1}, {2})
/(float8,float4) float8 = ontosql_div({1}, {2})
/(float8,float8) float8 = ontosql_div({1}, {2})
/(interval,float8) interval = @interval_div({1}, {2})
%(int2,int2) int2 = ontosql_mod({1}, {2})
%(int4,int4) int4 = ontosql_mod({1}, {2})
%(int8,int8) int8 = ontosql_mod({1}, {2})
%(numeric,numeric) numeric = @numeric_mod({1}, {2})
%(wide,wide) wide = ontosql_wide_mod({1}, {2})
^(float8,float8) float8 = @power({1}, {2})
^(numeric,numeric) numeric = CAST(ontosql_numeric_power(@shown_out({1}), @shown_out({2})) AS DECIMAL(38,16))
|/(float8) float8 = @sqrt({1})
||/(float8) float8 = cbrt({1})
@(int2|int4|int8|numeric|float4|float8) =1 = abs({1})
@(wide) =1 = ontosql_wide_abs({1})
&(int2,int2) int2
&(int4,int4) int4
&(int8,int8) int8
|(int2,int2) int2
|(int4,int4) int4
|(int8,int8) int8
#(int2,int2) int2 = xor({1}, {2})
#(int4,int4) int4 = xor({1}, {2})
#(int8,int8) int8 = xor({1}, {2})
~(int2|int4|int8) =1 = (~ {1})
<<(int2,int4) int2 = CAST(@shifted({1}, {2} & 31, 65536) AS SMALLINT)
<<(int4,int4) int4 = CAST(@shifted({1}, {2} & 31, 4294967296) AS INTEGER)
<<(int8,int4) int8 = CAST(@shifted({1}, {2} & 63, 18446744073709551616::HUGEINT) AS BIGINT)
>>(int2,int4) int2 = CAST({1} >> ({2} & 31) AS SMALLINT)
>>(int4,int4) int4 = ({1} >> ({2} & 31))
>>(int8,int4) int8 = ({1} >> ({2} & 63))
&(bit,bit) bit = ontosql_bit_combined('AND', {1}, {2})
|(bit,bit) bit = ontosql_bit_combined('OR', {1}, {2})
#(bit,bit) bit = ontosql_bit_combined('XOR', {1}, {2})
~(bit) bit = translate({1}, '01', '10')
<<(bit,int4) bit = ontosql_bit_shifted({1}, CAST({2} AS BIGINT))
>>(bit,int4) bit = ontosql_bit_shifted({1}, -CAST({2} AS BIGINT))
||(varbit,varbit) varbit
||(text,text) text
||(text,any) text = ({1} || @any_out({2}))
||(any,text) text = (@any_out({1}) || {2})
||(array,array) array = @array_cat({1}, {2})
||(array,elem) array = list_append({1}, {2})
||(elem,array) array = list_prepend({1}, {2})
||(bytea,bytea) bytea
~(text|bpchar,text) bool = @regexp_found({1}, {2}, '')
~*(text|bpchar,text) bool = @regexp_found({1}, {2}, 'i')
!~(text|bpchar,text) bool = (NOT @regexp_found({1}, {2}, ''))
!~*(text|bpchar,text) bool = (NOT @regexp_found({1}, {2}, 'i'))
~~(text|bpchar,text) bool = ({1} LIKE {2} ESCAPE '\')
!~~(text|bpchar,text) bool = ({1} NOT LIKE {2} ESCAPE '\')
~~(bytea,bytea) bool = (ontosql_bytes_like({1}, {2}) <> 0)
!~~(bytea,bytea) bool = (ontosql_bytes_like({1}, {2}) = 0)
~~*(text|bpchar,text) bool = ({1} ILIKE {2} ESCAPE '\')
!~~*(text|bpchar,text) bool = ({1} NOT ILIKE {2} ESCAPE '\')
~<~(text,text) bool = ({1} < {2})
~<=~(text,text) bool = ({1} <= {2})
~>~(text,text) bool = ({1} > {2})
~>=~(text,text) bool = ({1} >= {2})
^@(text,text) bool = starts_with({1}, {2})
->(json,text) json = CAST(ontosql_json_member(CAST({1} AS VARCHAR), {2}) AS JSON)
->(json,int4) json = CAST(ontosql_json_element(CAST({1} AS VARCHAR), CAST({2} AS BIGINT)) AS JSON)
->>(json,text) text = @json_text_of(ontosql_json_member(CAST({1} AS VARCHAR), {2}))
->>(json,int4) text = @json_text_of(ontosql_json_element(CAST({1} AS VARCHAR), CAST({2} AS BIGINT)))
->(jsonb,text) jsonb = ({1} -> @json_path({2}))
->(jsonb,int4) jsonb = @json_item({1}, CAST({2} AS BIGINT))
->>(jsonb,text) text = @jsonb_text_in({1}, @json_path({2}))
->>(jsonb,int4) text = @jsonb_texts([@json_item({1}, CAST({2} AS BIGINT))])[1]
#>(json,text[]) json = CAST(ontosql_json_follow(CAST({1} AS VARCHAR), {2}) AS JSON)
#>>(json,text[]) text = @json_text_of(ontosql_json_follow(CAST({1} AS VARCHAR), {2}))
#>(jsonb,text[]) jsonb = @json_get({1}, {2})
#>>(jsonb,text[]) text = @jsonb_texts([@json_get({1}, {2})])[1]
||(jsonb,jsonb) jsonb = CAST(ontosql_jsonb_concat(CAST({1} AS VARCHAR), CAST({2} AS VARCHAR)) AS JSON)
-(jsonb,text) jsonb = CAST(ontosql_jsonb_delete_key(CAST({1} AS VARCHAR), {2}) AS JSON)
-(jsonb,text[]) jsonb = @json_delete_keys({1}, {2})
-(jsonb,int4) jsonb = @json_delete_index({1}, {2})
#-(jsonb,text[]) jsonb = @json_delete_path({1}, {2})
@>(jsonb,jsonb) bool = @json_contains({1}, {2})
<@(jsonb,jsonb) bool = @json_contains({2}, {1})
?(jsonb,text) bool = @json_has({1}, {2})
@?(jsonb,text) bool = (ontosql_json_path_exists(CAST({1} AS VARCHAR), {2}, '', 1, '') <> 0)
@@(jsonb,text) bool = (ontosql_json_path_match(CAST({1} AS VARCHAR), {2}, '', 1, '') <> 0)
?|(jsonb,text[]) bool = @json_has_any({1}, {2})
?&(jsonb,text[]) bool = @json_has_all({1}, {2})
@>(array,array) bool = @has_all({1}, {2})
<@(array,array) bool = @has_all({2}, {1})
&&(array,array) bool = list_has_any({1}, {2})
`

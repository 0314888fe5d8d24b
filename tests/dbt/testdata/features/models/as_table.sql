{{ config(indexes=[{'columns': ['id'], 'unique': true}, {'columns': ['name']}], grants={'select': ['pg_read_all_data']}, pre_hook="insert into {{ target.schema }}.audit values ('pre')", post_hook="insert into {{ target.schema }}.audit values ('post')") }}
select id, name, amount, since from {{ ref('people') }}

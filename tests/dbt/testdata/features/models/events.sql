{{ config(event_time='since') }}
select id, since from {{ ref('people') }}

{{ config(materialized='materialized_view', indexes=[{'columns': ['name']}]) }}
select name, count(*) as n from {{ ref('people') }} group by 1

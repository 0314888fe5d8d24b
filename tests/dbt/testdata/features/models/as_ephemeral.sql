{{ config(materialized='ephemeral') }}
select id, amount * 2 as twice from {{ ref('people') }}

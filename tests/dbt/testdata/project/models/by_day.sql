{{ config(materialized='materialized_view', indexes=[{'columns': ['day'], 'unique': true}]) }}
select placed_at::date as day, count(*) as orders, sum(amount) as amount from {{ ref('loaded') }} group by 1

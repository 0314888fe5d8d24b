{{ config(materialized='ephemeral') }}
select customer, sum(amount) as total, count(*) as orders from {{ ref('loaded') }} group by customer

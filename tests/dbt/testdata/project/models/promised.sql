{{ config(materialized='table', contract={'enforced': true}) }}
select id, customer, amount from {{ ref('loaded') }}

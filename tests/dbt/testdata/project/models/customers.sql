{{ config(
    materialized='table',
    indexes=[{'columns': ['customer'], 'unique': true}, {'columns': ['total', 'orders'], 'type': 'btree'}],
    grants={'select': ['reader']},
    pre_hook="insert into dev.runs values (now(), 'before customers')",
    post_hook=["insert into dev.runs select now(), count(*) || ' customers' from {{ this }}"],
    persist_docs={'relation': true, 'columns': true}
) }}
select customer, total, orders, round(total / orders, 2) as mean from {{ ref('amounts') }}

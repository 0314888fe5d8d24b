{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='placed_at', batch_size='day', begin='2026-01-01', unique_key='id') }}
select id, amount, placed_at from {{ ref('loaded') }}

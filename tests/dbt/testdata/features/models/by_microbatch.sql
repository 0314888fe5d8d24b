{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='since', batch_size='year', begin='2025-01-01', unique_key='id') }}
select id, since from {{ ref('events') }}

{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id', merge_exclude_columns=['customer'], on_schema_change='sync_all_columns') }}
select id, customer, amount{% if var('wide') %}, placed_at{% else %}, updated_at{% endif %} from {{ ref('loaded') }}

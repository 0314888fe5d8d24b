{{ config(materialized='incremental', unique_key='id', on_schema_change='fail') }}
select id, amount{% if var('wide') %}, customer{% endif %} from {{ ref('loaded') }}

{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='customer', on_schema_change='append_new_columns') }}
select customer, sum(amount) as total{% if var('wide') %}, max(id) as last_id{% endif %} from {{ ref('loaded') }} group by customer

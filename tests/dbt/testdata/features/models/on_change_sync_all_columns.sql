{{ config(materialized='incremental', unique_key='id', on_schema_change='sync_all_columns') }}
select id, name{% if var('round', 1) > 1 and 'sync_all_columns' != 'fail' %}, amount{% endif %}{% if var('round', 1) == 1 and 'sync_all_columns' == 'sync_all_columns' %}, since{% endif %} from {{ ref('people') }}

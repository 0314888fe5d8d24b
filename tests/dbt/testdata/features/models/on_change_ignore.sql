{{ config(materialized='incremental', unique_key='id', on_schema_change='ignore') }}
select id, name{% if var('round', 1) > 1 and 'ignore' != 'fail' %}, amount{% endif %}{% if var('round', 1) == 1 and 'ignore' == 'sync_all_columns' %}, since{% endif %} from {{ ref('people') }}

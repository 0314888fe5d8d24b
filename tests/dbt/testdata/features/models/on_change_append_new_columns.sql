{{ config(materialized='incremental', unique_key='id', on_schema_change='append_new_columns') }}
select id, name{% if var('round', 1) > 1 and 'append_new_columns' != 'fail' %}, amount{% endif %}{% if var('round', 1) == 1 and 'append_new_columns' == 'sync_all_columns' %}, since{% endif %} from {{ ref('people') }}

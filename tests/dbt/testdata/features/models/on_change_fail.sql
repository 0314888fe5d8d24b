{{ config(materialized='incremental', unique_key='id', on_schema_change='fail') }}
select id, name{% if var('round', 1) > 1 and 'fail' != 'fail' %}, amount{% endif %}{% if var('round', 1) == 1 and 'fail' == 'sync_all_columns' %}, since{% endif %} from {{ ref('people') }}

select date_trunc('month', created_at) as month, count(*) as commits, sum(row_count) as rows_written, max(commit_id) as last_commit_id
from {{ ref('stg_commits') }}
group by 1

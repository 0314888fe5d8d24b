select commit_id, created_at, actor, message, row_count, types
from {{ source('ontosql', 'commits') }}

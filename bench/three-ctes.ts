/** A saved query of ordinary size: 57 lines, three CTEs, joins of nested records, windows and parameters. */
export const THREE_CTES = `WITH edge AS (
  SELECT
    t.id,
    t.timestamp,
    t.event_message,
    request.method AS method,
    request.path AS path,
    request.host AS host,
    response.status_code AS status_code,
    response.origin_time AS origin_time,
    headers.user_agent AS user_agent,
    cf.country AS country
  FROM edge_logs AS t
  CROSS JOIN UNNEST(metadata) AS m
  CROSS JOIN UNNEST(m.request) AS request
  CROSS JOIN UNNEST(request.headers) AS headers
  LEFT JOIN UNNEST(request.cf) AS cf
  CROSS JOIN UNNEST(m.response) AS response
  WHERE
    t.project = @project
    AND CASE WHEN COALESCE(@iso_timestamp_start, '') = '' THEN TRUE
      ELSE t.timestamp > CAST(@iso_timestamp_start AS TIMESTAMP) END
    AND CASE WHEN COALESCE(@iso_timestamp_end, '') = '' THEN TRUE
      ELSE t.timestamp <= CAST(@iso_timestamp_end AS TIMESTAMP) END
),
by_path AS (
  SELECT
    TIMESTAMP_TRUNC(timestamp, HOUR) AS bucket,
    path,
    COUNT(*) AS requests,
    COUNTIF(status_code >= 500) AS errors,
    COUNTIF(status_code BETWEEN 400 AND 499) AS refused,
    APPROX_QUANTILES(origin_time, 100)[OFFSET(95)] AS p95,
    ARRAY_AGG(DISTINCT country IGNORE NULLS ORDER BY country LIMIT 5) AS countries
  FROM edge
  WHERE method IN ('GET', 'POST', 'PUT') AND path LIKE '/rest/v1/%' AND NOT REGEXP_CONTAINS(user_agent, r'(?i)bot|crawl')
  GROUP BY bucket, path
  HAVING requests > 10
),
ranked AS (
  SELECT
    bucket,
    path,
    requests,
    errors,
    SAFE_DIVIDE(errors, requests) AS error_rate,
    ROUND(p95 / 1000.0, 2) AS p95_seconds,
    ARRAY_LENGTH(countries) AS country_count,
    ROW_NUMBER() OVER (PARTITION BY bucket ORDER BY requests DESC, path) AS rank,
    SUM(requests) OVER (PARTITION BY path ORDER BY bucket ROWS BETWEEN 23 PRECEDING AND CURRENT ROW) AS day
  FROM by_path
)
SELECT bucket, path, requests, errors, FORMAT('%.1f%%', error_rate * 100) AS rate, p95_seconds, country_count, day
FROM ranked
WHERE rank <= 20 AND (error_rate > 0.01 OR requests > 1000)
ORDER BY bucket DESC, rank
LIMIT 500`;

/*---
id: 1b7f3d52-6c1e-4a7e-9d0b-5f2c8e41a690
sandbox: true
parameters:
  project: { type: string, required: true }
---*/
WITH
  plain AS (SELECT t.timestamp, t.id, t.event_message, t.metadata, t.project FROM edge AS t WHERE t.project = @project),
  lowered AS (SELECT t.timestamp, t.id, t.event_message, t.metadata FROM edge AS t WHERE LOWER(t.project) = @project),
  regexed AS (SELECT t.timestamp, t.id, t.event_message, t.metadata FROM edge AS t WHERE REGEXP_CONTAINS(t.project, CONCAT('^', @project, '$'))),
  deep AS (SELECT t.timestamp, t.id, t.event_message, t.metadata FROM edge AS t CROSS JOIN UNNEST(t.metadata) AS m WHERE m.project_ref = @project),
  nested AS (SELECT t.timestamp, t.id, t.event_message, t.metadata FROM edge AS t CROSS JOIN UNNEST(t.metadata) AS m CROSS JOIN UNNEST(m.request) AS r CROSS JOIN UNNEST(r.headers) AS h WHERE h.user_agent = @project),
  joined AS (SELECT t.timestamp, t.id, t.event_message, t.metadata FROM edge AS t JOIN db AS d ON d.project = t.project WHERE d.project = @project),
  joined_view AS (SELECT t.timestamp, t.id, t.event_message, t.metadata FROM edge AS t JOIN (SELECT DISTINCT event_message AS p FROM db WHERE project = @project) AS d ON d.p = t.project),
  in_subquery AS (SELECT t.timestamp, t.id, t.event_message, t.metadata FROM edge AS t WHERE t.project IN (SELECT event_message FROM db WHERE project = @project)),
  exists_subquery AS (SELECT t.timestamp, t.id, t.event_message, t.metadata FROM edge AS t WHERE EXISTS (SELECT 1 FROM db WHERE db.event_message = t.project AND db.project = @project)),
  qualified AS (SELECT t.timestamp, t.id, t.event_message, t.metadata FROM edge AS t WHERE TRUE QUALIFY MAX(t.project) OVER (PARTITION BY t.id) = @project),
  anded AS (SELECT t.timestamp, t.id, t.event_message, t.metadata FROM edge AS t WHERE t.project = @project AND STARTS_WITH(t.id, 'a')),
  alternatives AS (SELECT t.timestamp, t.id, t.event_message, t.metadata FROM edge AS t WHERE (t.project = @project OR t.project = CONCAT(@project, '2'))),
  grouped AS (SELECT MAX(t.timestamp) AS timestamp, t.id AS id, t.event_message, ANY_VALUE(t.project) AS pr FROM edge AS t GROUP BY id, event_message HAVING MAX(t.project) = @project),
  unioned AS (SELECT t.timestamp, t.id, t.event_message, t.metadata FROM (SELECT * FROM edge UNION ALL SELECT * FROM edge) AS t WHERE t.project = @project),
  coalesced AS (SELECT t.timestamp, t.id, t.event_message, t.metadata FROM edge AS t WHERE COALESCE(t.project, 'none') = @project)
SELECT id FROM plain

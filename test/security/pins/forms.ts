/** Forms of queries that read sources with tenants and compare a parameter with a tenant's field somewhere. */
import type { Draft } from "./setups.ts";

export interface Form {
  readonly name: string;
  readonly query: string;
  /** Endpoints that it reads. */
  readonly inner?: readonly Draft[];
  /** A consumer's query over its WITH tables. */
  readonly sql?: string;
}

const x = "WITH x AS (SELECT id, project, n, level FROM edge)";

/** Each compares `@project`, and shows other tenants' rows where that confines no more than the scan below it. */
export const forms: readonly Form[] = [
  {
    name: "UNION ALL with one filtered branch",
    query: `${x} SELECT id FROM x UNION ALL SELECT id FROM x WHERE project = @project`,
  },
  { name: "UNION ALL of tables", query: "SELECT id FROM edge UNION ALL SELECT id FROM edge WHERE project = @project" },
  { name: "another source beside", query: "SELECT id FROM db UNION ALL SELECT id FROM edge WHERE project = @project" },
  {
    name: "a record's tenant beside",
    query: "SELECT id FROM jobs UNION ALL SELECT id FROM edge WHERE project = @project",
  },
  {
    name: "INTERSECT",
    query: `${x} SELECT level FROM x WHERE project = @project UNION ALL (SELECT level FROM x INTERSECT DISTINCT SELECT level FROM x) UNION ALL SELECT id FROM x`,
  },
  {
    name: "EXCEPT of all by own",
    query: `${x} SELECT id FROM x EXCEPT DISTINCT SELECT id FROM x WHERE project = @project`,
  },
  {
    name: "a join of the CTE with itself",
    query: `${x} SELECT a.id, b.id AS other FROM x AS a JOIN x AS b ON a.level = b.level WHERE a.project = @project`,
  },
  {
    name: "a cross join counted",
    query: `${x} SELECT COUNT(*) AS n FROM x AS a CROSS JOIN x AS b WHERE a.project = @project`,
  },
  {
    name: "a LEFT JOIN of all rows",
    query: `${x} SELECT a.id, b.id AS other FROM x AS a LEFT JOIN x AS b ON b.level = a.level AND b.project != a.project WHERE a.project = @project`,
  },
  {
    name: "the ON of a join that keeps its rows",
    query: "SELECT a.id FROM edge AS a LEFT JOIN db AS b ON a.project = @project",
  },
  {
    name: "a FULL JOIN",
    query: "SELECT a.id, b.id AS other FROM edge AS a FULL JOIN db AS b ON a.n = b.n AND a.project = @project",
  },
  {
    name: "a scalar sub-query beside",
    query: `${x} SELECT id, (SELECT MAX(id) FROM x) AS m FROM x WHERE project = @project`,
  },
  {
    name: "a scalar count beside",
    query: "SELECT id, (SELECT COUNT(*) FROM edge) AS n FROM edge WHERE project = @project",
  },
  {
    name: "an ARRAY sub-query",
    query: `${x} SELECT ARRAY(SELECT id FROM x ORDER BY id) AS ids FROM x WHERE project = @project`,
  },
  {
    name: "EXISTS",
    query: `${x} SELECT id, EXISTS(SELECT 1 FROM x WHERE n > 50) AS e FROM x WHERE project = @project`,
  },
  {
    name: "NOT EXISTS of the own rows",
    query:
      "SELECT id FROM edge AS t WHERE NOT EXISTS(SELECT 1 FROM edge AS o WHERE o.project = @project AND o.n = t.n)",
  },
  {
    name: "IN a sub-query",
    query: `${x} SELECT id, n IN (SELECT n - 1 + 1 FROM x WHERE n > 50 UNION ALL SELECT 9 FROM x WHERE n = 100) AS e FROM x WHERE project = @project`,
  },
  {
    name: "a correlated sub-query",
    query: `${x} SELECT a.id, (SELECT COUNT(*) FROM x AS b WHERE b.level = a.level) AS n FROM x AS a WHERE a.project = @project`,
  },
  {
    name: "a CTE of a CTE",
    query: `${x}, y AS (SELECT * FROM x), z AS (SELECT id, project FROM y) SELECT id FROM z WHERE project = @project UNION ALL SELECT id FROM y`,
  },
  {
    name: "a recursive CTE",
    query:
      "WITH RECURSIVE r AS (SELECT id, project, 1 AS k FROM edge UNION ALL SELECT id, project, k + 1 FROM r WHERE k < 2) SELECT id, (SELECT COUNT(*) FROM r) AS n FROM r WHERE project = @project",
  },
  {
    name: "a recursive term that compares",
    query:
      "WITH RECURSIVE r AS (SELECT id, 1 AS k FROM edge UNION ALL SELECT e.id, k + 1 FROM r JOIN edge AS e ON e.project = @project AND e.id = r.id WHERE k < 2) SELECT id, k FROM r",
  },
  {
    name: "a window below",
    query: "SELECT id, c FROM (SELECT id, project, COUNT(*) OVER () AS c FROM edge) WHERE project = @project",
  },
  {
    name: "a rank among all",
    query: `${x} SELECT id, r FROM (SELECT *, RANK() OVER (ORDER BY n DESC) AS r FROM x) WHERE project = @project`,
  },
  {
    name: "QUALIFY",
    query: "SELECT id FROM edge WHERE TRUE QUALIFY ROW_NUMBER() OVER (PARTITION BY project = @project ORDER BY n) = 1",
  },
  {
    name: "a LIMIT below",
    query: "SELECT id FROM (SELECT id, project FROM edge ORDER BY timestamp DESC LIMIT 3) WHERE project = @project",
  },
  {
    name: "a count by comparison",
    query: "SELECT COUNTIF(project = @project) AS own, COUNT(*) AS n, MIN(n) AS low, MAX(n) AS high FROM edge",
  },
  { name: "a comparison as a column", query: "SELECT id, project = @project AS isOwn FROM edge" },
  { name: "IF", query: "SELECT IF(project = @project, id, CONCAT('not ', id)) AS id FROM edge" },
  { name: "a simple CASE", query: "SELECT CASE project WHEN @project THEN 'own' ELSE id END AS id FROM edge" },
  { name: "OR", query: "SELECT id FROM edge WHERE project = @project OR n > 50" },
  {
    name: "OR with a parameter that is NULL",
    query: "SELECT id FROM edge WHERE @project IS NULL OR project = @project OR level = 'info'",
  },
  { name: "IN a list", query: "SELECT id FROM edge WHERE project IN (@project, 'other')" },
  { name: "IN UNNEST", query: "SELECT id FROM edge WHERE project IN UNNEST([@project, 'other'])" },
  {
    name: "IS NOT DISTINCT FROM",
    query: "SELECT id FROM edge WHERE project IS NOT DISTINCT FROM @project OR project IS NULL",
  },
  { name: "structs", query: "SELECT id FROM edge WHERE (project, level) = (@project, 'info') OR n > 50" },
  {
    name: "a choice among values",
    query: "SELECT id FROM edge WHERE COALESCE(project, 'none') = IFNULL(@project, '') OR level = 'info'",
  },
  {
    name: "GROUP BY with a share",
    query: `${x} SELECT level, COUNT(*) AS n FROM x GROUP BY level HAVING COUNT(*) > (SELECT COUNT(*) FROM x WHERE project = @project) - 5`,
  },
  {
    name: "ROLLUP",
    query:
      "SELECT project, COUNT(*) AS n FROM edge GROUP BY ROLLUP (project) HAVING project = @project OR project IS NULL",
  },
  {
    name: "an aggregate below",
    query:
      "SELECT m FROM (SELECT MAX(project) AS m, level FROM edge GROUP BY level) WHERE m >= @project OR m = @project",
  },
  {
    name: "PIVOT",
    query:
      "SELECT * FROM (SELECT level, project = @project AS isOwn FROM edge) PIVOT (COUNT(*) FOR level IN ('info', 'error'))",
  },
  {
    name: "UNPIVOT",
    query: "SELECT id FROM edge UNPIVOT (v FOR k IN (project, level)) WHERE v = @project OR v = 'info'",
  },
  {
    name: "an UNNEST with a condition",
    query: "SELECT t.id FROM jobs AS t LEFT JOIN UNNEST(t.metadata) AS m ON m.ref = @project",
  },
  {
    name: "an UNNEST sub-query",
    query:
      "SELECT t.id, (SELECT COUNT(*) FROM jobs) AS n FROM jobs AS t, UNNEST(t.metadata) AS m WHERE m.ref = @project",
  },
  {
    name: "UNNEST of an array of parameters",
    query: "SELECT t.id, p FROM edge AS t LEFT JOIN UNNEST([@project]) AS p ON t.project = p",
  },
  {
    name: "USING",
    query:
      "SELECT a.id, b.id AS other FROM edge AS a LEFT JOIN (SELECT @project AS project, id FROM db) AS b USING (project)",
  },
  {
    name: "a lateral correlation",
    query:
      "SELECT a.id, b FROM edge AS a, UNNEST(ARRAY(SELECT d.id FROM db AS d WHERE d.level = a.level)) AS b WHERE a.project = @project",
  },
  { name: "a parameter from a sub-query", query: "SELECT id FROM edge WHERE project = (SELECT @project) OR n > 50" },
  { name: "pipes", query: "FROM edge |> EXTEND project = @project AS isOwn |> AGGREGATE COUNT(*) AS n GROUP BY isOwn" },
  {
    name: "a sample",
    query:
      "SELECT COUNT(*) AS n FROM (SELECT * FROM edge TABLESAMPLE SYSTEM (100 PERCENT)) WHERE project = @project OR TRUE",
  },
  { name: "the order of all", query: "SELECT id FROM edge ORDER BY project = @project DESC, n DESC LIMIT 3" },
  {
    name: "an endpoint that reads another twice",
    inner: [{ name: "inner_", query: "SELECT id, project, n FROM edge", parameters: [] }],
    query: "SELECT id FROM inner_ UNION ALL SELECT id FROM inner_ WHERE project = @project",
  },
  {
    name: "an endpoint that reads another once, and a source",
    inner: [{ name: "inner_", query: "SELECT id, project FROM edge WHERE project = @project" }],
    query: "SELECT id FROM inner_ UNION ALL SELECT id FROM db",
  },
  {
    name: "an endpoint that reads one that compares in one branch",
    inner: [{ name: "inner_", query: `${x} SELECT id FROM x UNION ALL SELECT id FROM x WHERE project = @project` }],
    query: "SELECT id FROM inner_",
  },
  {
    name: "an endpoint that reads one which an author closed",
    inner: [{ name: "inner_", query: "SELECT id, project FROM edge", tenantParameter: "none", parameters: [] }],
    query: "SELECT id FROM inner_ UNION ALL SELECT id FROM db WHERE project = @project",
  },
  {
    name: "a consumer's query over a table that is not filtered",
    query: `${x} SELECT id FROM x WHERE project = @project`,
    sql: "SELECT id FROM x",
  },
  {
    name: "a consumer's count",
    query: `${x} SELECT id FROM x WHERE project = @project`,
    sql: "SELECT COUNT(*) AS n, MIN(id) AS low FROM x",
  },
  {
    name: "a consumer's comparison with another's name",
    query: `${x} SELECT id FROM x WHERE project = @project`,
    sql: "SELECT id FROM x WHERE project = 'other' OR project = @project",
  },
  { name: "names of columns", query: "SELECT * FROM edge WHERE project = @project OR TRUE" },
];

/** Queries of which `@project` tells no tenant, with another parameter `@other`. */
export const refusals: readonly Form[] = [
  { name: "no comparison", query: "SELECT id FROM edge" },
  { name: "another field", query: "SELECT id FROM edge WHERE level = @project" },
  { name: "an inequality", query: "SELECT id FROM edge WHERE project != @project" },
  {
    name: "a negated comparison",
    query: "SELECT id FROM edge WHERE NOT (project = @project OR project IN (@project))",
  },
  { name: "a negated IN", query: "SELECT id FROM edge WHERE project NOT IN (@project)" },
  { name: "IS DISTINCT FROM", query: "SELECT id FROM edge WHERE project IS DISTINCT FROM @project" },
  { name: "a negated sub-query", query: "SELECT id FROM edge WHERE project NOT IN (SELECT @project)" },
  { name: "a pattern", query: "SELECT id FROM edge WHERE STARTS_WITH(project, @project) OR project LIKE @project" },
  { name: "another case", query: "SELECT id FROM edge WHERE LOWER(project) = LOWER(@project)" },
  { name: "another source's field", query: "SELECT e.id FROM edge AS e JOIN notes AS n ON n.project = @project" },
  { name: "a text", query: "SELECT id FROM edge WHERE project = 'other'" },
  { name: "another parameter", query: "SELECT id FROM edge WHERE project = @other AND level != @project" },
  { name: "a limit", query: "SELECT id FROM edge ORDER BY id LIMIT 2" },
  { name: "a count", query: "SELECT COUNT(*) AS n, @project AS p FROM edge" },
];

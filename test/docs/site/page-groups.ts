import { posix } from "node:path";
import type { Page } from "./read-page.ts";

/** The order of the navigation: titles of groups, and the pages of each, as files of the checkout. */
const pageGroups: readonly (readonly [title: string, pages: readonly string[]])[] = [
  [
    "Begin",
    [
      "README.md",
      "docs/first-steps.md",
      "docs/console.md",
      "docs/guide-versioned-endpoint-in-ci.md",
      "docs/upgrading.md",
      "CHANGELOG.md",
    ],
  ],
  [
    "Ask",
    [
      "docs/api.md",
      "docs/endpoints.md",
      "docs/endpoint-tests.md",
      "docs/googlesql.md",
      "docs/lql.md",
      "docs/caching.md",
      "docs/errors.md",
      "docs/cli.md",
      "docs/clients.md",
      "docs/mcp.md",
      "docs/bigquery.md",
      "docs/loki.md",
      "docs/otel-logs.md",
    ],
  ],
  ["Send and be told", ["docs/event-model.md", "docs/senders.md", "docs/drains.md", "docs/alerts.md"]],
  [
    "Operate",
    [
      "docs/configuration.md",
      "docs/containers.md",
      "docs/proxy.md",
      "docs/storage.md",
      "docs/clickhouse.md",
      "docs/nodes.md",
      "docs/migrate-data.md",
      "docs/scale.md",
      "docs/benchmarks.md",
      "docs/security.md",
      "docs/audit.md",
      "SECURITY.md",
    ],
  ],
  ["Work on it", ["CONTRIBUTING.md", "docs/releasing.md", "docs/decisions/README.md"]],
];

/** A group of the navigation. */
export interface PageGroup {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** The pages by group, each in its order; those of decisions follow of themselves. */
export function groupPages(pages: readonly Page[]): readonly PageGroup[] {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const groups = pageGroups.map(([title, paths]) => ({
    title,
    pages: paths.flatMap((path) => byPath.get(path) ?? []),
  }));
  const decisions = pages.filter(({ path }) => posix.dirname(path) === "docs/decisions" && !path.endsWith("README.md"));
  return [...groups, { title: "Decisions", pages: decisions }].filter((group) => group.pages.length > 0);
}

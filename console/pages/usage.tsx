import { useEffect, useMemo, useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Segments } from "../components/layout.tsx";
import { Loaded } from "../components/loaded.tsx";
import { Empty } from "../components/notices.tsx";
import { type Area, StackedAreas } from "../components/stacked-areas.tsx";
import { TableCard } from "../components/table-card.tsx";
import { areas, readAllUsage, readUsage, sumUp, totalOf, type Usage, usageEndpoint } from "../lib/usage.ts";
import { useLoad } from "../lib/use-load.ts";
import { formatCount } from "../lib/values.ts";
import { linkedProject, session } from "../state/session.ts";

const intervals = [
  ["minutely", "Last hour, by minute"],
  ["hourly", "Last hour, by hour"],
  ["daily", "Last 7 days, by day"],
] as const;
/** Colours of projects beside each other; further projects share the last. */
const colors = ["--series-redirect", "--series-ok", "--series-warning", "--series-error", "--series-other"] as const;
const lastColor = "--series-other";

/** True where the token may see it. */
export function hasUsage(endpoints: readonly { readonly name: string }[]): boolean {
  return endpoints.some(({ name }) => name === usageEndpoint);
}

/** Requests by area of a project, or for owners by project, over the endpoint's three intervals. */
export function UsagePage() {
  const pin = session.value?.token.pins.project;
  const pinned = typeof pin === "string" ? pin : undefined;
  const choices = Array.isArray(pin) ? pin : undefined;
  const mayAll = session.value?.may.manage === true;
  const [project, setProject] = useState<string | undefined>(
    pinned ?? linkedProject.value ?? (mayAll ? undefined : (choices?.[0] ?? "default")),
  );
  const [interval, setInterval] = useState<(typeof intervals)[number][0]>("minutely");
  const load = useLoad(
    async (signal) => {
      if (project === undefined) return { isAll: true, usages: await readAllUsage(interval, signal) };
      return { isAll: false, usages: [await readUsage(pinned === undefined ? project : undefined, interval, signal)] };
    },
    [interval, project],
  );
  return (
    <div class="page">
      <div class="page-head">
        <h1>Usage</h1>
        <Segments label="Interval" choices={intervals} value={interval} onChange={setInterval} />
        {pinned === undefined && (
          <ProjectChoice project={project} mayAll={mayAll} choices={choices} onChoose={setProject} />
        )}
      </div>
      <Loaded load={load}>
        {({ isAll, usages }) => {
          const [only] = usages;
          if (only === undefined || only.rows.length === 0) return <Empty title="No requests in this time" />;
          return isAll ? <AllProjects usages={usages} onChoose={setProject} /> : <OneProject usage={only} />;
        }}
      </Loaded>
    </div>
  );
}

interface ProjectChoiceProps {
  readonly project: string | undefined;
  readonly mayAll: boolean;
  /** The only ones, if the token has a list. */
  readonly choices: readonly string[] | undefined;
  readonly onChoose: (project: string | undefined) => void;
}

function ProjectChoice({ project, mayAll, choices = [], onChoose }: ProjectChoiceProps) {
  const [draft, setDraft] = useState(project ?? "");
  useEffect(() => setDraft(project ?? ""), [project]);
  return (
    <form
      class="row wrap"
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.trim() !== "") onChoose(draft.trim());
      }}
    >
      {mayAll && (
        <Button text="All projects" aria-pressed={project === undefined} onClick={() => onChoose(undefined)} />
      )}
      <label class="row" for="usage-project">
        <span class="soft">project</span>
        <input
          id="usage-project"
          class="input"
          list="usage-projects"
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
        />
      </label>
      <datalist id="usage-projects">
        {choices.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <Button type="submit" text="Show" />
    </form>
  );
}

/** The endpoint writes times without a zone; they are UTC. */
function toMs(time: unknown): number {
  return Date.parse(`${String(time)}Z`);
}

function OneProject({ usage: { rows } }: { readonly usage: Usage }) {
  const times = useMemo(() => rows.map(({ timestamp }) => toMs(timestamp)), [rows]);
  const shown = useMemo(
    () =>
      areas.map(([area, name, color]): Area => ({ name, color, counts: rows.map((row) => Number(row[area] ?? 0)) })),
    [rows],
  );
  return (
    <>
      <div class="tiles">
        {areas.map(([area, label, color]) => (
          <div key={area} class="card tile">
            <span class="soft">
              <span class="swatch" style={{ background: `var(${color})` }} />
              {label}
            </span>
            <b>{formatCount(totalOf(rows, area))}</b>
          </div>
        ))}
      </div>
      <section class="card card-body" aria-label="Requests over time">
        <StackedAreas times={times} areas={shown} />
      </section>
    </>
  );
}

interface AllProjectsProps {
  readonly usages: readonly Usage[];
  readonly onChoose: (project: string) => void;
}

function AllProjects({ usages, onChoose }: AllProjectsProps) {
  const { times, shown } = useMemo(() => {
    const summed = sumUp(usages);
    return {
      times: summed.times.map(toMs),
      shown: usages.map(({ name }, index): Area => {
        return { name, color: colors[index] ?? lastColor, counts: summed.counts[index] ?? [] };
      }),
    };
  }, [usages]);
  return (
    <>
      <section class="card card-body" aria-label="Requests over time">
        <StackedAreas times={times} areas={shown} />
      </section>
      <TableCard
        label="Requests by project"
        headings={["Project", ...areas.map(([, label]) => ({ ofNumbers: label })), { ofNumbers: "All" }]}
      >
        {usages.map(({ name, rows }, index) => (
          <tr key={name}>
            <td>
              <span class="swatch" style={{ background: `var(${colors[index] ?? lastColor})` }} />
              <button type="button" class="link" onClick={() => onChoose(name)}>
                {name}
              </button>
            </td>
            {areas.map(([area]) => (
              <td key={area} class="number">
                {formatCount(totalOf(rows, area))}
              </td>
            ))}
            <td class="number">{formatCount(totalOf(rows))}</td>
          </tr>
        ))}
      </TableCard>
    </>
  );
}

import { useCallback } from "preact/hooks";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/operations.ts";
import { describeRetention } from "../../lib/retention.ts";
import { readSourceDraft } from "../../lib/source-draft.ts";
import { formatAgo } from "../../lib/time.ts";
import { type Load, useLoad } from "../../lib/use-load.ts";
import { countableFields, formatCount } from "../../lib/values.ts";
import { linkTo, navigate } from "../../state/route.ts";
import { refreshSession } from "../../state/session.ts";
import { EditAndDelete } from "../confirm.tsx";
import { Histogram } from "../histogram.tsx";
import { Card, Figures } from "../layout.tsx";
import { Loaded } from "../loaded.tsx";
import { SendCard } from "../send-card.tsx";
import { Table } from "../table-card.tsx";
import { SourceForm } from "./source-form.tsx";

const dayMs = 864e5;
/** Fields whose presence is counted, which one call bounds. */
const countedFields = 30;
const shownFields = 500;

type SourceField = Answers["getSourceSchema"]["fields"][number];
type Overview = Answers["countRows"]["result"];

/** Counts the events of the last day by quarters of an hour, and how many of them had each field. */
async function countLastDay(name: string, fields: readonly SourceField[], signal: AbortSignal): Promise<Overview> {
  const now = Date.now();
  const counted = countableFields(fields).slice(0, countedFields);
  const { result } = await callApi("countRows", {
    path: { endpoint: `source:${name}` },
    signal,
    body: {
      from: new Date(now - dayMs).toISOString(),
      to: new Date(now).toISOString(),
      buckets: 96,
      facets: counted.map(({ path }) => path),
      values: 100,
    },
  });
  return result;
}

/** A source: how much came in the last day, its fields with types and how often they are there, how to send. */
export function SourceDetail({ name }: { readonly name: string }) {
  const source = useLoad((signal) => callApi("getSource", { path: { source: name }, signal }), [name]);
  const schema = useLoad((signal) => callApi("getSourceSchema", { path: { source: name }, signal }), [name]);
  const volume = useLoad(
    async (signal) => (schema.value === undefined ? undefined : countLastDay(name, schema.value.fields, signal)),
    [name, schema.value],
  );
  const intake = useLoad(
    async (signal) => {
      const { since, sources } = await callApi("countIntake", { signal });
      const found = sources.find((each) => each.source === name);
      return found === undefined ? undefined : { since, ...found };
    },
    [name, source.value?.retention_days],
  );
  const reload = () => {
    volume.reload();
    intake.reload();
  };
  return (
    <div class="page">
      <div class="page-head">
        <h1 class="mono">{name}</h1>
        <a href={linkTo("sources")}>All sources</a>
        <a class="grow" href={linkTo("explore", new URLSearchParams({ s: `source:${name}`, r: "24h" }))}>
          Explore
        </a>
        {source.value !== undefined && <SourceActions source={source.value} onChanged={source.reload} />}
      </div>
      {source.value !== undefined && <p class="soft plain-text">{source.value.description}</p>}
      <Volume name={name} load={volume} />
      <Intake load={intake} />
      <SendCard source={name} onSent={reload} />
      <section class="card" aria-label="Fields">
        <div class="card-head">
          <h2 class="grow">Fields</h2>
          <span class="faint">
            {schema.value?.fields.length ?? 0} fields, with the share of the last day's events that have them
          </span>
        </div>
        <Loaded load={schema}>{({ fields }) => <Fields fields={fields} overview={volume.value} />}</Loaded>
      </section>
    </div>
  );
}

/** Dragging over it explores the part. */
function Volume({ name, load }: { readonly name: string; readonly load: Load<Overview | undefined> }) {
  const explore = useCallback(
    (fromMs: number, toMs: number) => {
      const r = `${new Date(fromMs).toISOString()}..${new Date(toMs).toISOString()}`;
      navigate("explore", new URLSearchParams({ s: `source:${name}`, r }));
    },
    [name],
  );
  return (
    <Card
      label="Volume"
      title="The last day"
      body="chart-place"
      head={load.value !== undefined && <span class="soft">{formatCount(load.value.total)} events</span>}
    >
      <Loaded load={load}>
        {(overview) => (overview === undefined ? null : <Histogram overview={overview} onSelect={explore} />)}
      </Loaded>
    </Card>
  );
}

interface FieldsProps {
  readonly fields: readonly SourceField[];
  readonly overview: Overview | undefined;
}

function Fields({ fields, overview }: FieldsProps) {
  const total = overview?.total ?? 0;
  const missing = new Map(
    overview?.facets.map(({ path, values }) => [path, values.find(({ value }) => value === null)?.count ?? 0]) ?? [],
  );
  const shareOf = (path: string) => {
    const without = missing.get(path);
    return without === undefined || total === 0 ? "" : `${Math.round((100 * (total - without)) / total)}%`;
  };
  return (
    <Table headings={["Field", "Type", { ofNumbers: "In events" }]}>
      {fields.slice(0, shownFields).map(({ path, type }) => (
        <tr key={path}>
          <td class="mono">{path}</td>
          <td class="mono soft name">{type}</td>
          <td class="number">{shareOf(path)}</td>
        </tr>
      ))}
    </Table>
  );
}

type SourceIntake = Answers["countIntake"]["sources"][number];

/** Shows the outcome of received events since the service started: lag, retention, and reasons for rejections. */
function Intake({ load }: { readonly load: Load<(SourceIntake & { readonly since: string }) | undefined> }) {
  return (
    <Card
      label="What was sent"
      head={
        load.value !== undefined && (
          <span class="faint">since the service started, {formatAgo(Date.parse(load.value.since), Date.now())}</span>
        )
      }
    >
      <Loaded load={load}>{(intake) => (intake === undefined ? null : <IntakeFigures intake={intake} />)}</Loaded>
    </Card>
  );
}

function IntakeFigures({ intake }: { readonly intake: SourceIntake }) {
  const { newest_event: newest, retention_days: days, reasons } = intake;
  const figures: readonly (readonly [string, string])[] = [
    ["Stored", formatCount(intake.stored)],
    ["Rejected", formatCount(intake.rejected)],
    ["Bodies refused", formatCount(intake.refused_bodies)],
    ["Without a usable time", formatCount(intake.untimed)],
    ["Newest event", newest === null ? "none yet" : formatAgo(Date.parse(newest), Date.now())],
    ["Retention", describeRetention(days)],
  ];
  return (
    <>
      <Figures figures={figures} />
      {reasons.length > 0 && (
        <Table headings={["Why it was rejected", { ofNumbers: "Times" }, "Last"]}>
          {reasons.map(({ reason, count, newest: at }) => (
            <tr key={reason}>
              <td class="plain-text">{reason}</td>
              <td class="number">{formatCount(count)}</td>
              <td style={{ whiteSpace: "nowrap" }}>{formatAgo(Date.parse(at), Date.now())}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

interface SourceActionsProps {
  readonly source: Answers["getSource"];
  readonly onChanged: () => void;
}

/** Edits and deletes a source; one of a file, or of the service, is only shown. */
function SourceActions({ source, onChanged }: SourceActionsProps) {
  const { name } = source;
  if (source.read_only) return <span class="badge">file or built in</span>;
  return (
    <EditAndDelete
      kind="source"
      form={(onSaved) => <SourceForm isNew={false} draft={readSourceDraft(source)} onSaved={onSaved} />}
      onSaved={onChanged}
      consequence={`${name} is deleted with all of its events.`}
      remove={() => callApi("deleteSource", { path: { source: name } })}
      onRemoved={() => {
        void refreshSession();
        navigate("sources");
      }}
    />
  );
}

import { callApi } from "../api/client.ts";
import type { Answers } from "../api/operations.ts";
import { Icon } from "../components/icon.tsx";
import { Loaded } from "../components/loaded.tsx";
import { SendCard } from "../components/send-card.tsx";
import { SourceDetail } from "../components/source/source-detail.tsx";
import { SourceForm } from "../components/source/source-form.tsx";
import { TableCard } from "../components/table-card.tsx";
import { describeRetention } from "../lib/retention.ts";
import { newSource } from "../lib/source-draft.ts";
import { formatAgo } from "../lib/time.ts";
import { useLoad } from "../lib/use-load.ts";
import { formatCount } from "../lib/values.ts";
import { linkTo, navigate, route } from "../state/route.ts";
import { say } from "../state/toasts.ts";

type SourceRow = Answers["listSources"][number];

/** Where events come from. */
export function SourcesPage() {
  const [, name] = route.value.path.split("/");
  if (name === undefined) return <SourceList />;
  return name === "new" ? <NewSource /> : <SourceDetail key={name} name={name} />;
}

function NewSource() {
  return (
    <div class="page">
      <div class="page-head">
        <h1>New source</h1>
        <a href={linkTo("sources")}>All sources</a>
      </div>
      <section class="card" aria-label="New source">
        <div class="card-body">
          <SourceForm
            isNew
            draft={newSource}
            onSaved={(name) => {
              say(`Created ${name}`);
              navigate(`sources/${name}`);
            }}
          />
        </div>
      </section>
    </div>
  );
}

const headings = ["Name", "Description", "Newest event", { ofNumbers: "Rejected" }, { ofNumbers: "Retention" }];

function SourceList() {
  const load = useLoad(async (signal) => {
    const listed = await callApi("listSources", { signal });
    return listed.filter(({ alias_of: name }) => name === undefined);
  }, []);
  const intake = useLoad(async (signal) => {
    const { sources } = await callApi("countIntake", { signal });
    return new Map(sources.map((each) => [each.source, each]));
  }, []);
  const rejectedOf = (name: string) => {
    const { rejected = 0, refused_bodies: bodies = 0 } = intake.value?.get(name) ?? {};
    return rejected + bodies;
  };
  return (
    <div class="page">
      <div class="page-head">
        <h1>Sources</h1>
        <p class="soft grow">Where events come from, and when each last sent one</p>
        <a class="button primary" href={linkTo("sources/new")}>
          <Icon name="plus" /> New source
        </a>
      </div>
      <Loaded load={load}>
        {(sources) => (
          <TableCard label="Sources" headings={headings}>
            {sources.map((source) => (
              <SourceLine key={source.name} source={source} rejected={rejectedOf(source.name)} />
            ))}
          </TableCard>
        )}
      </Loaded>
      <SendCard
        source={undefined}
        onSent={() => {
          load.reload();
          intake.reload();
        }}
      />
    </div>
  );
}

function SourceLine({ source, rejected }: { readonly source: SourceRow; readonly rejected: number }) {
  const { name, description, newest_event: newest, retention_days: days } = source;
  return (
    <tr>
      <td>
        <a class="mono name" href={linkTo(`sources/${name}`)}>
          {name}
        </a>
      </td>
      <td class="soft">{description}</td>
      <td class="name">
        {newest === null || newest === undefined ? (
          <span class="faint">none yet</span>
        ) : (
          formatAgo(Date.parse(newest), Date.now())
        )}
      </td>
      <td class="number">
        {rejected > 0 ? <span class="badge warning">{formatCount(rejected)}</span> : <span class="faint">0</span>}
      </td>
      <td class="number">{describeRetention(days)}</td>
    </tr>
  );
}

import { callApi } from "../api/client.ts";
import { Loaded } from "../components/loaded.tsx";
import { SendCard } from "../components/send-card.tsx";
import { SourceDetail } from "../components/source-detail.tsx";
import { formatAgo } from "../lib/time.ts";
import { useLoad } from "../lib/use-load.ts";
import { formatCount } from "../lib/values.ts";
import { linkTo, route } from "../state/route.ts";

interface SourceRow {
  readonly name: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly retention_days: number | null;
  readonly newest_event?: string | null;
  readonly alias_of?: string;
}

/** Where events come from. */
export function SourcesPage() {
  const [, name] = route.value.path.split("/");
  return name === undefined ? <SourceList /> : <SourceDetail key={name} name={name} />;
}

function SourceList() {
  const load = useLoad(async (signal) => {
    const listed = (await callApi("listSources", { signal })) as unknown as readonly SourceRow[];
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
        <p class="soft">Where events come from, and when they last came</p>
      </div>
      <Loaded load={load}>
        {(sources) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
          <section class="card scroll-x" tabIndex={0} aria-label="Sources">
            <table class="table">
              <thead>
                <tr>
                  <th>Name</th>
                  <th>Description</th>
                  <th>Newest event</th>
                  <th class="number">Rejected</th>
                  <th class="number">Kept</th>
                </tr>
              </thead>
              <tbody>
                {sources.map(({ name, description, newest_event: newest, retention_days: days }) => (
                  <tr key={name}>
                    <td>
                      <a class="mono" href={linkTo(`sources/${name}`)}>
                        {name}
                      </a>
                    </td>
                    <td class="soft">{description}</td>
                    <td>
                      {newest === null || newest === undefined ? (
                        <span class="faint">none yet</span>
                      ) : (
                        formatAgo(Date.parse(newest), Date.now())
                      )}
                    </td>
                    <td class="number">
                      {rejectedOf(name) > 0 ? (
                        <span class="badge warning">{formatCount(rejectedOf(name))}</span>
                      ) : (
                        <span class="faint">0</span>
                      )}
                    </td>
                    <td class="number">{days === null ? "for good" : `${days} days`}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
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

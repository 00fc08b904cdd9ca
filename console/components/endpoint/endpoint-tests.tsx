import { useState } from "preact/hooks";
import { callApi } from "../../api/client.ts";
import type { Answers, Endpoint } from "../../api/operations.ts";
import { formatAgo } from "../../lib/time.ts";
import { useAction } from "../../lib/use-form.ts";
import { useLoad } from "../../lib/use-load.ts";
import { Button } from "../button.tsx";
import { Card } from "../layout.tsx";
import { Loaded } from "../loaded.tsx";
import { ErrorNotice, Spinner } from "../notices.tsx";

type Tests = Answers["getTests"];

/** The tests beside the endpoint's file, and how they went last. */
export function EndpointTests({ endpoint }: { readonly endpoint: Endpoint }) {
  const path = { endpoint: endpoint.id };
  const load = useLoad((signal) => callApi("getTests", { path, signal }), [endpoint.id]);
  const [ran, setRan] = useState<Tests | undefined>();
  const { error, isRunning, run } = useAction(async () => setRan(await callApi("runTests", { path })));
  const hasTests = load.value?.has_tests === true;
  return (
    <Card
      label="Tests"
      head={
        <>
          {isRunning && <Spinner label="Running the tests" />}
          {hasTests && (
            <Button class="small" icon="check" text="Run the tests" disabled={isRunning} onClick={() => void run()} />
          )}
        </>
      }
    >
      {error !== undefined && <ErrorNotice error={error} />}
      <Loaded load={load}>{(loaded) => <Outcomes tests={ran ?? loaded} />}</Loaded>
    </Card>
  );
}

function Outcomes({ tests: { has_tests: hasTests, last } }: { readonly tests: Tests }) {
  if (!hasTests) return <p class="faint">None: tests lie beside an endpoint's file, as NAME.test.yaml</p>;
  if (last === null) return <p class="faint">They did not run since the service started</p>;
  return (
    <>
      <div class="row wrap">
        <span class="badge success">{last.passed} passed</span>
        {last.failed > 0 && <span class="badge danger">{last.failed} failed</span>}
        <span class="faint">
          version {last.version}, {formatAgo(Date.parse(last.ran_at), Date.now())}
        </span>
      </div>
      <ul class="stack" style={{ gap: "4px" }}>
        {last.tests.map(({ name, is_passed: isPassed, ms, difference }) => (
          <li key={name}>
            <div class="row">
              <span class={isPassed ? "badge success" : "badge danger"}>{isPassed ? "passed" : "failed"}</span>
              <span class="grow">{name}</span>
              <span class="faint">{ms} ms</span>
            </div>
            {difference !== null && <pre class="code">{difference}</pre>}
          </li>
        ))}
      </ul>
    </>
  );
}

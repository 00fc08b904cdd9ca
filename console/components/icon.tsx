/** Icons on a grid of 16, as paths of one stroke. */
const paths = {
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.7-1.3L14 14",
  endpoint: "M2 4h5v8H2zM9 8h5M11.5 5.5 14 8l-2.5 2.5",
  source:
    "M2.5 4c0-1.1 2.5-2 5.5-2s5.5.9 5.5 2-2.5 2-5.5 2-5.5-.9-5.5-2Zm0 0v8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2V4M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2",
  usage: "M2 14h12M4 11V8M8 11V3M12 11V6",
  access: "M10.5 9A3.5 3.5 0 1 0 7.2 6.700L2 12v2h2.5v-1.5H6V11h1.5l2-2.100c.3.1.6.1 1 .1ZM11 5.5h.01",
  audit: "M4 2h6l3 3v9H4zM6.5 7.5h4M6.5 10.5h4",
  store: "M2 3h12v4H2zM2 9h12v4H2zM4.5 5h.01M4.5 11h.01",
  play: "M5 3v10l8-5z",
  pause: "M5 3v10M11 3v10",
  stop: "M4 4h8v8H4z",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  link: "M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13A3 3 0 0 1 3 8.5L4.5 7",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.5V8l2.5 1.5",
  download: "M8 2v8M5 7l3 3 3-3M2.5 13.5h11",
  bookmark: "M4 2h8v12l-4-3-4 3z",
  columns: "M2 3h12v10H2zM6 3v10M10 3v10",
  chevron: "M6 4l4 4-4 4",
  down: "M4 6l4 4 4-4",
  help: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.2 6.200a1.8 1.8 0 1 1 2.6 1.600c-.5.3-.8.6-.8 1.200M8 11.200h.01",
  theme: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 2v12M8 5l4-1M8 8h6M8 11l4 1",
  signout: "M6 2H3v12h3M10 5l3 3-3 3M13 8H6",
  around: "M4 3h9M4 8h9M4 13h9M1 8h.01",
  filter: "M2 3h12L9.5 8.5V13l-3-1.5v-3z",
  refresh: "M13.5 8a5.5 5.5 0 1 1-1.6-3.900M13.5 2v3h-3",
  edit: "M3 13l.5-2.5 7-7 2 2-7 7z",
  trash: "M3 4.5h10M6 4.5V2.5h4v2M4.5 4.5l.5 9h6l.5-9",
  check: "M3 8.5l3.5 3.5L13 5",
  warning: "M8 2.5 14.5 13.5h-13zM8 6.5v3M8 11.5h.01",
  pattern: "M2 4h3M7 4h7M2 8h6M10 8h4M2 12h4M8 12h6",
  send: "M14 2 2 7l5 2 2 5zM7 9l7-7",
} as const;

export type IconName = keyof typeof paths;

/** A picture beside words, or in a button that has a label. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

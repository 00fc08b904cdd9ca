/** The destination of a drain as a form holds it: texts, empty for what is not set. */
export interface BackendDraft {
  readonly name: string;
  readonly description: string;
  readonly type: BackendType;
  /** The fields of its type but for headers and gzip. */
  readonly config: Readonly<Record<string, string>>;
  /** `Name: value`, one a line. */
  readonly headers: string;
  readonly isCompressed: boolean;
}

export type BackendType = keyof typeof backendFields;

/** A field of a destination's configuration. */
export interface ConfigField {
  readonly name: string;
  readonly label: string;
  readonly isSecret?: boolean;
}

const url = (label: string): ConfigField => ({ name: "url", label });

/** The fields that a destination of each type has, beside headers and gzip. */
export const backendFields = {
  webhook: [url("Address")],
  otlp: [url("Address of the collector")],
  s3: [
    url("Address of the bucket, with a folder"),
    { name: "region", label: "Region (us-east-1 unless set)" },
    { name: "access_key_id", label: "Access key id" },
    { name: "secret_access_key", label: "Secret access key", isSecret: true },
  ],
  loki: [
    url("Address"),
    { name: "username", label: "User (optional)" },
    { name: "password", label: "Password (optional)", isSecret: true },
  ],
  logweir: [
    url("Address of the other Logweir"),
    { name: "token", label: "Token", isSecret: true },
    { name: "source", label: "Source (the one of the same name unless set)" },
  ],
} as const satisfies Readonly<Record<string, readonly ConfigField[]>>;

/** The types in the order in which they are offered. */
export const backendTypes = Object.keys(backendFields) as readonly BackendType[];

/** The draft of a new destination. */
export const newBackend: BackendDraft = {
  name: "",
  description: "",
  type: "webhook",
  config: {},
  headers: "",
  isCompressed: true,
};

interface ShownBackend {
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly config: object;
}

/** The draft of a destination that the API shows; masks stand for its secrets. */
export function readBackendDraft({ name, description, type, config }: ShownBackend): BackendDraft {
  const { headers = {}, gzip, ...rest } = config as Readonly<Record<string, unknown>>;
  const texts = Object.entries(rest).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const lines = Object.entries(headers as Readonly<Record<string, string>>).map(([key, value]) => `${key}: ${value}`);
  return {
    name,
    description,
    type: backendTypes.find((each) => each === type) ?? "webhook",
    config: Object.fromEntries(texts),
    headers: lines.join("\n"),
    isCompressed: gzip !== false,
  };
}

/** The document of the API. Throws `Error` for a line of the headers that is no header. */
export function toBackendDocument({ name, description, type, config, headers, isCompressed }: BackendDraft) {
  const given = backendFields[type].flatMap(({ name: field }) => {
    const text = (config[field] ?? "").trim();
    return text === "" ? [] : [[field, text] as const];
  });
  return {
    name: name.trim(),
    description: description.trim(),
    type,
    config: { ...Object.fromEntries(given), headers: readHeaders(headers), gzip: isCompressed },
  };
}

function readHeaders(text: string): Readonly<Record<string, string>> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [, key, value] = /^\s*([^\s:]+)\s*:\s*(.*\S)\s*$/.exec(line) ?? [];
      if (key === undefined || value === undefined)
        throw new Error("A header is no line such as Authorization: Bearer abc");
      return [key, value];
    }),
  );
}

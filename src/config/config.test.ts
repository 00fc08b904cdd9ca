import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError, readClientDefaults, readConfiguration } from "./config.ts";
import type { SettingDefinition } from "./setting-definition.ts";
import { variableOf } from "./setting-definition.ts";
import { settingDefinitions } from "./settings.ts";

const workingDir = mkdtempSync(join(tmpdir(), "logweir-config-"));
const places = { workingDir, packageDir: "/package" };

describe("the settings", () => {
  it("have defaults that work without any variable", () => {
    const { settings } = readConfiguration(places, {});
    expect(settings).toMatchObject({ host: "127.0.0.1", port: 4000, queryTimeoutMs: 30_000, maxBodyBytes: 12_000_000 });
    expect(settings.dataDir).toBe(join(workingDir, "data"));
    expect(settings.endpointFolders).toEqual(["/package/endpoints"]);
    expect(settings.sourceFolders).toEqual(["/package/sources"]);
    expect(settings.privateToken).toBeUndefined();
  });

  it("find alert files in the working folder, or where they are named", () => {
    const own = mkdtempSync(join(tmpdir(), "logweir-alerts-"));
    const folderOf = (env: Record<string, string>) =>
      readConfiguration({ workingDir: own, packageDir: "/package" }, env).settings.alertFolder;
    expect(folderOf({})).toBeUndefined();
    expect(folderOf({ LOGWEIR_ALERTS_DIR: "other" })).toBe(join(own, "other"));
    mkdirSync(join(own, "alerts"));
    expect([folderOf({}), folderOf({ LOGWEIR_ALERTS_DIR: "other" })]).toEqual([
      join(own, "alerts"),
      join(own, "other"),
    ]);
  });

  it("take a server for mail with its sender, and print it without its user and password", () => {
    const read = (url: string, from = "a@here.example") =>
      readConfiguration(places, { LOGWEIR_SMTP_URL: url, LOGWEIR_SMTP_FROM: from }).settings;
    const { mask } = settingDefinitions.smtpUrl;
    for (const [url, shown] of [
      ["smtp://mail.example", "smtp://mail.example"],
      ["smtps://us%40er:p%40ss@mail.example:465/", "smtps://********@mail.example:465"],
      ["smtp://[::1]:25", "smtp://[::1]:25"],
    ] as const) {
      expect([read(url).smtpUrl, mask(url)]).toEqual([url, shown]);
    }
    for (const url of [
      ...[
        "mail.example:25",
        "http://mail.example",
        "smtp://",
        "smtp://h/path",
        "smtp://h?tls.rejectUnauthorized=false",
      ],
      ...["smtp://h#x", "smtp://u:%zz@h"],
    ]) {
      expect(() => read(url), url).toThrow(/LOGWEIR_SMTP_URL: must be smtp:/);
      expect(mask(url)).toBe("(set)");
    }
    for (const from of ["here.example", "Logweir <a@here.example>", "a@here.example\nBcc: b"]) {
      expect(() => read("smtp://h", from), from).toThrow(/LOGWEIR_SMTP_FROM: must be an address/);
    }
    for (const env of [{ LOGWEIR_SMTP_URL: "smtp://h" }, { LOGWEIR_SMTP_FROM: "a@b" }]) {
      expect(() => readConfiguration(places, env)).toThrow("LOGWEIR_SMTP_URL and LOGWEIR_SMTP_FROM belong together");
    }
  });

  it("names a file of settings that cannot be read", () => {
    const problem = /^LOGWEIR_CONFIG: .* cannot be read: EISDIR/;
    expect(() => readConfiguration(places, { LOGWEIR_CONFIG: tmpdir() })).toThrow(problem);
  });

  it("refuses one value for two fixed tokens, whoever's variables they are in", () => {
    const [one, other] = ["a-token-of-20-letters", "b-token-of-20-letters"];
    const env = { LOGWEIR_PRIVATE_TOKEN: one, LOGFLARE_PUBLIC_ACCESS_TOKEN: ` ${one}`, LOGFLARE_API_KEY: other };
    expect(() => readConfiguration(places, env)).toThrow(
      /^LOGWEIR_PUBLIC_TOKEN: must differ from LOGWEIR_PRIVATE_TOKEN$/,
    );
    expect(readConfiguration(places, { ...env, LOGFLARE_PUBLIC_ACCESS_TOKEN: `${one}r` }).settings.apiKey).toBe(other);
  });

  it("include the working folder's endpoints and sources after the shipped ones, or alone", () => {
    const own = mkdtempSync(join(tmpdir(), "logweir-config-"));
    mkdirSync(join(own, "endpoints"));
    const besides = { workingDir: own, packageDir: "/package" };
    const foldersOf = (env: Record<string, string>) => readConfiguration(besides, env).settings.endpointFolders;
    expect(foldersOf({})).toEqual(["/package/endpoints", join(own, "endpoints")]);
    expect(foldersOf({ LOGWEIR_SHIPPED: "off" })).toEqual([join(own, "endpoints")]);
    expect(foldersOf({ LOGWEIR_ENDPOINTS_DIR: "other" })).toEqual([join(own, "other")]);
    expect(readConfiguration(besides, { LOGWEIR_SHIPPED: "off" }).settings.sourceFolders).toEqual([]);
    expect(readConfiguration({ workingDir: own, packageDir: own }, {}).settings.endpointFolders).toEqual([
      join(own, "endpoints"),
    ]);
  });

  it("take a value from the environment first, then from the file, then from the default", () => {
    const path = join(workingDir, "own.yaml");
    writeFileSync(path, "port: 5000\nlog_level: debug\n");
    const { settings, effective } = readConfiguration(places, { LOGWEIR_CONFIG: "own.yaml", LOGWEIR_PORT: "0" });
    expect(settings).toMatchObject({ port: 0, logLevel: "debug", host: "127.0.0.1" });
    const origins = Object.fromEntries(effective.map((each) => [each.definition.name, each.origin]));
    expect(origins).toMatchObject({ port: "environment", log_level: "file", host: "default" });
  });

  it("refuse an invalid metadata URL without showing it", () => {
    const env = { LOGWEIR_METADATA_URL: "logweir:hunter2@host/d" };
    expect(() => readConfiguration(places, env)).toThrow(
      "LOGWEIR_METADATA_URL: must be a URL that begins with postgres://",
    );
  });

  it("treat an empty variable as unset", () => {
    expect(readConfiguration(places, { LOGWEIR_PORT: "" }).settings.port).toBe(4000);
  });

  it.each([
    [{ LOGWEIR_PROT: "1" }, "LOGWEIR_PROT: there is no such setting; did you mean LOGWEIR_PORT?"],
    [{ LOGWEIR_PORT: "65536" }, 'LOGWEIR_PORT: must be an integer from 0 to 65535, not "65536"'],
    [{ LOGWEIR_PORT: "4000x" }, 'LOGWEIR_PORT: must be an integer from 0 to 65535, not "4000x"'],
    [{ LOGWEIR_LOG_LEVEL: "loud" }, "LOGWEIR_LOG_LEVEL: must be one of trace, debug"],
    [{ LOGWEIR_PRIVATE_TOKEN: "short" }, "LOGWEIR_PRIVATE_TOKEN: must have at least 16 characters"],
    [{ LOGWEIR_CONFIG: "absent.yaml" }, "LOGWEIR_CONFIG: there is no file"],
  ])("refuse %o with a message that names the variable", (env, message) => {
    expect(() => readConfiguration(places, env)).toThrow(ConfigError);
    expect(() => readConfiguration(places, env)).toThrow(message);
  });

  it("report several problems together", () => {
    const read = () => readConfiguration(places, { LOGWEIR_PORT: "x", LOGWEIR_QUERY_TIMEOUT_MS: "0" });
    expect(read).toThrow(/LOGWEIR_PORT.*\n.*LOGWEIR_QUERY_TIMEOUT_MS/);
  });

  it("refuse unknown keys of the file", () => {
    writeFileSync(join(workingDir, "bad.yaml"), "port: 1\nprot: 2\n");
    expect(() => readConfiguration(places, { LOGWEIR_CONFIG: "bad.yaml" })).toThrow(
      "bad.yaml: prot: there is no such key",
    );
  });

  it("never repeat a secret in a message", () => {
    expect(() => readConfiguration(places, { LOGWEIR_PRIVATE_TOKEN: "hunter2" })).toThrow(/^(?!.*hunter2)/);
  });

  it("are all documented, with their defaults", async () => {
    const page = await readFile("docs/configuration.md", "utf8");
    for (const definition of Object.values<SettingDefinition>(settingDefinitions)) {
      const row = page.split("\n").find((line) => line.includes(`\`${variableOf(definition)}\``));
      expect(row, definition.name).toContain(definition.description);
      expect(row, definition.name).toContain(definition.default === undefined ? "unset" : `\`${definition.default}\``);
    }
  });
});

describe("the client's defaults", () => {
  it("are the local service without a token unless the environment says otherwise", () => {
    expect(readClientDefaults({})).toEqual({ url: "http://127.0.0.1:4000", isUrlNamed: false, token: undefined });
    expect(readClientDefaults({ LOGWEIR_URL: "http://x", LOGWEIR_TOKEN: "t" })).toEqual({
      url: "http://x",
      isUrlNamed: true,
      token: "t",
    });
  });
});

describe("Logflare's variables", () => {
  it("apply when Logweir's own are not set", () => {
    const env = {
      LOGFLARE_PRIVATE_ACCESS_TOKEN: "private-0123456789",
      LOGFLARE_PUBLIC_ACCESS_TOKEN: "public-0123456789",
      LOGFLARE_API_KEY: "key-0123456789012",
      PORT: "4111",
      LOGFLARE_LOG_LEVEL: "warning",
    };
    expect(readConfiguration(places, env).settings).toMatchObject({
      privateToken: "private-0123456789",
      publicToken: "public-0123456789",
      apiKey: "key-0123456789012",
      port: 4111,
      logLevel: "warn",
    });
    expect(readConfiguration(places, { ...env, PHX_HTTP_PORT: "4222" }).settings.port).toBe(4222);
    const ours = { LOGWEIR_PORT: "4333", LOGWEIR_PRIVATE_TOKEN: "ours-0123456789012" };
    expect(readConfiguration(places, { ...env, ...ours }).settings).toMatchObject({
      port: 4333,
      privateToken: "ours-0123456789012",
    });
    expect(() => readConfiguration(places, { PORT: "x" })).toThrow("PORT: must be an integer");
  });

  it("may contain short tokens, with a warning, if the service listens on this machine only", () => {
    const env = { LOGFLARE_PRIVATE_ACCESS_TOKEN: "api-key" };
    const { settings, warnings } = readConfiguration(places, env);
    expect(settings.privateToken).toBe("api-key");
    expect(warnings).toEqual([expect.stringContaining("LOGFLARE_PRIVATE_ACCESS_TOKEN has fewer than 16 characters")]);
    const open = { ...env, LOGWEIR_HOST: "0.0.0.0" };
    expect(() => readConfiguration(places, open)).toThrow("LOGWEIR_ALLOW_WEAK_TOKENS=1");
    expect(readConfiguration(places, { ...open, LOGWEIR_ALLOW_WEAK_TOKENS: "1" }).settings.privateToken).toBe(
      "api-key",
    );
    expect(() => readConfiguration(places, { LOGWEIR_PRIVATE_TOKEN: "api-key" })).toThrow("at least 16 characters");
  });

  it("without a meaning here cause a warning with their names", () => {
    const env = {
      LOGFLARE_SINGLE_TENANT: "true",
      POSTGRES_BACKEND_URL: "x",
      LOGFLARE_NODE_HOST: "",
      DB_HOSTNAME: "db",
    };
    expect(readConfiguration(places, env).warnings).toEqual([
      "These variables have no meaning here: LOGFLARE_SINGLE_TENANT, POSTGRES_BACKEND_URL",
    ]);
    expect(readConfiguration(places, {}).warnings).toEqual([]);
  });
});

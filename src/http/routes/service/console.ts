import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { elasticHandshake } from "../../../ingest/protocols/elastic.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { chooseEncoding } from "../../answer/content-encoding.ts";
import { openToAll } from "../../request/route-access.ts";

const mediaTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
};

/** Caching of files whose names are derived from their content. */
const foreverControl = "public, max-age=31536000, immutable";

/**
 * For programs, and for people who follow links. Relative, since the service may lie below a path of a proxy. Clients
 * of Elasticsearch look here who is there before they send.
 */
const index = {
  ...elasticHandshake.root,
  name: "Logweir",
  description: "SQL endpoints over logs",
  links: {
    openapi: "./api/openapi.json",
    session: "./api/session",
    endpoints: "./api/endpoints",
    catalogue: "./api/catalogue",
    health: "./health",
    metrics: "./metrics",
  },
  documentation: {
    api: "docs/api.md in the package logweir",
    errors: "docs/errors.md in the package logweir",
  },
};

/**
 * `GET /`: the console to browsers, an index of the API to programs. `GET /console/FILE`: what the console is made
 * of. Both are open: they hold nothing but the page, which asks for a token. `directory` is the built console's
 * folder; undefined where it is turned off.
 */
export function addConsoleRoutes(app: FastifyInstance, directory: string | undefined): void {
  const page = readPage(directory);
  const config = { access: openToAll };
  // Encoded once: as many as there are files and encodings.
  const encodings = new Map<string, Promise<Buffer>>();
  app.get("/", { config }, (request, reply) => {
    reply.header("Vary", "Accept").header("Cache-Control", "no-store");
    if (page === undefined || !wantsHtml(request)) return reply.headers(elasticHandshake.headers).send(index);
    const nonce = randomBytes(16).toString("base64url");
    return protect(reply, nonce).type("text/html; charset=utf-8").send(page.html.replace("%NONCE%", nonce));
  });
  app.get<{ Params: { file: string } }>("/console/:file", { config }, async (request, reply) => {
    const body = page?.files.get(request.params.file);
    if (body === undefined) throw new ServiceError("not_found", "The console has no such file");
    const encoding = chooseEncoding(request.headers["accept-encoding"]);
    protect(reply)
      .header("Cache-Control", foreverControl)
      .header("Vary", "Accept-Encoding")
      .type(mediaTypes[extname(request.params.file)] ?? "application/octet-stream");
    if (encoding === undefined) return reply.send(body);
    const key = `${encoding.name} ${request.params.file}`;
    const encoded = encodings.get(key) ?? encoding.encode(body);
    encodings.set(key, encoded);
    return reply.header("Content-Encoding", encoding.name).send(await encoded);
  });
}

interface Page {
  readonly html: string;
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Read once: it is half a megabyte, and no request can name another file. */
function readPage(directory: string | undefined): Page | undefined {
  if (directory === undefined || !existsSync(join(directory, "index.html"))) return undefined;
  const names = readdirSync(directory).filter((name) => extname(name) in mediaTypes);
  return {
    html: readFileSync(join(directory, "index.html"), "utf8"),
    files: new Map(names.map((name) => [name, readFileSync(join(directory, name))])),
  };
}

/** True where HTML is named and not liked less than JSON: programs name JSON, or anything. */
function wantsHtml({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(headers.accept ?? "");
}

/**
 * Limits pages that show strangers' texts to our scripts, our styles and requests to this service. The editor adds its
 * styles at run time, which the nonce permits.
 */
function protect(reply: FastifyReply, nonce?: string): FastifyReply {
  const style = nonce === undefined ? "'self'" : `'self' 'nonce-${nonce}'`;
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${style}`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return reply
    .header("Content-Security-Policy", policy.join("; "))
    .header("X-Frame-Options", "DENY")
    .header("X-Content-Type-Options", "nosniff")
    .header("Referrer-Policy", "no-referrer")
    .header("Cross-Origin-Opener-Policy", "same-origin")
    .header("Cross-Origin-Resource-Policy", "same-origin")
    .header("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
}

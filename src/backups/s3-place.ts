import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from "@aws-sdk/client-s3";
import { UserError } from "../shared/user-error.ts";
import type { BackupPlace } from "./place.ts";

/** How a store is reached; what is absent is found as AWS's own tools find it. */
export interface S3Access {
  /** The store's address; AWS unless given. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

const connectionTimeoutMs = 10_000;

/** How long a store may take. */
export interface S3Patience {
  /** Without a byte sent or taken. */
  readonly silenceMs: number;
  /** One request, however slowly it goes on. */
  readonly requestMs: number;
}

const patience: S3Patience = { silenceMs: 60_000, requestMs: 10 * 60_000 };

/**
 * A part of a bucket of an S3-compatible store, `s3://BUCKET/PREFIX`. The store verifies each object by its signed
 * SHA-256. Throws `UserError` for an address of another form; the methods reject with `UserError` for what the store
 * refuses.
 */
export function openS3Place(address: string, access: S3Access, waits = patience): BackupPlace {
  const { findAge, list, read, put, remove } = openBucket(address, access, waits);
  return {
    title: address,
    isRemote: true,
    async isEmpty() {
      return (await list("").next()).done === true;
    },
    async list(folder) {
      const keys: string[] = [];
      for await (const key of list(`${folder}/`)) keys.push(key);
      return keys;
    },
    read,
    ageMs: findAge,
    async write(key, bytes) {
      await put(key, bytes);
    },
    async create(key, bytes) {
      // Not every store knows the condition.
      if ((await findAge(key)) !== undefined) return false;
      const refusal = await put(key, bytes, true);
      if (refusal === "NotImplemented") await put(key, bytes);
      return refusal === undefined || refusal === "NotImplemented";
    },
    remove,
    sync: async () => undefined,
  };
}

/** Refusals of a conditional write that are answers. */
const refusals: ReadonlySet<string> = new Set(["PreconditionFailed", "ConditionalRequestConflict", "NotImplemented"]);

/** The requests to a part of a bucket. */
function openBucket(address: string, access: S3Access, waits: S3Patience) {
  const [, bucket, path = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(address) ?? [];
  if (bucket === undefined) throw new UserError(`${address} is not of the form s3://BUCKET/PREFIX`);
  const parts = path.split("/").filter((part) => part !== "");
  const prefix = parts.map((part) => `${part}/`).join("");
  const client = new S3Client(configure(access, waits));
  const at = (key: string) => ({ Bucket: bucket, Key: prefix + key });
  const limit = () => ({ abortSignal: AbortSignal.timeout(waits.requestMs) });

  /** The answer of the store; undefined where it says that there is no such object. */
  async function ask<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (["NoSuchKey", "NotFound"].includes(nameOf(error))) return undefined;
      throw explain(error, address);
    }
  }

  return {
    async *list(below: string): AsyncGenerator<string> {
      const tokens = new Set<string>();
      for (let token: string | undefined; ; ) {
        const more = token === undefined ? {} : { ContinuationToken: token };
        const page = { Bucket: bucket, Prefix: prefix + below, ...more };
        const answer = await ask(() => client.send(new ListObjectsV2Command(page), limit()));
        for (const { Key: key = "" } of answer?.Contents ?? []) yield key.slice(prefix.length);
        token = answer?.NextContinuationToken;
        if (token === undefined) return;
        if (tokens.has(token)) throw new UserError(`${address} cannot be used: its lists do not end`);
        tokens.add(token);
      }
    },
    async findAge(key: string): Promise<number | undefined> {
      const head = await ask(() => client.send(new HeadObjectCommand(at(key)), limit()));
      return head === undefined ? undefined : Date.now() - (head.LastModified?.getTime() ?? 0);
    },
    read: (key: string, maxBytes: number) =>
      ask(async () => {
        const { Body: body } = await client.send(new GetObjectCommand(at(key)), limit());
        return readStart(body as AsyncIterable<Uint8Array> | undefined, maxBytes);
      }),
    /** Answers why an object that must not be there yet was refused. */
    async put(key: string, bytes: Uint8Array, isNew = false): Promise<string | undefined> {
      const condition = isNew ? { IfNoneMatch: "*" } : {};
      try {
        await client.send(new PutObjectCommand({ ...at(key), Body: bytes, ...condition }), limit());
        return undefined;
      } catch (error) {
        if (isNew && refusals.has(nameOf(error))) return nameOf(error);
        throw explain(error, address);
      }
    },
    async remove(key: string): Promise<void> {
      await ask(() => client.send(new DeleteObjectCommand(at(key)), limit()));
    },
  };
}

/** Leaves the rest of a longer body to the store: it ends the connection. */
async function readStart(body: AsyncIterable<Uint8Array> | undefined, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let left = maxBytes;
  for await (const piece of body ?? []) {
    pieces.push(piece.subarray(0, left));
    left -= piece.length;
    if (left <= 0) break;
  }
  return Buffer.concat(pieces);
}

function configure({ endpoint, region, credentials }: S3Access, { silenceMs }: S3Patience): S3ClientConfig {
  return {
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    // Other stores ignore the region, and it has to have one.
    ...(region === undefined && endpoint === undefined ? {} : { region: region ?? "us-east-1" }),
    ...(credentials === undefined ? {} : { credentials }),
    followRegionRedirects: true,
    // Checksums of AWS's own, which other stores refuse.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: connectionTimeoutMs, socketTimeout: silenceMs },
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function explain(error: unknown, address: string): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error;
  const { name, message } = error;
  if (name === "CredentialsProviderError") {
    return new UserError(`There is no key for ${address}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`, {
      cause: error,
    });
  }
  if (name === "TimeoutError" || name === "AbortError") {
    return new UserError(`${address} cannot be used: it does not answer in time`, { cause: error });
  }
  if (message === "Region is missing") {
    return new UserError(`The region of ${address} is not known: set AWS_REGION`, { cause: error });
  }
  const code = (error as NodeJS.ErrnoException).code ?? name;
  const words = [...new Set([code, message])].filter((text) => text !== "").join(": ");
  return new UserError(`${address} cannot be used: ${words}`, { cause: error });
}

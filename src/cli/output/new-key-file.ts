import { generateKeyPair } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { describeKeyFile, type TokenKey, tokenPath } from "../../access/key-file.ts";
import { type Pins, valuesOf } from "../../access/pins.ts";
import { explainFullDisk } from "../../shared/user-error.ts";
import { CliError, type CommandContext } from "../context.ts";
import { serviceUrl } from "../service-call.ts";

/** A key file that was made, and is empty until its token is there. */
export interface NewKeyFile {
  readonly key: TokenKey;
  /** Fills it; nothing else has the private key. */
  write(tokenId: string): Promise<void>;
  /** Removes it, where it is of no use. */
  discard(): Promise<void>;
}

interface NewKeyOptions {
  readonly bigqueryKey: string;
  readonly pins: Pins;
}

const modulusBits = 2048;
/** The project that a client names which knows of no other. */
const defaultProject = "default";

/** Makes a pair of keys and a file that only its owner can read. Throws `CliError` where something is there already. */
export async function openNewKeyFile(options: NewKeyOptions, context: CommandContext): Promise<NewKeyFile> {
  const path = resolve(context.workingDir, options.bigqueryKey);
  const url = serviceUrl(context);
  if (!/^https?:\/\/[^?#]+$/.test(url) || !URL.canParse(url)) {
    throw new CliError(`--url ${url}: the key file needs the http or https address at which clients find the service`);
  }
  const pair = await promisify(generateKeyPair)("rsa", {
    modulusLength: modulusBits,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const file = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "EEXIST" ? "it exists already, and is not overwritten" : error.message;
    throw new CliError(`--bigquery-key ${options.bigqueryKey}: ${why}`);
  });
  const key = { publicKey: pair.publicKey, tokenUri: `${url}${tokenPath}` };
  const [projectId = defaultProject] = Object.values(options.pins).flatMap((pin) => valuesOf(pin) ?? []);
  return {
    key,
    async write(tokenId) {
      const document = describeKeyFile(tokenId, key, { privateKey: pair.privateKey, projectId });
      try {
        await file.writeFile(`${JSON.stringify(document, undefined, 2)}\n`);
        await file.sync();
      } catch (error) {
        throw explainFullDisk(error, path, "no key was written. Free space, and make another token");
      }
      await file.close();
    },
    async discard() {
      await file.close();
      await rm(path);
    },
  };
}

import { execFile } from "node:child_process";

const program = "test/clients/node_modules/openapi-typescript/bin/cli.js";

/** The types of an OpenAPI document, as `npx openapi-typescript` prints them. */
export function generateTypes(document: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 64_000_000 };
    const child = execFile(process.execPath, [program], options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
    child.stdin?.end(JSON.stringify(document));
  });
}

/** The parts of `oidc-provider` that tests use: it comes without types. */
declare module "oidc-provider" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

  interface Context {
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly session: { readonly accountId: string };
      readonly provider: Provider;
    };
  }

  export default class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: new (of: {
      readonly clientId: string;
      readonly accountId: string;
    }) => { addOIDCScope(scope: string): void; save(): Promise<string> };
    callback(): RequestListener;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }

  export type { Context };
}

declare module "oidc-provider/lib/adapters/memory_adapter.js" {
  const MemoryAdapter: new (name: string) => object;
  export default MemoryAdapter;
}

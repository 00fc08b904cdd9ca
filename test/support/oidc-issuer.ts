import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import Provider, { type Context } from "oidc-provider";
import MemoryAdapter from "oidc-provider/lib/adapters/memory_adapter.js";

/** A certified OpenID Connect issuer on this machine, which asks nobody for a password. */
export interface OidcIssuer {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who signs in next, and the claims of everyone. */
  readonly people: { current: string; readonly claims: Record<string, Readonly<Record<string, unknown>>> };
  /** Lets a service at this address have people signed in. */
  serve(serviceUrl: string, options?: { readonly idTokenSeconds?: number }): void;
  /** Answers nothing from now on. */
  close(): Promise<void>;
}

/** Its address has another host than services have, so that browsers take it for another site. */
export async function startOidcIssuer(): Promise<OidcIssuer> {
  let handle: RequestListener = (_, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const key = await exportJWK(privateKey);
  const people: OidcIssuer["people"] = { current: "ada", claims: {} };
  const client = { clientId: "logweir", clientSecret: "a-secret-of-the-tests" };
  return {
    url,
    ...client,
    people,
    serve(serviceUrl, { idTokenSeconds = 3_600 } = {}) {
      const provider = createProvider(url, { ...client, people, serviceUrl, idTokenSeconds, key });
      const answer = provider.callback();
      handle = (request, response) => {
        const isAsked = request.url?.startsWith("/interaction/") === true;
        if (!isAsked) return answer(request, response);
        const result = people.current === "" ? { error: "access_denied" } : { login: { accountId: people.current } };
        void provider.interactionFinished(request, response, result);
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface ProviderOptions extends Pick<OidcIssuer, "clientId" | "clientSecret" | "people"> {
  readonly serviceUrl: string;
  readonly idTokenSeconds: number;
  readonly key: JWK;
}

/** The issuer asks once more; nothing here reads its page. */
function logoutSource(context: { body?: string }): void {
  context.body = "<title>Sign out?</title>";
}

function createProvider(url: string, options: ProviderOptions): Provider {
  const { clientId, clientSecret, people, serviceUrl, idTokenSeconds, key } = options;
  return new Provider(url, {
    // The library's own, under another name: it warns of that.
    adapter: class extends MemoryAdapter {},
    jwks: { keys: [key] },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${serviceUrl}/api/sign-in/callback`],
        post_logout_redirect_uris: [`${serviceUrl}/`],
      },
    ],
    claims: { email: ["email", "email_verified"], profile: ["name"], groups: ["groups", "org", "realm_access"] },
    scopes: ["openid", "email", "profile", "groups"],
    cookies: { keys: ["a-key-of-the-tests"] },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true, logoutSource } },
    interactions: { url: (_: Context, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    findAccount: (_: Context, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...people.claims[id] }),
    }),
    async loadExistingGrant({ oidc: { client, session, provider } }: Context) {
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid email profile groups");
      await grant.save();
      return grant;
    },
    ttl: { IdToken: idTokenSeconds, AccessToken: 600, Grant: 3_600, Interaction: 600, Session: 3_600 },
  });
}

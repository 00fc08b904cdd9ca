/** A public key beside a token: whoever holds its private key signs in as the token. */
export interface TokenKey {
  /** RSA, as PEM (`BEGIN PUBLIC KEY`). */
  readonly publicKey: string;
  /** The address that the key file sends its holder to, which is also the required audience of what is signed. */
  readonly tokenUri: string;
}

/** Finds the keys beside tokens. */
export interface TokenKeys {
  /** Undefined where no valid token with a key has the id. Throws `metadata_unavailable` where nobody knows. */
  findKey(tokenId: string): Promise<{ readonly key: TokenKey; readonly expiresAt: number | undefined } | undefined>;
}

/** The path of the token endpoint, behind the address of the service. */
export const tokenPath = "/bigquery/token";

/**
 * No universe of Google's, and no name on any network (RFC 2606). It keeps Google's clients from asking Google: those
 * that have Google's token address fixed in their code sign their calls by themselves instead (AIP-4111).
 */
const universe = "logweir.invalid";

/** A key file in the form of Google's service accounts. */
export interface KeyFile {
  readonly type: "service_account";
  readonly project_id: string;
  readonly private_key_id: string;
  /** PKCS #8, as PEM. */
  readonly private_key: string;
  readonly client_email: string;
  readonly client_id: string;
  readonly token_uri: string;
  readonly universe_domain: string;
}

/** Writes a token's key file. `projectId` is the project that clients name where they are given no other. */
export function describeKeyFile(
  tokenId: string,
  { tokenUri }: TokenKey,
  { privateKey, projectId }: { readonly privateKey: string; readonly projectId: string },
): KeyFile {
  return {
    type: "service_account",
    project_id: projectId,
    private_key_id: tokenId,
    private_key: privateKey,
    client_email: issuerOf(tokenId),
    client_id: tokenId,
    token_uri: tokenUri,
    universe_domain: universe,
  };
}

/** The issuer of what a token's key signs. */
export function issuerOf(tokenId: string): string {
  return `${tokenId}@${universe}`;
}

/** The id of the token that an issuer names; undefined for any other text. */
export function tokenOfIssuer(issuer: unknown): string | undefined {
  const suffix = issuerOf("");
  return typeof issuer === "string" && issuer.endsWith(suffix) ? issuer.slice(0, -suffix.length) : undefined;
}

import { BigQuery } from "@google-cloud/bigquery";
import { OAuth2Client } from "google-auth-library";

/** The published client, connected to a service with one of its tokens, and never repeating a call by itself. */
export function connectBigQuery(url: string, token: string): BigQuery {
  const authClient = new OAuth2Client({ credentials: { access_token: token, expiry_date: Number.MAX_SAFE_INTEGER } });
  return new BigQuery({ projectId: "default", apiEndpoint: url, authClient, autoRetry: false, maxRetries: 0 });
}

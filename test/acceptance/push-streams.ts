import { expect } from "vitest";
import { privateToken, type Service } from "./service.ts";

/** Pushes streams of lines by Loki's protocol, as JSON with the private token, and expects 204. */
export async function pushStreams(service: Service, streams: readonly object[]): Promise<void> {
  const response = await fetch(`${service.url}/loki/api/v1/push`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": privateToken },
    body: JSON.stringify({ streams }),
  });
  expect(response.status).toBe(204);
}

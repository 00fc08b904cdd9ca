/** Words of benchmark events. Addresses are from the ranges reserved for documentation (RFC 5737, RFC 3849). */

export const methods = ["GET", "GET", "GET", "GET", "GET", "GET", "GET", "POST", "POST", "PATCH", "DELETE"] as const;

/** Out of a thousand requests. */
export const statuses: readonly (readonly [number, number])[] = [
  [200, 800],
  [201, 60],
  [204, 40],
  [304, 25],
  [400, 20],
  [401, 20],
  [404, 20],
  [429, 5],
  [500, 6],
  [503, 4],
];

export const paths = [
  "/rest/v1/orders",
  "/rest/v1/products",
  "/rest/v1/customers",
  "/rest/v1/rpc/search_products",
  "/rest/v1/order_lines",
  "/auth/v1/token",
  "/auth/v1/user",
  "/auth/v1/signup",
  "/storage/v1/object/public/images/banner.png",
  "/storage/v1/object/invoices/2026.pdf",
  "/realtime/v1/websocket",
  "/functions/v1/send-receipt",
] as const;

export const searches = [
  "?select=id,total,customer(name)&order=created_at.desc&limit=20",
  "?select=*&id=eq.48213",
  "?grant_type=refresh_token",
  "?select=id,stock&stock=lt.10&offset=100&limit=100",
] as const;

export const userAgents = [
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 " +
    "Safari/605.1.15",
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
  "okhttp/4.12.0",
  "node",
] as const;

export const clients = ["js/2.48.1", "flutter/2.8.0", "swift/2.20.0", "py/2.10.0"] as const;

export const places = [
  {
    city: "Frankfurt am Main",
    colo: "FRA",
    continent: "EU",
    country: "DE",
    region: "Hesse",
    regionCode: "HE",
    postalCode: "60313",
    timezone: "Europe/Berlin",
    latitude: "50.11552",
    longitude: "8.68417",
    asn: 3320,
    asOrganization: "Example Backbone AG",
  },
  {
    city: "Ashburn",
    colo: "IAD",
    continent: "NA",
    country: "US",
    region: "Virginia",
    regionCode: "VA",
    postalCode: "20147",
    timezone: "America/New_York",
    latitude: "39.01800",
    longitude: "-77.53900",
    asn: 64500,
    asOrganization: "Example Cloud Inc.",
  },
  {
    city: "São Paulo",
    colo: "GRU",
    continent: "SA",
    country: "BR",
    region: "São Paulo",
    regionCode: "SP",
    postalCode: "01000",
    timezone: "America/Sao_Paulo",
    latitude: "-23.54750",
    longitude: "-46.63610",
    asn: 64501,
    asOrganization: "Exemplo Telecom",
  },
  {
    city: "Tokyo",
    colo: "NRT",
    continent: "AS",
    country: "JP",
    region: "Tokyo",
    regionCode: "13",
    postalCode: "151-0052",
    timezone: "Asia/Tokyo",
    latitude: "35.68950",
    longitude: "139.69171",
    asn: 64502,
    asOrganization: "Example Networks KK",
  },
] as const;

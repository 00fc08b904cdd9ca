import type { Random } from "./random.ts";

/** Words of sample events. Addresses are from the ranges reserved for documentation (RFC 5737, RFC 3849). */

/** Project references with their share of the traffic; the first is the one that a single-project installation uses. */
export const projects = [
  ["default", 6],
  ["shopfront", 3],
  ["mobileapp", 2],
  ["backoffice", 1],
] as const;

export const areas = [
  ["rest", 50],
  ["auth", 20],
  ["storage", 15],
  ["realtime", 10],
  ["functions", 5],
] as const;

export const areaPaths = {
  rest: ["/rest/v1/orders", "/rest/v1/products", "/rest/v1/customers", "/rest/v1/rpc/search_products"],
  auth: ["/auth/v1/token", "/auth/v1/user", "/auth/v1/signup", "/auth/v1/logout"],
  storage: [
    "/storage/v1/object/public/images/banner.png",
    "/storage/v1/object/invoices/2026.pdf",
    "/storage/v1/bucket",
  ],
  realtime: ["/realtime/v1/websocket", "/realtime/v1/api/broadcast"],
  functions: ["/functions/v1/send-receipt", "/functions/v1/resize-image"],
} as const;

export const methods = [
  ["GET", 70],
  ["POST", 20],
  ["PATCH", 6],
  ["DELETE", 3],
  ["OPTIONS", 1],
] as const;

export const statuses = [
  [200, 80],
  [201, 6],
  [204, 4],
  [304, 3],
  [400, 2],
  [401, 2],
  [404, 2],
  [429, 0.4],
  [500, 0.4],
  [503, 0.2],
] as const;

export const userAgents = [
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 " +
    "Safari/605.1.15",
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
  "okhttp/4.12.0",
  "node",
];

export const places = [
  {
    country: "DE",
    city: "Frankfurt am Main",
    colo: "FRA",
    continent: "EU",
    region: "Hesse",
    timezone: "Europe/Berlin",
    latitude: "50.11552",
    longitude: "8.68417",
  },
  {
    country: "US",
    city: "Ashburn",
    colo: "IAD",
    continent: "NA",
    region: "Virginia",
    timezone: "America/New_York",
    latitude: "39.01800",
    longitude: "-77.53900",
  },
  {
    country: "BR",
    city: "São Paulo",
    colo: "GRU",
    continent: "SA",
    region: "São Paulo",
    timezone: "America/Sao_Paulo",
    latitude: "-23.54750",
    longitude: "-46.63610",
  },
  {
    country: "JP",
    city: "Tokyo",
    colo: "NRT",
    continent: "AS",
    region: "Tokyo",
    timezone: "Asia/Tokyo",
    latitude: "35.68950",
    longitude: "139.69171",
  },
] as const;

export const queries = [
  "select id, total from orders where customer_id = $1 order by created_at desc limit 20",
  "insert into orders (customer_id, total) values ($1, $2) returning id",
  "update products set stock = stock - $1 where id = $2",
  "select count(*) from customers",
] as const;

/** An IPv4 address mostly, an IPv6 address at times. */
export function address(random: Random): string {
  return random.next() < 0.85
    ? `${random.pick(["192.0.2", "198.51.100", "203.0.113"])}.${random.integer(1, 254)}`
    : `2001:db8:${random.hex(4)}::${random.hex(3)}`;
}

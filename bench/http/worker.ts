/** A process of the benchmark with one job: to send load, or to be the bare route that answers it. */
import fastify from "fastify";
import { type LoadPlan, runLoad } from "./load.ts";

const [job, argument = ""] = process.argv.slice(2);
if (job === "load-worker") {
  process.stdout.write(JSON.stringify(await runLoad(JSON.parse(argument) as LoadPlan)));
} else {
  const body = Buffer.alloc(Number(argument), "x");
  const app = fastify();
  app.get("/bare", (_request, reply) => {
    reply.header("content-type", "application/json; charset=utf-8").send(body);
  });
  process.stdout.write(await app.listen({ port: 0, host: "127.0.0.1" }));
}

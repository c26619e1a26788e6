import { existsSync, readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { ALL_SETTINGS } from "../../../src/config/fault-lines.ts";
import { MACHINE_SETTINGS } from "../../../src/config/machine-settings.ts";
import { PAIR } from "../front/rig.ts";
import { entrypoint, healthCheck, imageVariables, instructions, only } from "./containerfile.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

const NODE: string = JSON.parse(read("package.json")).devDependencies.node;

/** The parts of the compose file that the tests judge. */
const Compose = z.object({
  services: z.strictObject({
    mailkeep: z.object({
      build: z.strictObject({ context: z.literal("."), dockerfile: z.literal("Containerfile") }),
      environment: z.record(z.string(), z.string()),
      ports: z.array(z.string()),
      volumes: z.array(z.string()),
      read_only: z.boolean(),
      tmpfs: z.array(z.string()),
      cap_drop: z.array(z.string()),
      security_opt: z.array(z.string()),
      stop_grace_period: z.string(),
    }),
  }),
  volumes: z.record(z.string(), z.null()),
});
const compose = Compose.parse(parse(read("compose.yaml")));
const service = compose.services.mailkeep;

it("runs the Node that the tests run, by its version", () => {
  const bases = instructions.flatMap(([name, words]) => (name === "FROM" ? [words.split(" ")[0]] : []));
  expect(bases).toEqual(
    [`node:${NODE}-bookworm`, `node:${NODE}-bookworm-slim`].map((one) => `docker.io/library/${one}`),
  );
});

it("ends as another user than root, and its one volume is that user's data folder", () => {
  expect(only("USER")).toBe("node");
  expect(only("VOLUME")).toBe("/data");
  expect(imageVariables()).toMatchObject({ DATA_DIR: "/data", HOME: "/tmp" });
  const unknown = Object.keys(imageVariables()).filter((name) => !Object.hasOwn(MACHINE_SETTINGS, name));
  expect(unknown.toSorted()).toEqual(["HOME", "NODE_ENV"]);
});

it("starts the server as one process, which hears the signals itself", () => {
  expect(entrypoint()).toEqual(["node", "/usr/local/lib/node_modules/mailkeep-server/lib/serve.js"]);
  expect(only("STOPSIGNAL")).toBe("SIGTERM");
});

it("copies only what is there: the sources without what the build makes, and the package that npm run pack writes", () => {
  const copies = instructions.flatMap(([name, words]) => (name === "COPY" ? [words] : []));
  expect(copies).toEqual([". .", "--from=build /src/dist/packages/mailkeep-server-*.tgz /opt/"]);
  const ignored = read(".containerignore").trim().split("\n");
  expect(read(".dockerignore")).toBe(read(".containerignore"));
  for (const file of ["package.json", "package-lock.json", "scripts/pack.ts", "src/server/bin.mjs"]) {
    expect([file, existsSync(path.join(ROOT, file))]).toEqual([file, true]);
    expect(ignored.filter((one) => `${file}/`.startsWith(`${one}/`))).toEqual([]);
  }
});

it.each([
  ["http", 200, 0],
  ["http", 503, 1],
  ["https", 200, 0],
  ["https", 503, 1],
])("is healthy by GET /readyz over %s: %i ends the check with %i", async (scheme, status, code) => {
  const isSecure = scheme === "https";
  const answer: RequestListener = (request, response) => {
    response.writeHead(request.url === "/readyz" ? status : 404).end();
  };
  const server = isSecure ? createSecureServer(PAIR, answer) : createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const PORT = String((server.address() as AddressInfo).port);
  expect(await healthCheck({ PORT, ...(isSecure ? { TLS_CERT: "/run/secrets/fullchain.pem" } : {}) })).toBe(
    code,
  );
});

it("is not healthy while nothing listens", async () => {
  expect(await healthCheck({ PORT: "1" })).toBe(1);
});

it("keeps the root of the container read-only and without capabilities", () => {
  expect(service).toMatchObject({
    read_only: true,
    tmpfs: ["/tmp"],
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
  });
});

it("writes to the named volume alone, and leads ports to those where the image listens", () => {
  expect(service.volumes).toEqual([`data:${only("VOLUME")}`]);
  expect(Object.keys(compose.volumes)).toEqual(["data"]);
  const { PORT, SMTP_PORT } = imageVariables();
  expect(service.ports).toEqual([`127.0.0.1:8787:${PORT}`, `25:${SMTP_PORT}`]);
  expect(only("EXPOSE")).toBe(`${PORT} ${SMTP_PORT}`);
  const unknown = Object.keys(service.environment).filter((name) => !Object.hasOwn(ALL_SETTINGS, name));
  expect(unknown).toEqual([]);
});

it("waits longer for the end than the server needs", () => {
  expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(10);
});

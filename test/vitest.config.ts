import { mkdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { muteMeantFaults } from "./meant-faults.ts";
import { SecondTries } from "./second-tries.ts";
import { WaitingFirst } from "./waiting-first.ts";

const root = path.resolve(import.meta.dirname, "..");

/** The folder of the store of blobs that are files; empty at the start. */
const BLOB_FILES = path.join(root, "node_modules/.cache/mailkeep-tests/blob-files");
rmSync(BLOB_FILES, { recursive: true, force: true });
mkdirSync(BLOB_FILES, { recursive: true });

/** How long a test waits for what a server or a browser shows, beside others on busy cores. */
const PATIENCE = { timeout: 20_000 };

/**
 * How often a test that drives a browser or a whole server is tried again when it fails. CI sets RETRIES=1: there, one such test in
 * thousands meets a machine that stops for seconds. {@link SecondTries} names it.
 */
const retry = Number(process.env["RETRIES"] ?? 0);

/** The seed of the examples of property tests: `SEED`, or a number that is drawn now if that is `random`. */
if (process.env["SEED"] === "random") {
  // Vitest reads this file once for each project.
  process.env["SEED"] = String(Math.floor(Math.random() * 2 ** 31));
  console.log(`SEED=${process.env["SEED"]}`);
}
const seed = Number(process.env["SEED"] ?? 20261123);

declare module "vitest" {
  interface ProvidedContext {
    seed: number;
    isThorough: boolean;
  }
}

/** Read by property tests. CI and `npm run test:all` draw all of their examples, `npm test` a part. */
const provide = {
  seed,
  isThorough: process.env["THOROUGH"] !== undefined || process.env["CI"] !== undefined,
};

/** Scores, counts and judgments by other programs: too slow for `npm test`. */
const SLOW = "test/**/*.slow.test.ts";

/** The tests of the served bundle that `npm test` runs: the main promises, and the commands that the documentation shows. */
const PROMISES = ["test/served/promises.test.ts", "test/docs/served/commands.test.ts"];

/** How tests of pure code run: they keep no state outside of themselves, so that files share a worker. */
const pureOptions = {
  root,
  isolate: false,
  setupFiles: ["test/seed.ts", "test/restore.ts"],
  provide,
  testTimeout: 30_000,
};

/** How tests run that start a whole server. */
const servedOptions = {
  root,
  setupFiles: ["test/seed.ts"],
  provide,
  expect: { poll: PATIENCE },
  retry,
  testTimeout: 120_000,
  hookTimeout: 60_000,
};

/** A workerd with the bindings of a deployment, for tests of actors and edge. */
const workerd = () =>
  cloudflareTest({
    main: path.join(root, "src/index.ts"),
    wrangler: { configPath: path.join(root, "wrangler.jsonc") },
    miniflare: {
      bindings: {
        AUTH_TOKEN: "operator-token-for-tests-0123456789",
        WEBHOOK_SECRET: "webhook-secret-for-tests-0123456789",
        // Nothing leaves this machine; test/lib/doh.test.ts and test/http/webhooks.test.ts have resolvers of their own.
        DOH_URL: "",
        KEY_SECRET: "key-secret-for-tests-0123456789-0123",
        AUTHSERV_ID: "mx.mailkeep.test",
      },
      // Only for the tests of the store that is a folder: the other ones have a bucket.
      serviceBindings: { TEST_FILES: { disk: { path: BLOB_FILES, writable: true } } },
    },
  });

muteMeantFaults();

/**
 * How each folder runs: pure code in Node, actors and edge in workerd, transports in workerd with their peers in Node, the
 * served bundle from outside, its pages in a browser, the packages where they are installed. scripts/test.ts chooses projects.
 */
export default defineConfig({
  test: {
    root,
    // Files that start a server or a browser wait half of their time: two for each core keep the cores busy.
    maxWorkers: Math.max(4, 2 * availableParallelism()),
    sequence: { sequencer: WaitingFirst },
    // One line for each file: slow tests are not listed under it.
    slowTestThreshold: 600_000,
    reporters: [new SecondTries(), "default"],
    projects: [
      {
        test: {
          name: "pure",
          include: [
            "test/{config,contract,embeddings,host,lib,mail,outbound,scripts,webhooks}/**/*.test.ts",
            // Of folders whose other tests run in workerd.
            "test/**/*.node.test.ts",
            "test/{cli,client,docs}/*.test.ts",
          ],
          exclude: [SLOW],
          ...pureOptions,
        },
      },
      { test: { ...pureOptions, name: "slow", include: [SLOW] } },
      {
        plugins: [workerd()],
        test: {
          root,
          name: "workerd",
          include: [
            "test/{blobs,directory,http,mailbox,service}/**/*.test.ts",
            // Of the pure code what rests on the platform's streams, its cryptography or the packages that compose mail.
            "test/outbound/{base64-lines,compose,dkim,dot-stuffing,reply,unsent}.test.ts",
            "test/*.test.ts",
          ],
          exclude: ["test/**/*.node.test.ts", SLOW],
          setupFiles: ["test/seed.ts"],
          provide,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          root,
          name: "transport",
          include: ["test/transport/**/*.test.ts"],
          globalSetup: ["test/transport/bundle.ts"],
          // Read by Miniflare when it is loaded: the authority of the peers' certificates.
          env: { NODE_EXTRA_CA_CERTS: path.join(root, "test/transport/certificates/authority.pem") },
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      { test: { ...servedOptions, name: "promises", include: PROMISES } },
      {
        test: {
          ...servedOptions,
          name: "served",
          include: ["test/{served,twin}/**/*.test.ts", "test/{cli,client,docs}/served/*.test.ts"],
          exclude: PROMISES,
        },
      },
      {
        test: { ...servedOptions, name: "pages", include: ["test/pages/**/*.test.ts"], hookTimeout: 120_000 },
      },
      {
        test: {
          root,
          name: "packages",
          include: ["test/packages/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});

import path from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { muteMeantFaults } from "./meant-faults.ts";

const root = path.resolve(import.meta.dirname, "..");

muteMeantFaults();

/**
 * Five ways to run: pure code in Node, actors and edge in workerd, transports in workerd with their peers in Node, the
 * served bundle from outside, and its pages in a browser.
 */
export default defineConfig({
  test: {
    root,
    projects: [
      {
        test: {
          root,
          name: "pure",
          include: [
            "test/{config,contract,embeddings,host,lib,mail,outbound,scripts,webhooks}/**/*.test.ts",
            // Of folders whose other tests run in workerd.
            "test/**/*.node.test.ts",
            "test/docs/*.test.ts",
          ],
          testTimeout: 30_000,
        },
      },
      {
        plugins: [
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
            },
          }),
        ],
        test: {
          root,
          name: "workerd",
          include: ["test/{blobs,directory,http,mailbox,outbound,service}/**/*.test.ts", "test/*.test.ts"],
          exclude: ["test/**/*.node.test.ts"],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          root,
          name: "transport",
          include: ["test/transport/**/*.test.ts"],
          // Read by Miniflare when it is loaded: the authority of the peers' certificates.
          env: { NODE_EXTRA_CA_CERTS: path.join(root, "test/transport/certificates/authority.pem") },
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          root,
          name: "served",
          include: ["test/served/**/*.test.ts", "test/docs/served/*.test.ts"],
          // Each file starts a server of its own, and waits more than it works: two cores carry two.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          root,
          name: "pages",
          include: ["test/pages/**/*.test.ts"],
          // Each file starts a server and a browser.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});

import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bundleCli } from "../bundle-cli.ts";
import { bundle, bundledBy } from "./bundles.ts";
import type { Declarations } from "./declarations.ts";
import { manifestOf } from "./manifest.ts";
import type { Described } from "./manifest.ts";
import type { Staged } from "./stage.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
export const CLIENT_TYPES = "src/client/index.ts";

const SKILL = path.join(ROOT, "SKILL.md");
const DESCRIBED: Described = {
  name: "mailkeep",
  description: "Mailboxes for software agents: a typed client, and the command line.",
  keywords: ["email", "mailbox", "agents", "verification-code", "cli", "mcp"],
  engines: { node: ">=20.12.0" },
  bin: { mailkeep: "bin/mailkeep.cjs" },
  exports: { ".": { types: "./types/client/index.d.ts", default: "./lib/index.js" } },
};

/** Writes the package `mailkeep` to a folder: the client and the command line, without a dependency. */
export async function stageClient(folder: string, declarations: Declarations): Promise<Staged> {
  const client = await bundle({ index: "client/index.ts" }, path.join(folder, "lib"), {
    // It also runs in browsers and in other runtimes.
    platform: "neutral",
    minify: true,
    // Node prints the whole line of an error that is not caught.
    lineLimit: 200,
    target: ["node20", "chrome120", "firefox121", "safari17"],
  });
  const command = path.join(folder, "bin/mailkeep.cjs");
  const cli = bundledBy(await bundleCli(command));
  chmodSync(command, 0o755);
  for (const [file, text] of declarations) {
    const target = path.join(folder, "types", file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  cpSync(SKILL, path.join(folder, "SKILL.md"));
  const bundles = [client, cli];
  return {
    manifest: manifestOf(
      DESCRIBED,
      bundles.flatMap(({ imports }) => imports),
    ),
    inputs: bundles.flatMap(({ inputs }) => inputs),
  };
}

import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import * as z from "zod";

const ROOT = path.resolve(import.meta.dirname, "../..");
const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });
const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const LICENCE_FILE = /^(?:licen[cs]e|copying)(?:\.md|\.txt|-mit)?$/i;

/** The text that names each package whose code is in a bundle, with its licence. "" for none. */
export function thirdPartyText(inputs: readonly string[]): string {
  const folders = inputs.flatMap((file) => PACKAGE.exec(file)?.[1] ?? []);
  const sections = [...new Set(folders)].map(sectionOf).toSorted();
  if (sections.length === 0) return "";
  return `# Third-party code\n\nThis package contains code of these packages.\n\n${[...new Set(sections)].join("\n")}`;
}

function sectionOf(folder: string): string {
  const root = path.resolve(ROOT, folder);
  const { name, version, license } = Manifest.parse(
    JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")),
  );
  const file = existsSync(root) ? readdirSync(root).find((one) => LICENCE_FILE.test(one)) : undefined;
  const text = file === undefined ? "" : `\n${readFileSync(path.join(root, file), "utf8").trim()}\n`;
  return `## ${name} ${version}\n\n${license}, https://www.npmjs.com/package/${name}/v/${version}\n${text}`;
}

// Makes src/mail/tables/public-suffixes.ts of the Public Suffix List as the package tldts has it. `npm run docs` writes it.
import { createRequire } from "node:module";
import * as z from "zod";

const require = createRequire(import.meta.url);

/** The tables of tldts: each node has edges from `edgeStart[node]` on; their labels lie end to end in `labelText`. */
const Tables = z.object({
  nodeFlags: z.instanceof(Uint8Array),
  edgeStart: z.instanceof(Uint16Array),
  edgeChild: z.instanceof(Uint16Array),
  edgeLength: z.instanceof(Uint8Array),
  labelText: z.string(),
  rulesRoot: z.int(),
  exceptionsRoot: z.int(),
});

interface Branch {
  isSuffix: boolean;
  below: Map<string, Branch>;
}

/** The text of the generated file. */
export function publicSuffixesFile(): string {
  const tables: unknown = require("../node_modules/tldts/dist/cjs/src/data/trie.js");
  const trees = treesOf(Tables.parse(tables));
  const { version } = z.object({ version: z.string() }).parse(require("tldts/package.json"));
  return `// Made by \`npm run docs\` of the Public Suffix List (https://publicsuffix.org/list/, Mozilla Public License 2.0,
// https://mozilla.org/MPL/2.0/) as tldts ${version} has it. To update it, install a newer tldts and run \`npm run docs\`.

const LIST =
  " ${trees.join(" ")} ";

/**
 * A tree for each top-level domain that has suffixes below it, with a blank before and after each; \`readTree\` in
 * src/mail/address/public-suffix.ts reads it. In a deployment \`loaded-suffixes.ts\` stands for this module.
 */
export const publicSuffixes = (): string => LIST;
`;
}

function treesOf(tables: z.infer<typeof Tables>): string[] {
  const offsets: number[] = [];
  let end = 0;
  for (const length of tables.edgeLength) {
    offsets.push(end);
    end += length;
  }
  const branchAt = (node: number): Branch => {
    const below = new Map<string, Branch>();
    for (let edge = tables.edgeStart[node] ?? 0; edge < (tables.edgeStart[node + 1] ?? 0); edge += 1) {
      const start = offsets[edge] ?? 0;
      const label = tables.labelText.slice(start, start + (tables.edgeLength[edge] ?? 0));
      // tldts has each name in A-labels too.
      if (/[^!-~]/.test(label)) continue;
      below.set(label, branchAt(tables.edgeChild[edge] ?? 0));
    }
    return { isSuffix: (tables.nodeFlags[node] ?? 0) !== 0, below };
  };
  const rules = branchAt(tables.rulesRoot);
  addExceptions(rules, branchAt(tables.exceptionsRoot));
  // A top-level domain with nothing below it is a suffix without a rule.
  return sorted(rules).flatMap(([name, branch]) =>
    branch.below.size > 0 ? [`${name}(${inner(branch)})`] : [],
  );
}

/** Marks the exceptions of wildcard rules with an exclamation mark, as the list does. */
function addExceptions(rules: Branch, exceptions: Branch): void {
  for (const [label, branch] of exceptions.below) {
    if (branch.isSuffix) rules.below.set(`!${label}`, { isSuffix: true, below: new Map() });
    const same = rules.below.get(label);
    if (same !== undefined) addExceptions(same, branch);
  }
}

function inner(branch: Branch): string {
  // A name that a wildcard makes a suffix is one, whatever else lies below it.
  const isAny = branch.below.has("*");
  return sorted(branch)
    .map(([label, next]) => {
      const mark = next.isSuffix || isAny ? "" : "~";
      return `${label}${mark}${next.below.size > 0 ? `(${inner(next)})` : ""}`;
    })
    .join(",");
}

function sorted(branch: Branch): [string, Branch][] {
  return [...branch.below].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

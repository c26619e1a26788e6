import { publicSuffixes } from "../tables/public-suffixes.ts";

/** A label of the tree of suffixes. `isSuffix`: the name up to here is one; else only names below it are. */
interface Branch {
  isSuffix: boolean;
  below: Map<string, Branch>;
}

/** Trees by top-level domain, read when they are first needed; at most as many as the list has. */
const trees = new Map<string, Branch>();

/**
 * The organisational domain (RFC 7489 §3.2): one label more than the public suffix. Null for a public suffix itself. `domain` is
 * in lower-case A-labels. Throws in a deployment before the tables are loaded.
 */
export function organizationalDomain(domain: string): string | null {
  const labels = domain.split(".");
  const own = labels.length - suffixLabels(labels) - 1;
  return own < 0 ? null : labels.slice(own).join(".");
}

/**
 * Whether everybody can have a name below this one, so that names below it belong to different owners: `com`, `co.uk`,
 * `github.io` (Public Suffix List, both of its parts). `domain` is in canonical form. Throws as `organizationalDomain` does.
 */
export function isPublicSuffix(domain: string): boolean {
  return organizationalDomain(domain) === null;
}

/** How many labels at the end of a name are its public suffix: the longest rule that fits, or else one. */
function suffixLabels(labels: readonly string[]): number {
  let branch = treeOf(labels.at(-1) ?? "");
  let found = 1;
  for (let depth = 2; branch !== null && depth <= labels.length; depth += 1) {
    const label = labels.at(-depth) ?? "";
    // An exception to a wildcard is no suffix, and nothing below it is.
    if (branch.below.has(`!${label}`)) return depth - 1;
    const next: Branch | undefined = branch.below.get(label) ?? branch.below.get("*");
    if (next?.isSuffix === true) found = depth;
    branch = next ?? null;
  }
  return found;
}

/** The tree below a top-level domain; null if the list has nothing below it. */
function treeOf(name: string): Branch | null {
  const known = trees.get(name);
  if (known !== undefined) return known;
  const list = publicSuffixes();
  const start = list.indexOf(` ${name}(`);
  if (start === -1) return null;
  const text = list.slice(start + 1, list.indexOf(" ", start + 1));
  const tree = readTree(text);
  trees.set(name, tree);
  return tree;
}

/** Reads `jp(ac,ck~(*,!city))`: labels with what lies below them; `~` marks one that is no suffix itself. */
function readTree(text: string): Branch {
  const root: Branch = { isSuffix: false, below: new Map() };
  const open = [root];
  let last = root;
  for (const [, label = "", mark = "", sign = ""] of text.matchAll(/([^(),~]*)(~?)([(),]|$)/g)) {
    const parent = open.at(-1);
    if (label !== "" && parent !== undefined) {
      last = { isSuffix: mark === "", below: new Map() };
      parent.below.set(label, last);
    }
    if (sign === "(") open.push(last);
    if (sign === ")") open.pop();
  }
  const [tree = root] = root.below.values();
  return tree;
}

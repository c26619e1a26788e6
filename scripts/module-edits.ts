// For the build steps that change the text of a module before it is bundled: a reader of its syntax tree, and edits.
import { parseAst } from "rolldown/parseAst";

/** A node of a syntax tree (ESTree, with the types of TypeScript). */
export interface Node {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

/** A part of a text, and what takes its place. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Reads the text of a TypeScript module. */
export function parseModule(code: string, lang: "ts" | "tsx" = "ts"): Node {
  return parseAst(code, { lang }) as unknown as Node;
}

/** The text after the edits. Of two edits at one place, the one that inserts comes last. */
export function withEdits(code: string, edits: readonly Edit[]): string {
  // From the end, so that the places of the others stay.
  return edits
    .toSorted((one, other) => other.start - one.start || other.end - one.end)
    .reduce(
      (text, { start, end, text: inserted }) => text.slice(0, start) + inserted + text.slice(end),
      code,
    );
}

/** The nodes right below a node. */
export function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? nodesOf(value) : nodesOf([value])));
}

/** Those of some values that are nodes. */
export function nodesOf(values: unknown): Node[] {
  return Array.isArray(values) ? values.map(nodeOf).filter((node) => node !== null) : [];
}

/** The value, if it is a node. */
export function nodeOf(value: unknown): Node | null {
  return typeof value === "object" && value !== null && "type" in value ? (value as Node) : null;
}

// The shapes of the API and of MCP tools say what they mean, for documents that `build-assets.ts` makes. The worker never reads
// those words, nor the shapes of answers: they would be some 15 KiB of its script, compressed, and work at each start.
import { childrenOf, nodeOf, nodesOf, parseModule, withEdits, type Edit, type Node } from "./module-edits.ts";

/** Folders, below the root of the project, whose modules describe what they state. */
export const DESCRIBING_FOLDERS: readonly string[] = ["src/contract", "src/http/mcp"];

/** Members that only describe, in the object that a function is given. The worker reads the statuses of `responses` alone. */
const DESCRIBING_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  route: ["summary", "tag"],
  tool: ["output"],
};
/** Members that describe wherever they are. */
const ABOUT: readonly string[] = ["about", "example"];
/** Functions of `src/contract/parameters.ts` whose first argument is a description. */
const DESCRIBED_FIRST: readonly string[] = ["text", "flag", "instant"];

/**
 * The text of a TypeScript module without what only documents need: calls of `.meta(…)`, words about routes and parameters, and
 * shapes of answers. A constant of the module that nothing uses then can be dropped by a bundler. What is taken out leaves
 * blanks, so that every line stays where it is.
 */
export function withoutDocumentation(code: string): string {
  const program = parseModule(code);
  return withEdits(code, [...documentation(program, code), ...droppable(program)]);
}

/** The edits that take documentation out of a node and of what is below it. */
function documentation(node: Node, code: string): Edit[] {
  const own = node.type === "CallExpression" ? inCall(node, code) : inObject(node, code);
  // What is below an edit goes with it.
  const isKept = (child: Node): boolean =>
    !own.some(({ start, end }) => start <= child.start && child.end <= end);
  return [
    ...own,
    ...childrenOf(node)
      .filter(isKept)
      .flatMap((child) => documentation(child, code)),
  ];
}

function inCall(call: Node, code: string): Edit[] {
  const callee = nodeOf(call["callee"]);
  const [first] = nodesOf(call["arguments"]);
  if (callee === null || first === undefined) return [];
  if (callee.type === "MemberExpression") {
    const [object, property] = [nodeOf(callee["object"]), nodeOf(callee["property"])];
    if (object === null || property?.["name"] !== "meta") return [];
    return [blank(code, object.end, call.end)];
  }
  const name = String(callee["name"]);
  if (DESCRIBED_FIRST.includes(name) && first.type === "Literal") {
    return [{ start: first.start, end: first.end, text: '""' }];
  }
  const members = DESCRIBING_MEMBERS[name];
  if (members === undefined) return [];
  return nodesOf(first["properties"]).flatMap((member) => {
    if (members.includes(keyOf(member))) return [withComma(code, member)];
    return keyOf(member) === "responses" ? statusesOnly(member) : [];
  });
}

/** Leaves of the responses of a route the statuses. */
function statusesOnly(responses: Node): Edit[] {
  return nodesOf(nodeOf(responses["value"])?.["properties"])
    .map((response) => nodeOf(response["value"]))
    .filter((value) => value !== null)
    .map(({ start, end }) => ({ start, end, text: "0" }));
}

function inObject(object: Node, code: string): Edit[] {
  if (object.type !== "ObjectExpression") return [];
  return nodesOf(object["properties"])
    .filter((member) => ABOUT.includes(keyOf(member)) && member["shorthand"] !== true)
    .map((member) => withComma(code, member));
}

/**
 * The edits by which a bundler sees that it may drop a constant of the module with the calls that make it: they do nothing else.
 */
function droppable(program: Node): Edit[] {
  return nodesOf(program["body"])
    .map((statement) => nodeOf(statement["declaration"]) ?? statement)
    .filter(({ type, kind }) => type === "VariableDeclaration" && kind === "const")
    .flatMap((declaration) => nodesOf(declaration["declarations"]))
    .map((declarator) => nodeOf(declarator["init"]))
    .filter((init) => init !== null && MADE_BY_CALLS.has(init.type))
    .flatMap((init) => {
      if (init === null) return [];
      const { start, end } = init;
      return [
        { start, end: start, text: "/* @__PURE__ */ (() => (" },
        { start: end, end, text: "))()" },
      ];
    });
}
const MADE_BY_CALLS: ReadonlySet<string> = new Set([
  "CallExpression",
  "ObjectExpression",
  "ArrayExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
]);

/** An edit that leaves the line breaks of a part. */
function blank(code: string, start: number, end: number): Edit {
  return { start, end, text: code.slice(start, end).replaceAll(/[^\n]/g, " ") };
}

function withComma(code: string, member: Node): Edit {
  const comma = /^\s*,/.exec(code.slice(member.end));
  return blank(code, member.start, member.end + (comma?.[0].length ?? 0));
}

function keyOf(member: Node): string {
  return String(nodeOf(member["key"])?.["name"]);
}

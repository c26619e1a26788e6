// Most requests use few of the shapes of the API, and each schema takes time to make: so the members of a shape are made when they
// are first needed.
import { childrenOf, nodeOf, nodesOf, parseModule, withEdits, type Edit, type Node } from "./module-edits.ts";

/** Functions of zod that make the schema of an object. */
const OBJECTS: readonly string[] = ["object", "strictObject", "looseObject"];

/**
 * The text of a TypeScript module in which the members of zod's objects are made when the object first parses a value: zod
 * reads the members that it is given once, and lets them be getters. Every line stays where it is.
 */
export function withLateMembers(code: string, lang: "ts" | "tsx"): string {
  if (!/\.(?:\w*[oO]bject|extend)\(/.test(code)) return code;
  return withEdits(code, membersIn(parseModule(code, lang)));
}

function membersIn(node: Node): Edit[] {
  return [
    ...(isObject(node) ? nodesOf(node["arguments"]).slice(0, 1) : []).flatMap(late),
    ...childrenOf(node).flatMap(membersIn),
  ];
}

/** Whether a node is `z.object(…)`, another call that makes a schema of an object, or `.extend(…)`. */
function isObject(node: Node): boolean {
  const callee = nodeOf(node["callee"]);
  const [of, method] = [nodeOf(callee?.["object"]), nodeOf(callee?.["property"])];
  const name = String(method?.["name"]);
  return (
    node.type === "CallExpression" && (name === "extend" || (of?.["name"] === "z" && OBJECTS.includes(name)))
  );
}

/** The edits that make getters of the members whose values are calls. */
function late(shape: Node): Edit[] {
  return nodesOf(shape["properties"]).flatMap((member): Edit[] => {
    const [key, value] = [nodeOf(member["key"]), nodeOf(member["value"])];
    if (key === null || value?.type !== "CallExpression" || member["computed"] === true) return [];
    return [
      { start: key.start, end: key.start, text: "get " },
      { start: key.end, end: value.start, text: "() { return " },
      { start: value.end, end: value.end, text: "; }" },
    ];
  });
}

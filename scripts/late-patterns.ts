// V8 checks each literal of a regular expression when it reads the script, also inside functions that nothing calls. For a
// property of Unicode such as `\p{L}` it makes a set of all characters then: a hundred of them were nearly half of the work of
// reading the script. The text of a pattern costs nothing until a regular expression is made of it.
import { childrenOf, nodeOf, parseModule, withEdits, type Edit, type Node } from "./module-edits.ts";

/** Methods of a string that leave no state in the regular expression that they are given. */
const STATELESS: readonly string[] = ["match", "matchAll", "replace", "replaceAll", "search", "split"];
/** How constants of a module are spelt. No parameter has such a name. */
const CONSTANT = /^[A-Z][A-Z\d_]*$/;

/** A literal that names a property of Unicode, or a call that makes a regular expression of a text, and the nodes around it. */
interface Found {
  node: Node;
  /** The nearest first. */
  around: readonly Node[];
}

/**
 * The text of a TypeScript module in which regular expressions with properties of Unicode, and those that are made of texts, are
 * made at their first use. A constant of the module becomes a function that returns it, and so does a literal inside a function, if
 * it holds no state between calls. The others (an item of a list, a constant that is exported) are made when the module is
 * loaded. `lazyModule` is the import specifier of `src/mail/lazy.ts`. Every line stays where it is.
 */
export function withLatePatterns(code: string, lang: "ts" | "tsx", lazyModule: string): string {
  if (!/\\p\{|new RegExp\(/i.test(code)) return code;
  const program = parseModule(code, lang);
  const constants = new Set<string>();
  const inFunctions: string[] = [];
  const edits = patternsIn(program).flatMap((found): Edit[] => {
    const { start, end } = found.node;
    const literal = literalOf(found.node);
    const constant = constantOf(found);
    if (constant !== null) {
      constants.add(constant);
      const before = { start, end: start, text: "lateOf(() => " };
      return [
        before,
        ...(literal === null ? [] : [{ start, end, text: literal.made }]),
        { start: end, end, text: ")" },
      ];
    }
    if (literal === null) return [];
    if (!isShareable(found, literal.flags)) return [{ start, end, text: ` ${literal.made}` }];
    const name = `late${inFunctions.length}`;
    inFunctions.push(`const ${name} = lateOf(() => ${literal.made});`);
    return [{ start, end, text: ` ${name}()` }];
  });
  if (edits.length === 0) return code;
  for (const name of constants) {
    if (declarations(program, name) > 1) throw new Error(`${name} is declared twice: rename one of them`);
  }
  const head = `import { lazy as lateOf } from ${JSON.stringify(lazyModule)}; ${inFunctions.join(" ")} `;
  return head + withEdits(code, [...edits, ...uses(program, constants)]);
}

function patternsIn(node: Node, around: readonly Node[] = []): Found[] {
  const { regex } = node as { regex?: { pattern: string } };
  if (regex !== undefined) return /\\p\{/i.test(regex.pattern) ? [{ node, around }] : [];
  const below = childrenOf(node).flatMap((child) => patternsIn(child, [node, ...around]));
  const isMade = node.type === "NewExpression" && nodeOf(node["callee"])?.["name"] === "RegExp";
  return isMade ? [{ node, around }, ...below] : below;
}

/** The expression that makes what a literal is; null if the node is none. */
function literalOf(node: Node): { made: string; flags: string } | null {
  const { regex } = node as { regex?: { pattern: string; flags: string } };
  if (regex === undefined) return null;
  const { pattern, flags } = regex;
  return { made: `new RegExp(${JSON.stringify(pattern)}, ${JSON.stringify(flags)})`, flags };
}

/** The name of the constant that a regular expression is the value of, if only its module knows it; null otherwise. */
function constantOf({ around: [declarator, declaration, outer] }: Found): string | null {
  const name = String(nodeOf(declarator?.["id"])?.["name"]);
  const isAlone = declarator?.type === "VariableDeclarator" && outer?.type === "Program";
  return isAlone && declaration?.["kind"] === "const" && CONSTANT.test(name) ? name : null;
}

/** Whether the calls of a function can share the regular expression of a literal in it. */
function isShareable({ around }: Found, flags: string): boolean {
  if (!around.some(({ type }) => /Function/.test(type))) return false;
  if (!/[gy]/.test(flags)) return true;
  const [call] = around;
  const method = nodeOf(nodeOf(call?.["callee"])?.["property"])?.["name"];
  return !flags.includes("y") && call?.type === "CallExpression" && STATELESS.includes(String(method));
}

/** How often a module and its functions declare a constant or variable of this name. */
function declarations(node: Node, name: string): number {
  const isOne = node.type === "VariableDeclarator" && nodeOf(node["id"])?.["name"] === name;
  return childrenOf(node).reduce((sum, child) => sum + declarations(child, name), isOne ? 1 : 0);
}

/** The edits that call constants where their values are used. */
function uses(node: Node, constants: ReadonlySet<string>): Edit[] {
  return childrenOf(node).flatMap((child): Edit[] => {
    if (child.type !== "Identifier") return uses(child, constants);
    const { start, end } = child;
    const name = String(child["name"]);
    if (!constants.has(name) || isName(node, child)) return [];
    const isShorthand = node.type === "Property" && node["shorthand"] === true;
    return [{ start, end, text: isShorthand ? `${name}: ${name}()` : `${name}()` }];
  });
}

/** Whether an identifier names a member, a constant that is declared, or a type, and not a value. */
function isName(node: Node, identifier: Node): boolean {
  if (node.type === "MemberExpression") return node["property"] === identifier && node["computed"] !== true;
  if (node.type === "Property") return node["key"] === identifier;
  return node.type === "VariableDeclarator" ? node["id"] === identifier : node.type === "TSTypeQuery";
}

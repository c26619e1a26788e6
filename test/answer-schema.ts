import type { z } from "zod";
import { PAUSED, ProblemBody, problemBody, WRONG_MAILBOX } from "../src/contract/problem.ts";
import type { RouteSpec } from "../src/contract/route.ts";
import { routes, type RouteId } from "../src/contract/routes.ts";

/** Answers that were checked: `<operationId> <status>`, for every route of the table. */
export const checkedAnswers = new Set<string>();

const table = Object.entries<RouteSpec>(routes).map(([id, spec]) => ({
  id: id as RouteId,
  spec,
  path: new RegExp(`^${spec.path.replaceAll(/:\w+/g, "[^/]+")}$`),
}));

/** The route that serves a request; null for what lies outside the table. */
export function routeOf(method: string, path: string): { id: RouteId; spec: RouteSpec } | null {
  return table.find((route) => route.spec.method === method && route.path.test(path)) ?? null;
}

/** Throws unless a JSON answer is what its route documents for its status, to the last member. */
export function checkAnswer(request: { method: string; path: string }, status: number, body: unknown): void {
  const { method, path } = request;
  const route = routeOf(method, path);
  if (route === null && status < 400) return;
  const faults = shapesOf(route?.spec, status).map((shape) => strictFault(shape, body));
  if (!faults.includes(null)) {
    const why = faults.length === 0 ? "the route documents no JSON for this status" : faults.join("; or ");
    throw new Error(`${method} ${path} answered ${status} against its schema: ${why}`);
  }
  const fault = path.startsWith("/v1/") && status >= 400 ? adviceFault(body) : null;
  if (fault !== null) throw new Error(`${method} ${path} answered ${status}: ${fault}`);
  if (route !== null) checkedAnswers.add(`${route.id} ${status}`);
}

/** The shapes that a JSON answer may have. */
function shapesOf(spec: RouteSpec | undefined, status: number): z.ZodType[] {
  const documented = spec?.responses[status];
  return [
    ...(documented !== undefined && "json" in documented ? [documented.json] : []),
    ...(status >= 400 ? [ProblemBody] : []),
  ];
}

/** Bodies that have exactly these members, because clients compare them. Their `fix` is in a header alone. */
const EXACT_BODIES = [PAUSED, WRONG_MAILBOX].map((problem) => JSON.stringify(problemBody(problem)));

/** Calls that a `fix` names. */
const NAMED_CALL = /\b(GET|POST|PUT|PATCH|DELETE) (\/[\w./<>:@+-]*)/g;

/** The part that is missing in the advice of a refusal of the API; null if it says whether and how to go on. */
export function adviceFault(body: unknown): string | null {
  if (EXACT_BODIES.includes(JSON.stringify(body))) return null;
  const { fix, retryable } = Object(body) as { fix?: unknown; retryable?: unknown };
  if (typeof retryable !== "boolean") return "`retryable` is missing";
  if (typeof fix !== "string" || fix.length < 10) return "`fix` is missing";
  if (fix.length > 500) return `\`fix\` is longer than its header can be: ${fix}`;
  const unserved = [...fix.matchAll(NAMED_CALL)].filter(
    ([, method = "", named = ""]) =>
      named.startsWith("/v1/") && routeOf(method, named.replace(/[.:]+$/, "")) === null,
  );
  return unserved.length === 0 ? null : `\`fix\` names a call that nothing serves: ${fix}`;
}

/** Why a value does not fit a shape, in which a member that the shape does not know is a fault too; null if it fits. */
export function strictFault(shape: z.ZodType, value: unknown): string | null {
  const read = shape.safeParse(value);
  if (!read.success) {
    return read.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join(", ");
  }
  const unknown = lostMember(value, read.data, "");
  return unknown === null ? null : `${unknown}: is not in the schema`;
}

/** The path of a member that is in `value` and not in what its schema read of it; null if there is none. */
function lostMember(value: unknown, read: unknown, path: string): string | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const at = path === "" ? name : `${path}.${name}`;
    const known: unknown = typeof read === "object" && read !== null ? Reflect.get(read, name) : undefined;
    const lost = known === undefined ? at : lostMember(member, known, at);
    if (lost !== null) return lost;
  }
  return null;
}

import type { Api, RouteId } from "./api.ts";
import type { CallOptions, Core, FileBody, RequestPlan } from "./core.ts";
import { MailkeepError } from "./error.ts";
import { pagesFrom, type Listing } from "./listing.ts";
import { METHODS, routeLine, type Group, type ItemsOf, type Line } from "./routes.ts";

/** Routes that take an `Idempotency-Key`. The client makes one, unless the caller gives one. */
type KeyedRoute = "send" | "reply" | "forward";
const KEYED: readonly RouteId[] = ["send", "reply", "forward"] satisfies KeyedRoute[];

/** Options of a route's method: those of every call, and the parameters of a route whose input is its body. */
export type Options<Id extends RouteId> = CallOptions &
  (Api[Id]["takesMailbox"] extends true ? MailboxOption : unknown) &
  (Id extends KeyedRoute ? KeyOption : unknown) &
  ([Api[Id]["file"]] extends [never] ? unknown : FileOption) &
  ([Api[Id]["body"]] extends [never] ? unknown : Api[Id]["query"]);

export interface MailboxOption {
  /** The mailbox to act on, with the operator's key. */
  mailbox?: string;
}

export interface KeyOption {
  /** The same call under the same key happens once. Give one to repeat the call after a restart of your program. */
  idempotencyKey?: string;
}

export interface FileOption {
  /** Media type of the file; that of a Blob unless given. */
  contentType?: string;
}

type InputArgument<Input> = keyof Input extends never
  ? []
  : object extends Input
    ? [input?: Input]
    : [input: Input];

type Input<Id extends RouteId> = [Api[Id]["file"]] extends [never]
  ? [Api[Id]["body"]] extends [never]
    ? InputArgument<Api[Id]["query"]>
    : InputArgument<Api[Id]["body"]>
  : [file: FileBody, ...InputArgument<Api[Id]["query"]>];

/** The values of the path's parameters. */
type InPath<Id extends RouteId> = keyof Api[Id]["params"] extends never
  ? []
  : "address" extends keyof Api[Id]["params"]
    ? [address: string]
    : "n" extends keyof Api[Id]["params"]
      ? [id: string, n: string]
      : [id: string];

type Result<Id extends RouteId> = [Api[Id]["answer"]] extends [never]
  ? Promise<Response>
  : Api[Id]["answer"] extends { next_cursor: string | null }
    ? [ItemsOf<Api[Id]["answer"]>] extends [never]
      ? Promise<Api[Id]["answer"]>
      : Listing<Api[Id]["answer"], ItemOf<Api[Id]["answer"]>>
    : Promise<Api[Id]["answer"]>;

type ItemOf<Page> = Page[ItemsOf<Page> & keyof Page] extends readonly (infer Item)[] ? Item : never;

/** The method that calls a route. */
export type Method<Id extends RouteId> = (
  ...args: [...InPath<Id>, ...Input<Id>, options?: Options<Id>]
) => Result<Id>;

/** The methods of a group. */
export type Methods<Name extends Group> = {
  readonly [Key in keyof (typeof METHODS)[Name]]: Method<(typeof METHODS)[Name][Key] & RouteId>;
};

/** Makes the methods of a group. `mailbox` is the mailbox that calls act on unless they name one; null for the key's own. */
export function methodsOf<Name extends Group>(core: Core, name: Name, mailbox: string | null): Methods<Name> {
  const methods: Record<string, unknown> = {};
  for (const [key, id] of Object.entries<RouteId>(METHODS[name])) methods[key] = methodOf(core, id, mailbox);
  return methods as Methods<Name>;
}

/** Any value of a query. */
type Value = string | number | boolean | Date | null | undefined | readonly string[];
type Query = Readonly<Record<string, Value>>;

type AnyOptions = CallOptions & MailboxOption & KeyOption & FileOption;

/** Arguments of a method, by what they are for. */
interface Arguments {
  params: readonly unknown[];
  file: FileBody | undefined;
  input: unknown;
  options: AnyOptions;
}

function methodOf(core: Core, id: RouteId, mailbox: string | null): (...args: unknown[]) => unknown {
  return (...args) => {
    const line = routeLine(id);
    const given = argumentsOf(line, args);
    const { options } = given;
    const plan = (input: unknown) => planOf(id, line, { ...given, input }, mailbox);
    if (line.gives === "bytes") return run(() => core.bytes(plan(given.input), options));
    if (line.gives === "json") return run(() => core.json(plan(given.input), options));
    return pagesFrom(line.gives, async (cursor) => {
      const further = cursor === null ? {} : { offset: null, cursor };
      return core.json(plan({ ...(given.input as Query), ...further }), options);
    });
  };
}

/** A wrong argument rejects, as every other failure does. */
async function run(call: () => Promise<unknown>): Promise<unknown> {
  return call();
}

function argumentsOf({ path, takes }: Line, args: readonly unknown[]): Arguments {
  const rest = [...args];
  const params = rest.splice(0, path.split(":").length - 1);
  const file = takes.includes("/") ? (rest.shift() as FileBody) : undefined;
  const input = takes === "nothing" ? undefined : rest.shift();
  return { params, file, input, options: (rest.shift() ?? {}) as AnyOptions };
}

function planOf(id: RouteId, line: Line, given: Arguments, mailbox: string | null): RequestPlan {
  const { method, takes } = line;
  const { params, file, input, options } = given;
  const { contentType, idempotencyKey } = options;
  const parameters = takes === "body" ? parametersOf(options) : (input as Query | undefined);
  const query: Query = { ...parameters, mailbox: line.takesMailbox ? (options.mailbox ?? mailbox) : null };
  const isKeyed = KEYED.includes(id);
  return {
    method,
    path: pathOf(line.path, params) + queryText(query),
    json: takes === "body" ? input : undefined,
    file: file === undefined ? undefined : { body: file, contentType: contentType ?? typeOf(file, takes) },
    idempotencyKey: isKeyed ? (idempotencyKey ?? newKey()) : undefined,
    // A code that is handed out once may be lost with its answer, and a repeat would wait for another.
    isRepeatable: isKeyed || (method === "GET" && query.consume !== true),
    defaultTimeoutMs: file === undefined ? DEFAULT_TIMEOUT_MS + heldMs(query) : Infinity,
  };
}

/** The names of options that are no parameters. */
const OWN_OPTIONS: ReadonlySet<string> = new Set([
  "signal",
  "timeoutMs",
  "retries",
  "headers",
  "idempotencyKey",
] satisfies (keyof CallOptions | keyof KeyOption)[]);

function parametersOf(options: AnyOptions): Query {
  const given = Object.entries({ ...options } as Query);
  return Object.fromEntries(given.filter(([name]) => !OWN_OPTIONS.has(name)));
}

/** Time limit of a call, in ms. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** How long the service is asked to wait before it answers, in ms. */
function heldMs({ timeout, wait }: Query): number {
  return 1_000 * Math.max(0, Number(timeout ?? 0), Number(wait ?? 0));
}

/** A key that nobody else uses or guesses: 128 random bits in hex. (`randomUUID` is missing on pages without TLS.) */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function typeOf(file: FileBody, takes: string): string {
  if (takes !== "*/*") return takes;
  return (file instanceof Blob ? file.type : "") || "application/octet-stream";
}

/** A path with its parameters filled in. Throws MailkeepError for a value that would lead to another path. */
function pathOf(path: string, params: readonly unknown[]): string {
  let next = 0;
  return path.replaceAll(/:(\w+)/g, (_, field: string) => {
    const param = params[next++];
    // Addresses of the web resolve "." and "..", however they are escaped.
    if (typeof param !== "string" || /^\.{0,2}$/.test(param)) {
      const message = `${field}: must be one that the service gave, and is ${JSON.stringify(param)}`;
      throw new MailkeepError({ status: 0, code: "invalid", message, field });
    }
    return encodeURIComponent(param);
  });
}

/** `?a=1&b=2`, or "" where nothing is given. Empty values are left out. */
function queryText(query: Query): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const text of textsOf(name, value)) if (text !== "") pairs.append(name, text);
  }
  const text = pairs.toString();
  return text === "" ? "" : `?${text}`;
}

/** The values of a parameter. A list is a parameter for each entry, except `types`. */
function textsOf(name: string, value: Value): readonly string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "string") return [value];
  if (value instanceof Date) return [value.toISOString()];
  if (typeof value !== "object") return [String(value)];
  return name === "types" || name === "include" ? [value.join(",")] : value;
}

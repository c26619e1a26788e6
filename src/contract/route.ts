import type { z } from "zod";
import { named, none } from "./parameters.ts";
import type { Scope } from "./scope.ts";

/** Groups of routes, as the API reference shows them. */
export const TAGS = {
  Guide: "What an agent reads first.",
  Keys: "Who asks, temporary mailboxes, and the keys of a mailbox.",
  Claim: "A permanent mailbox that a person approves.",
  Mailbox: "State and settings of a mailbox.",
  Rules: "Who may write to the mailbox, and the mail that was refused.",
  Reading: "Emails, threads, attachments, verification codes and extracted data.",
  "Sign-ups": "Codes of one expected sender, and one-time passwords.",
  Sending: "Messages, their files, and addresses that nothing is sent to.",
  Events: "What happens in a mailbox, as a stream or page by page.",
  Webhooks: "Where events are delivered, and what became of each delivery.",
  Domains: "Domains of one's own.",
  Moving: "A mailbox taken elsewhere, and mail brought from elsewhere.",
  Operator: "Administration of the deployment.",
} as const;
export type Tag = keyof typeof TAGS;

/** The thing that a route acts on; it decides which credential the route needs. */
export type Target =
  /** Nothing that belongs to anybody; it needs no credential. */
  | "public"
  /** One mailbox: the key's own, or the one an operator names. */
  | "mailbox"
  /** The caller itself; an operator may, but need not, name a mailbox. */
  | "caller"
  /** The deployment: the operator alone. */
  | "deployment";

/** A response in JSON. */
export interface JsonSpec<Shape extends z.ZodType = z.ZodType> {
  json: Shape;
  about: string;
}

/** A response in bytes of a media type. */
export interface MediaSpec {
  media: string;
  about: string;
  example: string;
}

export type ResponseSpec = JsonSpec | MediaSpec;

/** Responses by status, without refusals. An answer that names no status has the lowest. */
export type ResponseSpecs = Readonly<Record<number, ResponseSpec>>;

type Shape = z.ZodObject;

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A header field of a request, which may be left out. */
export interface HeaderSpec {
  about: string;
  /** A regular expression that a value must match. */
  pattern: string;
  example: string;
}

/** One entry of the route table. Handlers, OpenAPI and clients derive from it, so that they cannot drift. */
export interface RouteSpec<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends z.ZodType = z.ZodType,
  Acts extends Target = Target,
  Responses extends ResponseSpecs = ResponseSpecs,
  Method extends string | undefined = string | undefined,
  Args extends readonly unknown[] = readonly unknown[],
  Verb extends HttpMethod = HttpMethod,
  Path extends string = string,
> {
  method: Verb;
  /** Hono's spelling: `:name` is one segment. */
  path: Path;
  summary: string;
  tag: Tag;
  target: Acts;
  /** Scopes that may call it; of no meaning for a public route. */
  scopes: readonly Scope[];
  /** Works on a paused mailbox too. */
  whilePaused?: boolean;
  params: Params;
  query: Query;
  /** Header fields that the route reads, besides Authorization and those of a body, by name. */
  headers?: Readonly<Record<string, HeaderSpec>>;
  /** A JSON body; null where none is read. */
  body: Body | null;
  /**
   * The most bytes of a JSON body, where the usual limit is not enough, with the error and the next step of a larger one.
   * `shape`: items of one list, and members and items of the whole, where more than usual are right.
   */
  bodyLimit?: {
    bytes: number;
    error: string;
    fix?: string;
    shape?: { entries: number; values: number };
  };
  /** A JSON body may carry files: the most bytes of it besides them, and the error of a larger one. */
  inlineFiles?: { heldBytes: number; error: string };
  /** A body that is not JSON: its media type. */
  rawBody?: { media: string; example: string };
  responses: Responses;
  /** The method of the mailbox that answers; such a route has no handler. http/mailbox-calls.ts checks its types. */
  calls?: Method;
  /** The method's arguments, after the caller's access; none unless given. */
  args?(input: Input<Params, Query, Body>): Args;
}

/**
 * States a route with the types of its parts. Unless it says otherwise it has no parameters in its path, `?mailbox=` as its query,
 * and no body.
 */
export function route<
  Body extends z.ZodType,
  const Acts extends Target,
  Responses extends ResponseSpecs,
  Params extends Shape = typeof none,
  Query extends Shape = typeof named,
  const Method extends string | undefined = undefined,
  const Args extends readonly unknown[] = readonly [],
  Verb extends HttpMethod = HttpMethod,
  Path extends string = string,
>(
  spec: Stated<RouteSpec<Params, Query, Body, Acts, Responses, Method, Args, Verb, Path>>,
): RouteSpec<Params, Query, Body, Acts, Responses, Method, Args, Verb, Path> {
  return { params: none, query: named, body: null, ...spec } as RouteSpec<
    Params,
    Query,
    Body,
    Acts,
    Responses,
    Method,
    Args,
    Verb,
    Path
  >;
}

/** A route whose parts have defaults. */
type Stated<Spec extends RouteSpec> = Omit<Spec, "params" | "query" | "body"> &
  Partial<Pick<Spec, "params" | "query" | "body">>;

interface Input<Params extends Shape, Query extends Shape, Body extends z.ZodType> {
  params: z.output<Params>;
  query: z.output<Query>;
  body: z.output<Body>;
}

/** A request as its handler gets it, after each part was parsed by its schema. */
export type RouteInput<Spec extends RouteSpec> =
  Spec extends RouteSpec<infer Params, infer Query, infer Body> ? Input<Params, Query, Body> : never;

/** The statuses of a route, without refusals. */
export type Status<Spec extends RouteSpec> = keyof Spec["responses"] & number;

/** The value of a route's JSON answers; never where it answers in bytes. */
export type Output<Spec extends RouteSpec> =
  Spec["responses"][Status<Spec>] extends JsonSpec<infer Shape> ? z.output<Shape> : never;

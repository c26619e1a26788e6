import type { z } from "zod";
import type { Scope } from "./scope.ts";

/** What a route acts on, and so what its caller must show. */
export type Target =
  /** Nothing that belongs to anybody: no credential. */
  | "public"
  /** One mailbox: the key's own, or the one an operator names. */
  | "mailbox"
  /** The caller itself; an operator may, but need not, name a mailbox. */
  | "caller"
  /** The deployment: the operator alone. */
  | "deployment";

/** An answer of a route: a JSON shape, or bytes of a media type. */
export type ResponseSpec = { json: z.ZodType; about: string } | { media: string; about: string };

type Shape = z.ZodObject;

/** One entry of the route table. Handlers, OpenAPI and clients derive from it, so that they cannot drift. */
export interface RouteSpec<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends z.ZodType = z.ZodType,
  Acts extends Target = Target,
> {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Hono's spelling: `:name` is one segment. */
  path: string;
  summary: string;
  tag: string;
  target: Acts;
  /** Scopes that may call it; of no meaning for a public route. */
  scopes: readonly Scope[];
  /** Works on a paused mailbox too. */
  whilePaused?: boolean;
  params: Params;
  query: Query;
  /** A JSON body; null where none is read. */
  body: Body | null;
  /** Bytes of a JSON body at most, where the usual limit is not enough, and what who sends more is told. */
  bodyLimit?: { bytes: number; error: string };
  /** A JSON body may carry files: bytes of it besides them, and what who sends more is told. */
  inlineFiles?: { heldBytes: number; error: string };
  /** The media type of a body that is not JSON. */
  rawBody?: string;
  responses: Record<number, ResponseSpec>;
}

/** States a route with the types of its parts kept. */
export function route<
  Params extends Shape,
  Query extends Shape,
  Body extends z.ZodType,
  const Acts extends Target,
>(spec: RouteSpec<Params, Query, Body, Acts>): RouteSpec<Params, Query, Body, Acts> {
  return spec;
}

/** What a handler gets of a request once every part fitted its schema. */
export type RouteInput<Spec extends RouteSpec> =
  Spec extends RouteSpec<infer Params, infer Query, infer Body>
    ? { params: z.output<Params>; query: z.output<Query>; body: z.output<Body> }
    : never;

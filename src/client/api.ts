// Types only: the shapes of every route, computed from the route table. Nothing of this file is left at run time, and it is the
// only file of the client that mentions the table or zod.
import type * as z from "zod";
import type { LoggedData } from "../contract/event.ts";
import type { ResponseSpecs } from "../contract/route.ts";
import type { routes } from "../contract/routes.ts";
import type { StoredContent } from "../contract/sending.ts";

type Table = typeof routes;

export type { Change, EventKind } from "../contract/event.ts";
export type { ProblemCode } from "../contract/problem.ts";

/** The body of a webhook. */
export interface WebhookEvent extends LoggedData {
  /** The same at every attempt, redelivery and replay: remember it to drop repeats. */
  event_id: string;
  /** 0 for a test event. */
  seq: number;
  /** Only of a test event. */
  test?: true;
}

/** The operationId of an endpoint. */
export type RouteId = keyof Table;

/** Every endpoint: how it is called, what it takes and what it answers. */
export type Api = {
  [Id in RouteId]: {
    method: Table[Id]["method"];
    path: Table[Id]["path"];
    /** The parameters of the path. */
    params: Known<z.output<Table[Id]["params"]>>;
    /** Whether `?mailbox=` names the mailbox to act on. */
    takesMailbox: "mailbox" extends keyof Known<z.output<Table[Id]["query"]>> ? true : false;
    query: QueryOf<Known<z.output<Table[Id]["query"]>>, z.input<Table[Id]["query"]>>;
    /** The JSON body; never where there is none to give. */
    body: Needing<BodyOf<z.input<Exclude<Table[Id]["body"], null>>>, Needed[Id & keyof Needed]>;
    /** The media type of the file that is the body; never where it is JSON or not there. */
    file: Id extends keyof Files ? Files[Id] : never;
    /** The JSON of the answer; never where it is bytes. */
    answer: AnswerOf<Table[Id]["responses"]>;
  };
};

/** Routes whose body is a file, with its media type. */
interface Files {
  upload: "*/*";
  importMail: "*/*";
  inbound: "message/rfc822";
}

/** Members that a body needs, although its schema reads one without them in order to refuse it with a text of its own. */
interface Needed {
  send: "to" | "subject";
  forward: "to";
}

/** An object without members has an index signature in zod. */
type Known<Members> = string extends keyof Members ? object : Members;

type QueryOf<Read, Sent> = Optional<{
  [Name in Exclude<keyof Read, "mailbox">]:
    | Parameter<Read[Name]>
    | (undefined extends Sent[Name & keyof Sent] ? undefined : never);
}>;

/** A parameter as the caller gives it, by the value that the service reads from its text. */
type Parameter<Read> = [NonNullable<Read>] extends [boolean]
  ? boolean
  : [NonNullable<Read>] extends [number]
    ? // The service reads a time as a number or null, and every other number with a default.
      null extends Read
      ? Date | string
      : number
    : NonNullable<Read> extends readonly (infer Entry)[]
      ? readonly Entry[]
      : Exclude<Read, "" | null | undefined>;

/** A route that states no body has `unknown` here; a body without members is nothing to give. */
type BodyOf<Sent> = unknown extends Sent ? never : string extends keyof Sent ? never : JsonInput<Sent>;

/** As `Body`, with the members `Names` required. */
type Needing<Body, Names> = [Names] extends [never]
  ? Body
  : Flat<
      { [Name in keyof Body as Name extends Names ? Name : never]-?: NonNullable<Body[Name]> } & {
        [Name in keyof Body as Name extends Names ? never : Name]: Body[Name];
      }
    >;

/** A JSON value as the caller gives it: lists may be read-only, and a member that may be undefined may be left out. */
type JsonInput<Value> = Value extends StoredContent
  ? never
  : Value extends string | number | boolean | null | undefined
    ? Value
    : Value extends readonly (infer Entry)[]
      ? readonly JsonInput<Entry>[]
      : string extends keyof Value
        ? Readonly<Value>
        : Optional<{ [Name in keyof Value]: JsonInput<Value[Name]> }>;

/** Makes the members optional that may be undefined. */
type Optional<Members> = Flat<
  { [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name] } & {
    [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Members[Name];
  }
>;

type Flat<Members> = { [Name in keyof Members]: Members[Name] };

type AnswerOf<Responses extends ResponseSpecs> = Responses[keyof Responses & number] extends infer Response
  ? Response extends { json: infer Shape extends z.ZodType }
    ? z.output<Shape>
    : never
  : never;

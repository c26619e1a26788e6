import type { Answer } from "../contract/problem.ts";
import type { Output, RouteInput, RouteSpec, Status } from "../contract/route.ts";
import type { Config } from "../config/env.ts";
import type { Access } from "../mailbox/account/access.ts";
import type { MailboxStub } from "../service/mailbox-stub.ts";
import type { Waiting } from "../service/wait.ts";
import type { Bytes, Json, Reply } from "./answers.ts";

/** Every handler gets this. */
interface BaseCall<Spec extends RouteSpec> {
  input: RouteInput<Spec>;
  request: Request;
  env: Env;
  config: Config;
  /** Names of the parameters and body members that the route does not know. */
  ignored: readonly string[];
  /** The origin of this deployment as clients see it. */
  origin: string;
  /** By what another request may end the waits of this one: their ids begin with it. */
  waitTag?: string;
}

/** Handlers that act on a mailbox also get the mailbox, and the caller's access, which the mailbox judges. */
interface MailboxCall {
  mailbox: MailboxStub;
  access: Access;
}

/** As `MailboxCall`, for handlers about the caller itself: an operator may name no mailbox. */
interface CallerCall {
  mailbox: MailboxStub | null;
  access: Access;
}

export type CallFor<Spec extends RouteSpec> = BaseCall<Spec> &
  (Spec["target"] extends "mailbox" ? MailboxCall : Spec["target"] extends "caller" ? CallerCall : unknown);

/** The answer of a route: JSON of its shape, with its lowest status unless a `Reply` names another, maybe later; or bytes. */
export type Result<Spec extends RouteSpec> = [Output<Spec>] extends [never]
  ? Bytes<Status<Spec>>
  : Json<Output<Spec>> | Reply<Status<Spec>, Output<Spec>> | Waiting<Json<Output<Spec>>>;

export type Handler<Spec extends RouteSpec> = (call: CallFor<Spec>) => Promise<Answer<Result<Spec>>>;

/** A handler for every route that calls no method of the mailbox. A missing handler does not compile. */
export type HandlersOf<Routes extends Record<string, RouteSpec>> = {
  [Id in keyof Routes as [NonNullable<Routes[Id]["calls"]>] extends [never] ? Id : never]: Handler<
    Routes[Id]
  >;
};

import type { Answer } from "../contract/problem.ts";
import type { Output, RouteInput, RouteSpec, Status } from "../contract/route.ts";
import type { Config } from "../config/env.ts";
import type { Access } from "../mailbox/access.ts";
import type { MailboxStub } from "../service/mailbox-stub.ts";
import type { Bytes, Json, Reply } from "./answers.ts";

/** What every handler is given. */
interface BaseCall<Spec extends RouteSpec> {
  input: RouteInput<Spec>;
  request: Request;
  env: Env;
  config: Config;
  /** Names of what the request says and the route does not know. */
  ignored: readonly string[];
  /** Base address as the client sees it. */
  origin: string;
}

/** What a handler that acts on a mailbox is given besides: the mailbox, and the caller's access for it to judge. */
interface MailboxCall {
  mailbox: MailboxStub;
  access: Access;
}

/** What a handler about the caller itself is given: an operator may have named no mailbox. */
interface CallerCall {
  mailbox: MailboxStub | null;
  access: Access;
}

export type CallFor<Spec extends RouteSpec> = BaseCall<Spec> &
  (Spec["target"] extends "mailbox" ? MailboxCall : Spec["target"] extends "caller" ? CallerCall : unknown);

/** What a route may answer: the JSON of its shape, under its lowest status unless a `Reply` names another; or bytes. */
export type Result<Spec extends RouteSpec> = [Output<Spec>] extends [never]
  ? Bytes<Status<Spec>>
  : Json<Output<Spec>> | Reply<Status<Spec>, Output<Spec>>;

export type Handler<Spec extends RouteSpec> = (call: CallFor<Spec>) => Promise<Answer<Result<Spec>>>;

/** A handler for every route that does not name a method of the mailbox: one that is missing does not compile. */
export type HandlersOf<Routes extends Record<string, RouteSpec>> = {
  [Id in keyof Routes as [NonNullable<Routes[Id]["calls"]>] extends [never] ? Id : never]: Handler<
    Routes[Id]
  >;
};

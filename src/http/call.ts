import type { Answer } from "../contract/problem.ts";
import type { RouteInput, RouteSpec } from "../contract/route.ts";
import type { RouteId, routes } from "../contract/routes.ts";
import type { Config } from "../config/env.ts";
import type { Access } from "../mailbox/account/access.ts";
import type { MailboxStub } from "../service/mailbox-stub.ts";

export type { MailboxStub };

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
}

/** What a handler that acts on a mailbox is given besides: the mailbox, and the caller's wish for it to judge. */
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

export type Handler<Id extends RouteId> = (call: CallFor<(typeof routes)[Id]>) => Promise<Answer<Response>>;

/** A handler for every route: one that is missing does not compile. */
export type Handlers = { [Id in RouteId]: Handler<Id> };

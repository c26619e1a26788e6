import type { Answer } from "../contract/problem.ts";
import type { Output, RouteInput, RouteSpec } from "../contract/route.ts";
import type { routes } from "../contract/routes.ts";
import type { Access } from "../mailbox/account/access.ts";
import type { MailboxApi } from "../mailbox/api.ts";
import type { MailboxStub } from "../service/mailbox-stub.ts";
import type { Json } from "./answers.ts";

type Routes = typeof routes;

/** Whether the mailbox has the method that a route names, and it takes the route's arguments and answers its shape. */
type Fits<Spec extends RouteSpec> = Spec["calls"] extends keyof MailboxApi | undefined
  ? MailboxApi[NonNullable<Spec["calls"]>] extends infer Method extends (...args: never) => unknown
    ? [Access, ...ReturnType<NonNullable<Spec["args"]>>] extends Parameters<Method>
      ? Awaited<ReturnType<Method>> extends Answer<Json<Output<Spec>>>
        ? true
        : false
      : false
    : false
  : false;

/** Ids of the routes that name a method of the mailbox and do not fit it. */
type Unfit = {
  [Id in keyof Routes]: [NonNullable<Routes[Id]["calls"]>] extends [never]
    ? never
    : Routes[Id]["target"] extends "mailbox"
      ? Fits<Routes[Id]> extends true
        ? never
        : Id
      : Id;
}[keyof Routes];

type None<Ids extends never> = Ids;
/** The compiler names here every route that does not fit the method it calls. */
export type AllFit = None<Unfit>;

/** A request to the mailbox. */
interface MailboxCall {
  mailbox: MailboxStub;
  access: Access;
  input: RouteInput<RouteSpec>;
}

type Method = (access: Access, ...args: readonly unknown[]) => Promise<Answer<unknown>>;

/** Asks the mailbox by the method that the route calls. */
export function callMailbox(
  spec: RouteSpec,
  { mailbox, access, input }: MailboxCall,
): Promise<Answer<unknown>> {
  // `AllFit` says that the mailbox has the method, and that it takes these arguments.
  const method = Reflect.get(mailbox, spec.calls ?? "") as Method;
  return Reflect.apply(method, mailbox, [access, ...(spec.args?.(input) ?? [])]);
}

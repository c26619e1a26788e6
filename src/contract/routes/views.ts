import * as z from "zod";
import { id, integer, mailbox } from "../parameters.ts";
import { route } from "../route.ts";
import { ANYONE } from "../scope.ts";
import {
  EmailLink,
  EmailView,
  LEAST_BUDGET,
  MAIL_BUDGET,
  MAX_BUDGET,
  THREAD_BUDGET,
  ThreadView,
} from "../view.ts";
import { byId, json } from "./common.ts";

const budget = (fallback: number) =>
  integer({
    min: LEAST_BUDGET,
    max: MAX_BUDGET,
    fallback,
    about: `Tokens of the text at most; clamped to ${MAX_BUDGET}.`,
  });

const INCLUDED = ["hidden", "quoted"] as const;
const Included = z.enum(INCLUDED);

/** Names of additions to a view, separated by commas. */
const include = z
  .string()
  .optional()
  .transform((text, context) => {
    const named = (text ?? "").split(",", INCLUDED.length + 1).map((name) => name.trim());
    const read = z.array(Included).safeParse(named.filter((name) => name !== ""));
    if (read.success) return read.data;
    context.addIssue({
      code: "custom",
      message: `must be some of ${INCLUDED.join(", ")}, separated by commas`,
    });
    return z.NEVER;
  })
  .meta({
    type: "string",
    description:
      "`hidden`: lists the texts that are not shown. `quoted`: shows quoted text and the signature too.",
    example: "hidden,quoted",
  });

const LinkOfEmail = z.object({
  id,
  n: id.meta({ description: "The number of the link, as the view shows it.", example: "1" }),
});

/** Emails in the form in which a model reads them: visible text only. */
export const viewRoutes = {
  emailView: route({
    method: "GET",
    path: "/v1/emails/:id/view",
    tag: "Reading",
    summary: "One email for a model: visible text within a budget of tokens",
    target: "mailbox",
    scopes: ANYONE,
    params: byId,
    query: z.object({ mailbox, budget: budget(MAIL_BUDGET), include }),
    responses: { 200: json(EmailView) },
  }),
  emailLink: route({
    method: "GET",
    path: "/v1/emails/:id/links/:n",
    tag: "Reading",
    summary: "The address of a link, by its number in the view",
    target: "mailbox",
    scopes: ANYONE,
    params: LinkOfEmail,
    responses: { 200: json(EmailLink) },
  }),
  threadView: route({
    method: "GET",
    path: "/v1/threads/:id/view",
    tag: "Reading",
    summary: "One conversation for a model: the new text of each email",
    target: "mailbox",
    scopes: ANYONE,
    params: byId,
    query: z.object({ mailbox, budget: budget(THREAD_BUDGET) }),
    responses: { 200: json(ThreadView) },
  }),
} as const;

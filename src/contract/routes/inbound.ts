import * as z from "zod";
import { MAX_INBOUND_RECIPIENTS } from "../limits.ts";
import { SENDER_CHECK_HEADER } from "../checked-sender.ts";
import { text } from "../parameters.ts";
import { ProblemBody } from "../problem.ts";
import { route } from "../route.ts";
import { OPERATORS } from "../scope.ts";
import { json, MESSAGE } from "./common.ts";

/** The envelope and origin of a message handed over by HTTP. */
const InboundQuery = z.object({
  from: z
    .string()
    .max(320, "must be at most 320 characters")
    .default("")
    .meta({ description: "Envelope sender; empty for the null sender." }),
  to: z
    .array(z.string())
    .min(1, "is required")
    .max(MAX_INBOUND_RECIPIENTS, `must be given at most ${MAX_INBOUND_RECIPIENTS} times`)
    .refine((all) => all.every((one) => one !== ""), "is required")
    .refine((all) => all.every((one) => one.length <= 320), "must be at most 320 characters")
    .meta({ description: "Envelope recipient; repeat the parameter for each recipient." }),
  via: z
    .enum(["smtp", "http"])
    .default("http")
    .meta({ description: "The transport by which the message arrived." }),
  client: text("Network address of the sending server.", 64),
  helo: text("Name the sending server gave.", 255),
});

const Handed = z.object({ id: z.string(), duplicate: z.boolean() });
/** The outcome for each of several recipients: `status` is that of the answer if it were the only recipient. */
const HandedToSeveral = z.object({
  recipients: z.array(
    z.object({
      to: z.string(),
      status: z.int(),
      ...Handed.partial().shape,
      ...ProblemBody.partial().shape,
    }),
  ),
});

/** Messages that a server in front of this one hands over. */
export const inboundRoutes = {
  inbound: route({
    method: "POST",
    path: "/v1/inbound",
    tag: "Operator",
    summary: "Hand over a message; of several recipients that are one mailbox it stores one copy",
    target: "deployment",
    scopes: OPERATORS,
    query: InboundQuery,
    headers: {
      [SENDER_CHECK_HEADER]: {
        about:
          "Sent by this service's own SMTP listener: its findings about the sender, as JSON; `unchecked` where it checks nothing. With it, no Authentication-Results field of the message is believed.",
        pattern: "^(unchecked|\\{.*\\})$",
        example: "unchecked",
      },
    },
    rawBody: { media: "message/rfc822", example: MESSAGE },
    responses: {
      202: json(
        z.union([Handed, HandedToSeveral]),
        "Stored. With several recipients: what became of it for each of them.",
      ),
    },
  }),
} as const;

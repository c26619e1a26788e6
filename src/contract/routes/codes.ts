import * as z from "zod";
import { CodeAnswer } from "../message.ts";
import { flag, instant, integer, mailbox, share, text } from "../parameters.ts";
import { route } from "../route.ts";
import { ANYONE } from "../scope.ts";
import { json } from "./common.ts";

/** Seconds a code poll waits at most. */
const MAX_CODE_WAIT_SECONDS = 55;

/** Ten years: older mail is asked for without a limit. */
const MAX_AGE_SECONDS = 315_360_000;

/** Codes and links of which the reader is less sure are not answered. */
export const LEAST_CONFIDENCE = 0.7;

export const CodeQuery = z.object({
  mailbox,
  timeout: integer({
    min: 1,
    max: MAX_CODE_WAIT_SECONDS,
    fallback: 30,
    about: "Seconds to wait; clamped to 55.",
  }),
  since: instant("Only codes received after this time. Without it the newest code answers at once."),
  max_age: integer({
    min: 0,
    max: MAX_AGE_SECONDS,
    fallback: 0,
    about: "Only codes received in this many seconds before the call. Default: 0 (of any age).",
  }),
  from: text("Part of the sender's address or name."),
  consume: flag("Hand a code out once: later calls no longer see it."),
  min_confidence: share({
    min: LEAST_CONFIDENCE,
    fallback: LEAST_CONFIDENCE,
    about:
      "The least confidence of a code or link that the call answers; until there is one, it waits for `timeout`. Of the answers with a confidence of 0.9, nine in ten are right. A lower value than the default is raised to it.",
  }),
  kind: z.enum(["code", "link", "any"]).default("code").meta({ description: "What counts as a hit." }),
});
export type CodeFilters = Omit<z.output<typeof CodeQuery>, "max_age">;

/** Verification codes. */
export const codeRoutes = {
  code: route({
    method: "GET",
    path: "/v1/code",
    tag: "Reading",
    summary: "Wait for a verification code",
    target: "mailbox",
    scopes: ANYONE,
    query: CodeQuery,
    responses: { 200: json(CodeAnswer, "The code, or `{ code: null }` when none came in time.") },
  }),
} as const;

import * as z from "zod";
import { CodeAnswer } from "../message.ts";
import { flag, instant, integer, mailbox, text } from "../parameters.ts";
import { route } from "../route.ts";
import { ANYONE } from "../scope.ts";
import { json } from "./common.ts";

/** Seconds a code poll waits at most. */
const MAX_CODE_WAIT_SECONDS = 55;
export const CodeQuery = z.object({
  mailbox,
  timeout: integer({
    min: 1,
    max: MAX_CODE_WAIT_SECONDS,
    fallback: 30,
    about: "Seconds to wait; clamped to 55.",
  }),
  since: instant("Only codes received after this time. Without it the newest code answers at once."),
  from: text("Part of the sender's address or name."),
  consume: flag("Hand a code out once: later calls no longer see it."),
  kind: z.enum(["code", "link", "any"]).default("code").meta({ description: "What counts as a hit." }),
});
export type CodeFilters = z.output<typeof CodeQuery>;

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

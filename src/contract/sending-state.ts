import * as z from "zod";
import { Timestamp } from "./message.ts";

/** Whether the deployment hands over mail, as its operator decided. */
export const SendingState = z
  .object({
    status: z.enum(["active", "halted"]).meta({
      description: "`halted`: accepted messages wait, and no mailbox hands one over.",
      examples: ["halted"],
    }),
    reason: z
      .string()
      .nullable()
      .meta({ description: "Why it is halted.", examples: ["A key leaked"] }),
    halted_at: Timestamp.nullable().meta({ description: "Since when it is halted; null while it is not." }),
  })
  .meta({ id: "SendingState" });
export type SendingState = z.infer<typeof SendingState>;

/** The operator halted the sending of the whole deployment. */
export interface SendingHalt {
  /** Since when, in ms since 1970. */
  at: number;
  reason: string | null;
}

/** The state as the API shows it; null = sending is not halted. */
export function shownSendingState(halt: SendingHalt | null): SendingState {
  return halt === null
    ? { status: "active", reason: null, halted_at: null }
    : { status: "halted", reason: halt.reason, halted_at: new Date(halt.at).toISOString() };
}

/** Hint in answers that show a message which waits because sending is halted. */
export const HALTED_HINT =
  "Sending is halted by the operator of this deployment. Messages are accepted and wait; they are sent when it is resumed";

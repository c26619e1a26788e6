import * as z from "zod";

/** Why a server takes no traffic now, as `GET /readyz` names it, with its meaning. */
export const UNREADY_REASONS = {
  draining: "The server was told to stop. It finishes the work that it has begun, and accepts no new work.",
  disk_not_writable: "A file could not be written and synced in the data folder: mail would be refused.",
  misconfigured: "A setting is wrong or a binding is missing. `mailkeep-server doctor` names it.",
  host_not_answering: "The server's own process does not answer, so the state of its disk is unknown.",
} as const;

export type UnreadyReason = keyof typeof UNREADY_REASONS;

/** The body of `GET /readyz`. */
export const Readiness = z.object({
  status: z.enum(["ready", "not_ready"]),
  reasons: z.array(z.enum(Object.keys(UNREADY_REASONS) as UnreadyReason[])),
});
export type Readiness = z.infer<typeof Readiness>;

import type { CloudflareApi } from "./api.ts";
import type { CloudflareFailure, Stop } from "./failure.ts";
import type { Journal, Made } from "./journal.ts";
import type { Permission } from "./permissions.ts";
import type { Existing, Wanted } from "./wanted.ts";
import type { Deployment } from "./wrangler.ts";

/** Whether one thing is made, changed, removed, or left as it is. */
export interface Decision {
  kind: "make" | "change" | "remove" | "leave";
  /** The thing as it is or will be, for the plan. */
  words: string;
}

/** Everything that steps need. */
export interface StepContext {
  api: CloudflareApi;
  wanted: Wanted;
  existing: Existing;
  journal: Journal;
  deployment: Deployment;
  /** The operator's key: kept in a file of the operator, made when it is first asked for. */
  operatorKey: () => string;
  /** Makes another secret, which nobody needs to read. */
  makeSecret: (name: string) => string;
}

/**
 * One part of a deployment, such as the bucket. A step checks before it acts and after it, so that it may be repeated at any
 * time. It reads the present state (`read`), decides what to do without any further call (`decide`), and does it.
 */
export interface Step {
  /** For tests. */
  id: string;
  title: string;
  permission: Permission | null;
  /** Reads what is there, and decides. Throws a {@link Stop} if the operator must change something first. */
  check(): Promise<Decision>;
  /** Does what the last check decided. */
  act(): Promise<void>;
  /** The entry of the journal for what the last check decided to make or change; null for none. */
  made(): Made | null;
  /** The {@link Stop} for a failure that this step knows; null for any other. */
  explain?(failure: CloudflareFailure): Stop | null;
}

/** The parts of a step that sees `Seen`. */
export interface StepParts<Seen> extends Pick<Step, "id" | "title" | "permission" | "explain"> {
  read: () => Promise<Seen>;
  decide: (seen: Seen) => Decision;
  act: (seen: Seen) => Promise<void>;
  made?: (seen: Seen) => Made | null;
}

/** A step of its parts. */
export function stepOf<Seen>({ read, decide, act, made, ...rest }: StepParts<Seen>): Step {
  let last: { seen: Seen } | null = null;
  const seen = (): Seen => {
    if (last === null) throw new Error(`The step ${rest.id} acts before it looked`);
    return last.seen;
  };
  return {
    ...rest,
    check: async () => {
      last = { seen: await read() };
      return decide(last.seen);
    },
    act: () => act(seen()),
    made: () => made?.(seen()) ?? null,
  };
}

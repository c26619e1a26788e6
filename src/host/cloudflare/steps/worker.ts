import { CloudflareFailure, Stop } from "../failure.ts";
import { listQueues } from "../queues.ts";
import { stepOf, type Step, type StepContext } from "../step.ts";
import { hearsEvents, namesOf } from "../wanted.ts";
import { putSecret, secretNames, workerState, workerVersion, type WorkerState } from "../workers.ts";

/** The state that the step of the worker has read. */
interface Seen {
  state: WorkerState | null;
  etag: string | null;
  /** The queue that the worker should read and does not; null where there is none. */
  unread: string | null;
}

/** The script, its pages, its variables and its bindings, uploaded by wrangler. */
export function workerStep(context: StepContext): Step {
  const { api, wanted, journal, deployment, existing } = context;
  const { id: accountId } = existing.account;
  const read = async (): Promise<Seen> => ({
    state: await workerState(api, accountId, wanted.worker),
    etag: (await workerVersion(api, accountId, wanted.worker))?.etag ?? null,
    unread: hearsEvents(wanted) ? await unreadQueue(context) : null,
  });
  return stepOf<Seen>({
    id: "worker",
    title: "Worker",
    permission: "Workers Scripts: Edit",
    read,
    decide: ({ state, etag, unread }) => {
      if (state === null) return { kind: "make", words: wanted.worker };
      const { deployed } = journal.contents;
      const isSame =
        deployed !== null &&
        deployed.hash === deployment.hash &&
        deployed.etag === etag &&
        Object.entries(deployment.vars).every(([name, value]) => state.vars.get(name) === value);
      if (isSame && unread !== null)
        return { kind: "change", words: `${wanted.worker}: it reads the queue ${unread} again` };
      return isSame
        ? { kind: "leave", words: `${wanted.worker}, as it is here` }
        : { kind: "change", words: `${wanted.worker}: this version and these settings are uploaded` };
    },
    act: async () => {
      await deployment.upload();
      const { etag } = await read();
      journal.setDeployed({ hash: deployment.hash, etag: etag ?? "" });
    },
    // A worker that exists was made by somebody else, or by an earlier run.
    made: ({ state }) => (state === null ? { kind: "worker", name: wanted.worker } : null),
    explain: (failure) => explained(failure, wanted.again),
  });
}

/** The queue of events, if it is there and the worker does not read it: an upload makes the worker its reader again. */
async function unreadQueue({ api, wanted, existing }: StepContext): Promise<string | null> {
  const { events } = namesOf(wanted);
  const queue = (await listQueues(api, existing.account.id)).find(({ name }) => name === events);
  const isRead = queue?.consumers.some(({ script }) => script === wanted.worker) ?? true;
  return isRead ? null : events;
}

/** Errors of an upload that users met, by Cloudflare's number. */
function explained(failure: CloudflareFailure, again: string): Stop | null {
  if (failure.has(10027)) {
    return new Stop(
      "The script is larger than the plan of the account allows (3 MB compressed on the free plan)",
      `install the released package instead of a build of your own: npm install mailkeep-server@latest, then: ${again}`,
      failure,
    );
  }
  if (failure.has(10042, 10136)) {
    return new Stop(
      "The account has not turned R2 on, where large messages lie",
      `${again} --without-r2`,
      failure,
    );
  }
  if (failure.has(10063)) {
    return new Stop(
      "The account has no name under workers.dev yet, so the worker would have no address",
      `${again} --workers-dev <a name that nobody has>`,
      failure,
    );
  }
  if (failure.has(11000, 11003)) {
    return new Stop("A queue that the worker reads is gone", again, failure);
  }
  return null;
}

/** A secret that is generated once. Cloudflare shows only the names of secrets, so one that exists is never set again. */
export function secretStep(
  { api, wanted, existing: { account } }: StepContext,
  { name, value, words }: { name: string; value: () => string; words: string },
): Step {
  return stepOf<string[]>({
    id: `secret ${name}`,
    title: `Secret ${name}`,
    permission: "Workers Scripts: Edit",
    read: () => namesOfSecrets(api, account.id, wanted.worker),
    decide: (names) =>
      names.includes(name) ? { kind: "leave", words: "set; it stays as it is" } : { kind: "make", words },
    act: () => putSecret(api, account.id, wanted.worker, { name, text: value() }),
  });
}

/** The names of the secrets; empty if there is no worker yet. */
async function namesOfSecrets(api: StepContext["api"], accountId: string, worker: string): Promise<string[]> {
  try {
    return await secretNames(api, accountId, worker);
  } catch (error) {
    if (error instanceof CloudflareFailure && error.kind === "not_found") return [];
    throw error;
  }
}

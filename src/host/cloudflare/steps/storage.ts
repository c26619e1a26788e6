// Steps that are taken before the worker is uploaded, because its configuration refers to what they make.
import { Stop } from "../failure.ts";
import { createQueue, listQueues, type Queue } from "../queues.ts";
import { bucketState, createBucket, R2_OFF_CODES, type BucketState } from "../r2.ts";
import { stepOf, type Step, type StepContext } from "../step.ts";
import { namesOf, type Wanted } from "../wanted.ts";
import { registerSubdomain, workersSubdomain } from "../workers.ts";

/** The account's name under workers.dev, where the worker is reached. */
export function subdomainStep({ api, wanted, existing: { account } }: StepContext): Step {
  const name = wanted.workersDev ?? "";
  return stepOf<string | null>({
    id: "subdomain",
    title: "Name under workers.dev",
    permission: "Workers Scripts: Edit",
    read: () => workersSubdomain(api, account.id),
    decide: (subdomain) => {
      if (subdomain !== null) return { kind: "leave", words: `${subdomain}.workers.dev` };
      if (name === "") {
        throw new Stop(
          "The account has no name under workers.dev yet, so the worker would have no address",
          `${wanted.again} --workers-dev <a name that nobody has>`,
        );
      }
      return { kind: "make", words: `${name}.workers.dev` };
    },
    act: () => registerSubdomain(api, account.id, name),
    made: () => ({ kind: "subdomain", name }),
    explain: (failure) =>
      failure.kind === "refused"
        ? new Stop(failure.message, `${wanted.again.replace(` ${name}`, "")} <another name>`, failure)
        : null,
  });
}

/** The bucket for large messages. */
export function bucketStep({ api, wanted, existing: { account } }: StepContext): Step {
  const { bucket } = namesOf(wanted);
  const off = (): Stop =>
    new Stop(
      `The account has not turned R2 on, where large messages lie. Without it they lie in the mailbox, in rows of at most 1 MB`,
      `${wanted.again} --without-r2`,
    );
  return stepOf<BucketState>({
    id: "bucket",
    title: "R2 bucket for large messages",
    permission: "Workers R2 Storage: Edit",
    read: () => bucketState(api, account.id, bucket),
    decide: (state) => {
      if (state === "off") throw off();
      return { kind: state === "there" ? "leave" : "make", words: bucket };
    },
    act: () => createBucket(api, account.id, bucket),
    made: () => ({ kind: "bucket", name: bucket }),
    explain: (failure) => (failure.has(...R2_OFF_CODES) ? off() : null),
  });
}

/** A queue. The queue with the events must have no other consumer. */
export function queueStep(
  { api, wanted, existing: { account } }: StepContext,
  { name, title, isConsumed }: { name: string; title: string; isConsumed: boolean },
): Step {
  return stepOf<Queue | null>({
    id: `queue ${name}`,
    title,
    permission: "Queues: Edit",
    read: async () => (await listQueues(api, account.id)).find((queue) => queue.name === name) ?? null,
    decide: (queue) => {
      if (queue === null) return { kind: "make", words: name };
      if (isConsumed) checkConsumers(queue, wanted);
      return { kind: "leave", words: name };
    },
    act: () => createQueue(api, account.id, name),
    made: () => ({ kind: "queue", name }),
    explain: (failure) =>
      failure.kind === "refused"
        ? new Stop(
            `${failure.message}. Without queues, mail is sent, but nobody hears what became of it`,
            `${wanted.again} --without-events`,
            failure,
          )
        : null,
  });
}

function checkConsumers({ name, consumers }: Queue, { worker, again }: Wanted): void {
  const other = consumers.find(({ script }) => script !== null && script !== worker);
  if (other === undefined) return;
  throw new Stop(
    `The queue ${name} is read by the worker ${other.script}, and a queue has one reader`,
    `npx wrangler queues consumer remove ${name} ${other.script}, then: ${again}`,
  );
}

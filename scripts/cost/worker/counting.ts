// The main module of the cost measurement: the deployed script, with a count of everything that the platform bills.
import * as bundle from "../../../src/index.ts";

export { ClaimSession } from "../../../src/index.ts";

/** Counts of everything that the platform bills, since they were last taken. */
export interface Counts {
  workerRequests: number;
  objectRequests: number;
  rowsRead: number;
  rowsWritten: number;
  /** Mails given to the sending service. */
  sent: number;
}

const none = (): Omit<Counts, "rowsRead" | "rowsWritten"> => ({
  workerRequests: 0,
  objectRequests: 0,
  sent: 0,
});
let counts = none();
/** Statements whose rows are counted when they are taken: a cursor counts while it is read. */
let cursors: Pick<SqlStorageCursor<never>, "rowsRead" | "rowsWritten">[] = [];
/** Rows that no statement writes: setting an alarm is billed as one. */
let alarmsSet = 0;
/** Calls of actors, and alarms, that have not ended. */
let underWay = 0;

/** Storage of actors that count nothing themselves: the monitor is told of by each isolate, at most twice a minute. */
const uncounted = new WeakSet<object>();
let isPatched = false;

/** Counts what an actor stores. Its statements are found by their prototype, which all actors of the isolate share. */
function countStorage({ storage }: DurableObjectState, isCounted = true): void {
  if (!isCounted) uncounted.add(storage.sql);
  if (isPatched) return;
  isPatched = true;
  const sql: SqlStorage = Object.getPrototypeOf(storage.sql);
  // eslint-disable-next-line typescript/unbound-method -- it is called with the object that it was called on
  sql.exec = new Proxy(sql.exec, {
    apply(exec, self: SqlStorage, args) {
      const cursor: SqlStorageCursor<never> = Reflect.apply(exec, self, args);
      if (!uncounted.has(self)) cursors.push(cursor);
      return cursor;
    },
  });
  const prototype: DurableObjectStorage = Object.getPrototypeOf(storage);
  // eslint-disable-next-line typescript/unbound-method -- it is called with the object that it was called on
  prototype.setAlarm = new Proxy(prototype.setAlarm, {
    apply(setAlarm, self: DurableObjectStorage, args: [number | Date]) {
      if (!uncounted.has(self.sql)) alarmsSet += 1;
      return Reflect.apply(setAlarm, self, args);
    },
  });
}

/** Counts a piece of work that the platform bills as one request of an object. */
async function counted<T>(work: () => Promise<T> | T): Promise<T> {
  counts.objectRequests += 1;
  underWay += 1;
  try {
    return await work();
  } finally {
    underWay -= 1;
  }
}

export class Mailbox extends bundle.Mailbox {
  constructor(ctx: DurableObjectState, env: Env) {
    countStorage(ctx);
    super(ctx, bindingsOf(env));
  }

  override alarm(): Promise<void> {
    return counted(() => super.alarm());
  }

  /** Whether no attempt is under way and no alarm rings soon. */
  async isIdle(): Promise<boolean> {
    const { context } = this.life;
    if (context.late.flush()) await context.arm();
    const due = await this.ctx.storage.getAlarm();
    return context.attempts.underWay === 0 && (due === null || due > Date.now() + SOON_MS);
  }

  /** Bytes of the mailbox's database, as they are billed. */
  databaseBytes(): number {
    return this.ctx.storage.sql.databaseSize;
  }
}

export class Directory extends bundle.Directory {
  constructor(ctx: DurableObjectState, env: Env) {
    countStorage(ctx);
    super(ctx, env);
  }
}

export class ClientBudget extends bundle.ClientBudget {
  constructor(ctx: DurableObjectState, env: Env) {
    countStorage(ctx);
    super(ctx, env);
  }
}

export class Domain extends bundle.Domain {
  constructor(ctx: DurableObjectState, env: Env) {
    countStorage(ctx);
    super(ctx, env);
  }
}

export class Monitor extends bundle.Monitor {
  constructor(ctx: DurableObjectState, env: Env) {
    countStorage(ctx, false);
    super(ctx, env);
  }
}

/** An alarm that is due within this time belongs to the operation that set it. */
const SOON_MS = 5_000;

const known = new WeakMap<object, Env>();

/** The bindings with calls of actors counted, and a sending service that takes every mail. */
function bindingsOf(env: Env): Env {
  const made = known.get(env);
  if (made !== undefined) return made;
  const counting = Object.entries(env).map(([name, binding]) => [
    name,
    isNamespace(binding) && name !== "MONITOR" ? countedNamespace(binding) : binding,
  ]);
  const EMAIL = {
    send: async () => {
      counts.sent += 1;
      return { messageId: crypto.randomUUID() };
    },
  };
  const bindings: Env = Object.assign(Object.fromEntries(counting), { EMAIL });
  known.set(env, bindings);
  return bindings;
}

type Namespace = DurableObjectNamespace<bundle.Mailbox>;

const isNamespace = (binding: unknown): binding is Namespace =>
  typeof binding === "object" && binding !== null && "getByName" in binding;

function countedNamespace(namespace: Namespace): Namespace {
  return new Proxy(namespace, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        const made: unknown = Reflect.apply(value, target, args);
        return property === "getByName" || property === "get" ? countedStub(Object(made)) : made;
      };
    },
  });
}

function countedStub(stub: object): object {
  return new Proxy(stub, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof property === "symbol" || typeof value !== "function") return value;
      return (...args: unknown[]): unknown => counted(() => Reflect.apply(value, target, args));
    },
  });
}

/** The control of the measurement: GET /cost/take, and /cost/idle and /cost/bytes of a mailbox. */
async function control(url: URL, env: Env): Promise<Response> {
  // The bindings lead to the classes above.
  const namespace = env.MAILBOX as unknown as DurableObjectNamespace<Mailbox>;
  const mailbox = namespace.getByName(url.searchParams.get("box") ?? "");
  switch (url.pathname) {
    case "/cost/take": {
      const rowsRead = cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0);
      const rowsWritten = cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, alarmsSet);
      const taken: Counts = { ...counts, rowsRead, rowsWritten };
      counts = none();
      cursors = [];
      alarmsSet = 0;
      return Response.json(taken);
    }
    case "/cost/idle":
      return Response.json(underWay === 0 && (await mailbox.isIdle()) && underWay === 0);
    case "/cost/bytes":
      return Response.json(await mailbox.databaseBytes());
    default:
      return new Response(null, { status: 404 });
  }
}

export default {
  fetch(request, env, ctx) {
    const url = new URL(request.url);
    if (url.pathname.startsWith("/cost/")) return control(url, env);
    counts.workerRequests += 1;
    return bundle.default.fetch(request, bindingsOf(env), ctx);
  },
} satisfies ExportedHandler<Env>;

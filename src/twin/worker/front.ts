// The main module of a twin: the deployed script, whose actors ring by the twin's clock, and a control for the test.
// The clock comes first: a module of the script might read it when it is loaded.
import { clock, machineNow, variables } from "./time.ts";
import { WorkerEntrypoint } from "cloudflare:workers";
import * as bundle from "../../index.ts";
import { allAlarms, nextAlarm, forgetAlarm, renewAlarm, takeAlarm, withTwinAlarms } from "./alarms.ts";
import type { Binding } from "./alarms.ts";

export { Directory, Domain, Monitor } from "../../index.ts";

/** Mailboxes in memory, by name. An evicted one stays until the next of its name replaces it. */
const mailboxes = new Map<string, bundle.Mailbox>();

export class Mailbox extends bundle.Mailbox implements AlarmTarget {
  constructor(ctx: DurableObjectState, env: Env) {
    super(withTwinAlarms(ctx, "MAILBOX"), env);
    mailboxes.set(ctx.id.name ?? "", this);
  }

  override alarm(): Promise<void> {
    forgetAlarm(this.ctx, "MAILBOX");
    return super.alarm();
  }

  async ringNow(): Promise<void> {
    if (await takeAlarm(this.ctx, "MAILBOX")) await this.alarm();
  }

  renewAlarm(): Promise<void> {
    return renewAlarm(this.ctx, "MAILBOX");
  }
}

export class ClientBudget extends bundle.ClientBudget implements AlarmTarget {
  constructor(ctx: DurableObjectState, env: Env) {
    super(withTwinAlarms(ctx, "CLIENT_BUDGET"), env);
  }

  override alarm(): Promise<void> {
    forgetAlarm(this.ctx, "CLIENT_BUDGET");
    return super.alarm();
  }

  async ringNow(): Promise<void> {
    if (await takeAlarm(this.ctx, "CLIENT_BUDGET")) await this.alarm();
  }

  renewAlarm(): Promise<void> {
    return renewAlarm(this.ctx, "CLIENT_BUDGET");
  }
}

export class ClaimSession extends bundle.ClaimSession implements AlarmTarget {
  constructor(ctx: DurableObjectState, env: Env) {
    super(withTwinAlarms(ctx, "CLAIM_SESSION"), env);
  }

  override alarm(): Promise<void> {
    forgetAlarm(this.ctx, "CLAIM_SESSION");
    return super.alarm();
  }

  async ringNow(): Promise<void> {
    if (await takeAlarm(this.ctx, "CLAIM_SESSION")) await this.alarm();
  }

  renewAlarm(): Promise<void> {
    return renewAlarm(this.ctx, "CLAIM_SESSION");
  }
}

/** The calls of the control to an actor. */
interface AlarmTarget {
  /** Rings the alarm if it is due. */
  ringNow(): Promise<void>;
  renewAlarm(): Promise<void>;
}

/** The longest that the control waits for attempts under way, by the time of the machine. */
const IDLE_LIMIT_MS = 30_000;
const POLL_MS = 2;
/** More alarms than a test of years rings; an actor that sets its alarm again and again would never let the clock arrive. */
const MAX_RINGS = 100_000;
/** Actors that are told of a moved clock at the same time. */
const AT_ONCE = 50;

/** The control of the twin. It has a port of its own, so that the worker's port answers as that of a deployment. */
export class TwinControl extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get("Authorization") !== `Bearer ${variables.token}`) {
      return new Response(null, { status: 401 });
    }
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/now") return Response.json({ now_ms: clock.now() });
    if (pathname === "/settle") return Response.json(await this.#settleAll());
    if (pathname === "/advance") return Response.json(await this.#advance(Number(searchParams.get("ms"))));
    return new Response(null, { status: 404 });
  }

  /**
   * Moves the clock by `ms`. Alarms ring in their order while the clock shows their time, and the attempts that each one
   * starts end before the clock goes on. `settled` is false if one did not end: the clock stops there.
   */
  async #advance(ms: number): Promise<{ now_ms: number; settled: boolean }> {
    const untilMs = clock.now() + ms;
    let settled = false;
    clock.holdAt(clock.now());
    try {
      settled = await this.#ringUntil(() => untilMs);
      if (settled) clock.holdAt(untilMs);
    } finally {
      clock.release();
      await this.#renewAlarms();
    }
    return { now_ms: clock.now(), settled };
  }

  /** Rings what is due by now; false if an attempt does not end. */
  async #settleAll(): Promise<{ settled: boolean }> {
    return { settled: await this.#ringUntil(() => clock.now()) };
  }

  /**
   * Rings the alarms that are due by a time, in their order; a clock that is held shows each one's time. Stops and returns false
   * if an attempt does not end.
   */
  async #ringUntil(untilMs: () => number): Promise<boolean> {
    for (let rings = 0; ; rings += 1) {
      if (!(await this.#settle())) return false;
      const next = nextAlarm(untilMs());
      if (next === null) return true;
      if (rings === MAX_RINGS) throw new Error(`${next.binding} ${next.name} rings without end`);
      if (clock.isStanding) clock.holdAt(next.atMs);
      await this.#actor(next.binding, next.name).ringNow();
    }
  }

  /** Waits until no attempt of any mailbox is under way; false if that takes too long. */
  async #settle(): Promise<boolean> {
    const endMs = machineNow() + IDLE_LIMIT_MS;
    while (machineNow() < endMs) {
      const isBusy = [...mailboxes.values()].some(({ life }) => life.context.attempts.underWay > 0);
      if (!isBusy) return true;
      await scheduler.wait(POLL_MS);
    }
    return false;
  }

  async #renewAlarms(): Promise<void> {
    const all = allAlarms();
    for (let first = 0; first < all.length; first += AT_ONCE) {
      const some = all.slice(first, first + AT_ONCE);
      await Promise.all(some.map(({ binding, name }) => this.#actor(binding, name).renewAlarm()));
    }
  }

  /** The actor of this twin: the bindings lead to the classes above. */
  #actor(binding: Binding, name: string): AlarmTarget {
    const namespaces: Pick<Env, Binding> = this.env;
    return namespaces[binding].getByName(name) as unknown as AlarmTarget;
  }
}

export default bundle.default;

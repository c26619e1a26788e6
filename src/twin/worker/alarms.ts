import { clock, machineNow } from "./time.ts";

/** An actor that has an alarm in this twin. */
export interface PendingAlarm {
  /** The binding of its class. */
  binding: Binding;
  name: string;
  /** When it rings, in ms since 1970 by the twin's clock. */
  atMs: number;
}

/** The classes of actors that set alarms. */
export type Binding = "MAILBOX" | "CLIENT_BUDGET" | "CLAIM_SESSION";

type Storage = Pick<DurableObjectStorage, "setAlarm" | "getAlarm" | "deleteAlarm" | "deleteAll">;

/** Later than any test: an alarm that waits until the clock is moved. */
const NEVER_MS = 365 * 86_400_000;

/** All alarms, by binding and name. The platform knows only the time of the machine. */
const alarms = new Map<string, PendingAlarm>();
/** The platform's own `setAlarm` and `deleteAlarm` of each storage. */
const platform = new WeakMap<object, Pick<Storage, "setAlarm" | "deleteAlarm">>();

const keyOf = (binding: Binding, name: string): string => `${binding}/${name}`;

/**
 * Makes the storage of an actor take and give times of the twin's clock, and returns its state for the actor's constructor.
 * An actor without a name cannot be called by it, so its alarms are left to the platform.
 */
export function withTwinAlarms(ctx: DurableObjectState, binding: Binding): DurableObjectState {
  const { name } = ctx.id;
  if (name === undefined) return ctx;
  const storage: Storage = ctx.storage;
  const key = keyOf(binding, name);
  const own = { setAlarm: storage.setAlarm.bind(storage), deleteAlarm: storage.deleteAlarm.bind(storage) };
  const deleteAll = storage.deleteAll.bind(storage);
  platform.set(storage, own);
  const replaced: Storage = {
    setAlarm(time) {
      const atMs = Number(time);
      alarms.set(key, { binding, name, atMs });
      return own.setAlarm(platformTime(atMs));
    },
    getAlarm: () => Promise.resolve(alarms.get(key)?.atMs ?? null),
    deleteAlarm() {
      alarms.delete(key);
      return own.deleteAlarm();
    },
    deleteAll() {
      alarms.delete(key);
      return deleteAll();
    },
  };
  for (const [method, value] of Object.entries(replaced)) Object.defineProperty(storage, method, { value });
  return ctx;
}

/** Forgets the alarm of an actor, because it rings: the actor has none until it sets the next. */
export function forgetAlarm({ id }: DurableObjectState, binding: Binding): void {
  alarms.delete(keyOf(binding, id.name ?? ""));
}

/** Takes the alarm away from the platform, because the control rings it. False if there is none by `nowMs`. */
export async function takeAlarm(ctx: DurableObjectState, binding: Binding): Promise<boolean> {
  const due = alarms.get(keyOf(binding, ctx.id.name ?? ""));
  if (due === undefined || due.atMs > clock.now()) return false;
  await platform.get(ctx.storage)?.deleteAlarm();
  return true;
}

/** Tells the platform anew when the alarm of an actor rings: the clock was moved. */
export async function renewAlarm(ctx: DurableObjectState, binding: Binding): Promise<void> {
  const due = alarms.get(keyOf(binding, ctx.id.name ?? ""));
  if (due !== undefined) await platform.get(ctx.storage)?.setAlarm(platformTime(due.atMs));
}

/** The alarm that rings next, if that is by `untilMs`. */
export function nextAlarm(untilMs: number): PendingAlarm | null {
  let next: PendingAlarm | null = null;
  for (const one of alarms.values()) {
    if (one.atMs <= untilMs && (next === null || one.atMs < next.atMs)) next = one;
  }
  return next;
}

/** Every alarm that is set. */
export function allAlarms(): PendingAlarm[] {
  return [...alarms.values()];
}

function platformTime(atMs: number): number {
  return clock.realTimeOf(atMs) ?? machineNow() + NEVER_MS;
}

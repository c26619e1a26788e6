/** A success or an expected failure, as a value: an error's class would not survive RPC. Bugs throw. */
export type Outcome<T, E> = { ok: true; value: T } | { ok: false; error: E };

/** A success that carries `value`. */
export function done<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

/** An expected failure that carries `error`. */
export function refused<E>(error: E): { ok: false; error: E } {
  return { ok: false, error };
}

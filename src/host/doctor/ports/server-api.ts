import { lockHolder } from "../../lock.ts";
import type { Machine } from "../checks/check.ts";
import { request, type HttpAnswer, type HttpRequest } from "./http.ts";
import type { World } from "./world.ts";

/** Calls the server's API with the operator key; null where that key is not known. */
export type ServerApi = (path: string, asked?: HttpRequest) => Promise<HttpAnswer>;

/**
 * The operator key, if the server that knows it runs: a server holds its data folder, and no other program that listens on its port
 * gets the key. Null if it is not known, or no server holds the folder.
 */
export function keyOfServer({ operatorKey, settings: { dataDir } }: Machine): string | null {
  return lockHolder(dataDir) === null ? null : operatorKey;
}

/** The API of the server of this machine; null where its key is not known, or it does not run. */
export function serverApi(machine: Machine, world: World, signal: AbortSignal): ServerApi | null {
  const { local } = machine;
  const operatorKey = keyOfServer(machine);
  if (operatorKey === null) return null;
  return (path, asked = {}) =>
    request(world, new URL(path, local), signal, {
      ...asked,
      headers: {
        Authorization: `Bearer ${operatorKey}`,
        ...(asked.body === undefined ? {} : { "Content-Type": "application/json" }),
        ...asked.headers,
      },
    });
}

/** The JSON of an answer with status 200 or 201 in its shape; null for any other answer. */
export function readAs<Shape>(
  { status, body }: HttpAnswer,
  shape: { safeParse: (value: unknown) => { success: true; data: Shape } | { success: false } },
): Shape | null {
  if (status !== 200 && status !== 201) return null;
  try {
    const read = shape.safeParse(JSON.parse(body));
    return read.success ? read.data : null;
  } catch {
    // Not JSON.
    return null;
  }
}

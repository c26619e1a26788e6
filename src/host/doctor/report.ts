import type { Machine } from "./checks/check.ts";
import { diagnosis } from "./doctor.ts";
import { worstFirst, type Finding } from "./finding.ts";
import { reasonOf } from "./ports/http.ts";
import { serverApi } from "./ports/server-api.ts";
import type { World } from "./ports/world.ts";

/** Sends the findings to the server, which shows them to the operator. Resolves to the reason if the server refuses them, else to null. */
export async function sendReport(
  machine: Machine,
  world: World,
  { findings, signal }: { findings: readonly Finding[]; signal: AbortSignal },
): Promise<string | null> {
  const api = serverApi(machine, world, signal);
  if (api === null) return "the operator key is not known";
  try {
    const body = JSON.stringify(diagnosis(worstFirst(findings)));
    const { status } = await api("/v1/doctor", { method: "PUT", body });
    if (status === 401) return "it has another operator key than these settings";
    return status === 200 ? null : `it answers ${status}`;
  } catch (error) {
    signal.throwIfAborted();
    return reasonOf(error);
  }
}

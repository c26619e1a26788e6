import { DESCRIPTIONS } from "../config/setting.ts";
import { WORKER_SETTINGS } from "../config/worker-settings.ts";
import { exposureOf } from "./exposure.ts";
import type { Secrets } from "./secrets.ts";
import type { Settings } from "./settings.ts";

/** The variables and secrets of the worker, by their names: what the environment sets, else the defaults of one machine. */
export function bindingsOf(settings: Settings, secrets: Secrets): Record<string, string> {
  return {
    ...machineDefaults(settings),
    ...settings.workerVariables,
    AUTH_TOKEN: secrets.authToken,
    WEBHOOK_SECRET: secrets.webhookSecret,
    KEY_SECRET: secrets.keySecret,
  };
}

/** The defaults that differ from the worker's own. */
function machineDefaults(settings: Settings): Record<string, string> {
  const exposure = exposureOf(settings);
  const defaults = Object.entries(WORKER_SETTINGS).flatMap(([name, schema]) => {
    const text = DESCRIPTIONS.get(schema)?.machineDefault?.(exposure);
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(defaults);
}

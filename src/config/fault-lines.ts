import type { Environment, Fault } from "./check.ts";
import { DESCRIPTIONS, type Described } from "./setting.ts";
import { MACHINE_SETTINGS } from "./machine-settings.ts";
import { WORKER_SETTINGS } from "./worker-settings.ts";

/** Every setting, by the name of its variable. */
export const ALL_SETTINGS = { ...WORKER_SETTINGS, ...MACHINE_SETTINGS };

/** A longer wrong value is cut. */
const MAX_SHOWN_CHARS = 80;

/** One line for each wrong setting: its variable, its rule, its value unless it is secret, and what to do. */
export function faultLines(faults: readonly Fault[], env: Environment): string[] {
  return faults.map(({ variable, message, showsValue }) => {
    if (!showsValue) return `${variable} ${message}`;
    return `${variable} ${message}, not ${shown(String(env[variable]))}. ${nextStep(variable)}`;
  });
}

/** The default of a setting as the text of its variable; null where there is none. */
export function defaultText({ fallback }: Pick<Described, "fallback">): string | null {
  return fallback === null ? null : String(fallback);
}

function nextStep(variable: string): string {
  const [, schema] = Object.entries(ALL_SETTINGS).find(([name]) => name === variable) ?? [];
  const described = schema && DESCRIPTIONS.get(schema);
  const text = described ? defaultText(described) : null;
  const isFixed = text !== null && described?.machineDefault === undefined;
  return isFixed ? `Change it, or remove it to use ${text}` : "Change it, or remove it";
}

/** In one line, and without the credentials of a URL. */
function shown(value: string): string {
  const bare = value.replace(/\/\/[^/]*@/, "//…@");
  return JSON.stringify(bare.length > MAX_SHOWN_CHARS ? `${bare.slice(0, MAX_SHOWN_CHARS)}…` : bare);
}

/**
 * Whether the server was told to stop. On one machine, the router and all objects share this module, so every stream and every
 * waiting call sees what the router has set. On Cloudflare this is never set: the platform moves objects by itself.
 */
let told = false;

/** Call when the server was told to stop: streams and calls that wait end within {@link DRAIN_LOOK_MS}. */
export function beginDraining(): void {
  told = true;
}

/** True once the server was told to stop. */
export function isDraining(): boolean {
  return told;
}

/** How often streams and waiting calls check whether the server stops, in ms. */
export const DRAIN_LOOK_MS = 1_000;

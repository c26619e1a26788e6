import type { Activity } from "./monitor.ts";

/** The most mailboxes that one flush reports; the others follow with the next flush. */
const MAX_TOLD = 1_000;

/** Activities that changed since the last report, by locator. */
const changed = new Map<string, Activity | null>();
/** Mailboxes whose last reported activity was not null. */
const told = new Set<string>();

/** Notes the activity of a mailbox. A mailbox that was never reported, and has neither work nor listeners, is not noted. */
export function noteActivity(locator: string, activity: Activity | null): void {
  if (activity === null && !told.has(locator)) changed.delete(locator);
  else changed.set(locator, activity);
}

/** Whether there is something to report. */
export function hasActivity(): boolean {
  return changed.size > 0;
}

/** Hands over the activities that changed. */
export function takeActivities(): Record<string, Activity | null> {
  const taken: Record<string, Activity | null> = {};
  for (const [locator, activity] of changed) {
    if (Object.keys(taken).length === MAX_TOLD) break;
    taken[locator] = activity;
    changed.delete(locator);
    if (activity === null) told.delete(locator);
    else told.add(locator);
  }
  return taken;
}

/** Takes back activities that could not be reported. A newer activity of the same mailbox is kept instead. */
export function returnActivities(activities: Readonly<Record<string, Activity | null>>): void {
  for (const [locator, activity] of Object.entries(activities)) {
    told.add(locator);
    if (!changed.has(locator)) changed.set(locator, activity);
  }
}

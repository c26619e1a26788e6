import { CATALOGUE, type FindingId, type Topic } from "./catalogue/catalogue.ts";
import type { Entry } from "./catalogue/entry.ts";

/** How bad a finding is. `warning`: it works now, or almost. `broken`: something does not work. */
export type Level = "ok" | "warning" | "broken";

/** One thing that was checked. */
export interface Finding {
  /** The topic of the check where nothing is wrong, else one of {@link CATALOGUE}. */
  id: FindingId | Topic;
  level: Level;
  /** The state that was found, with its names and values. It may hold text that strangers wrote. */
  title: string;
  /** The harm to the operator or the users; empty where nothing is wrong. */
  cost: string;
  /** One command line, or one DNS record as a line of a zone file; empty where nothing is wrong. */
  fix: string;
}

/** The output of `mailkeep-server doctor --json`. */
export interface Diagnosis {
  version: 1;
  findings: Finding[];
}

/** The exit codes of `mailkeep-server doctor`. */
export const DOCTOR_EXIT = { ok: 0, transient: 1, permission: 4, warnings: 8, broken: 9 } as const;

/** A text that a stranger wrote is cut after this many characters in a title. */
const MAX_SHOWN_CHARS = 160;

/** A finding that something is wrong. Level and cost are those of the catalogue. */
export function wrong(id: FindingId, title: string, fix: string): Finding {
  const { level, cost } = CATALOGUE[id];
  return { id, level, title, cost, fix };
}

/** A finding that nothing is wrong. */
export function fine(topic: Topic, title: string): Finding {
  return { id: topic, level: "ok", title, cost: "", fix: "" };
}

/** Text of a stranger inside a title: quoted, on one line, and cut. */
export function quoted(text: string): string {
  const line = text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ");
  return `"${line.length > MAX_SHOWN_CHARS ? `${line.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…` : line}"`;
}

const ORDER: readonly Level[] = ["broken", "warning", "ok"];

/** The findings with the worst first; those of one level keep their order. */
export function worstFirst(findings: readonly Finding[]): Finding[] {
  return ORDER.flatMap((level) => findings.filter((finding) => finding.level === level));
}

/**
 * The exit code for findings. Something broken counts most, then a check that needs more rights, then a warning, then a check
 * that got no result this time.
 */
export function exitOf(findings: readonly Finding[]): number {
  const found = findings.filter(({ level }) => level !== "ok");
  const kinds = new Set(found.map(({ id }) => kindOf(id)));
  const isBroken = found.some(({ id, level }) => level === "broken" && kindOf(id) === "problem");
  if (isBroken) return DOCTOR_EXIT.broken;
  if (kinds.has("permission")) return DOCTOR_EXIT.permission;
  if (kinds.has("problem")) return DOCTOR_EXIT.warnings;
  return kinds.has("transient") ? DOCTOR_EXIT.transient : DOCTOR_EXIT.ok;
}

function kindOf(id: Finding["id"]): "problem" | "permission" | "transient" {
  const entries: Readonly<Record<string, Entry>> = CATALOGUE;
  return entries[id]?.kind ?? "problem";
}

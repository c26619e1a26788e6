/** The description of a kind of finding, in Markdown for docs/doctor.md. */
export interface Entry {
  level: "warning" | "broken";
  /** `permission`: the check needs more rights. `transient`: the check got no result this time. Else: a fault was found. */
  kind?: "permission" | "transient";
  /** The fault, in one sentence. */
  meaning: string;
  /** The harm to the operator or the users, in one sentence. */
  cost: string;
  /** How to fix it: an explanation of the printed command or record. */
  fix: string;
}

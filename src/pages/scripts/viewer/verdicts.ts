import type { Authentication } from "../../../contract/message.ts";
import type { z } from "zod";
import { make } from "../lib/dom.ts";
import { line } from "../lib/words.ts";

type Verdicts = z.infer<typeof Authentication>;

/** The meaning of each verdict of RFC 8601; other words mean that the check gave no result. */
const MEANINGS: Readonly<Record<keyof Verdicts, Readonly<Record<string, string>>>> = {
  spf: {
    pass: "The sending server is authorised by the domain of the envelope sender.",
    fail: "The sending server is not authorised by the domain of the envelope sender.",
    softfail: "The sending server is probably not authorised by the domain of the envelope sender.",
    neutral: "The domain of the envelope sender does not state who may send for it.",
    none: "The domain of the envelope sender does not state who may send for it.",
  },
  dkim: {
    pass: "The mail has a valid signature and was not changed afterwards.",
    fail: "The signature is not valid: the mail was changed on the way, or it is forged.",
    none: "The mail is not signed.",
  },
  dmarc: {
    pass: "The mail is authenticated for the author's domain.",
    fail: "The mail is not authenticated for the author's domain: the author may be forged.",
    none: "The author's domain has no DMARC policy.",
  },
};

const KINDS: Readonly<Record<string, string>> = { pass: "good", fail: "bad", softfail: "warn" };

/** Shows whether the author is authenticated, by the DMARC verdict. */
export function senderBadge(verdicts: Verdicts | null): HTMLElement {
  const [text, kind] = summaryOf(verdicts);
  return make("span", { class: `badge ${kind}`.trim() }, text);
}

function summaryOf(verdicts: Verdicts | null): [string, string] {
  if (verdicts === null) return ["Sender not checked", ""];
  if (verdicts.dmarc === "pass") return ["Sender confirmed", "good"];
  if (verdicts.dmarc === "fail") return ["Sender not confirmed", "bad"];
  return ["Sender not confirmed", "warn"];
}

/** Shows the three verdicts and their meanings. */
export function verdictPart(verdicts: Verdicts | null): HTMLElement {
  if (verdicts === null) {
    return make(
      "p",
      { class: "muted small" },
      "No trusted server has checked the sender: name and address may be forged.",
    );
  }
  const lines = (["spf", "dkim", "dmarc"] as const).flatMap((name) => {
    const verdict = verdicts[name];
    const kind = KINDS[verdict] ?? "";
    return [
      make("dt", {}, name.toUpperCase()),
      make(
        "dd",
        {},
        make("span", { class: `badge ${kind}`.trim() }, line(verdict)),
        ` ${MEANINGS[name][verdict] ?? "The check gave no result."}`,
      ),
    ];
  });
  return make("dl", { class: "facts verdicts" }, ...lines);
}

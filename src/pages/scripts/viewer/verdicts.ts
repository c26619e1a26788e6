import type { Authentication } from "../../../contract/message.ts";
import type { z } from "zod";
import { make } from "../lib/dom.ts";
import { line } from "../lib/words.ts";

type Verdicts = z.infer<typeof Authentication>;

/** What each verdict of RFC 8601 means to a reader; any other word could not be judged. */
const MEANINGS: Readonly<Record<keyof Verdicts, Readonly<Record<string, string>>>> = {
  spf: {
    pass: "The server that sent it may send for the domain of its envelope.",
    fail: "The server that sent it may not send for the domain of its envelope.",
    softfail: "The server that sent it probably may not send for the domain of its envelope.",
    neutral: "The domain of its envelope does not say who may send for it.",
    none: "The domain of its envelope does not say who may send for it.",
  },
  dkim: {
    pass: "A domain signed it, and it was not changed since.",
    fail: "It bears a signature that does not fit: it was changed on the way, or forged.",
    none: "It is not signed.",
  },
  dmarc: {
    pass: "The author's domain stands for it.",
    fail: "The author's domain does not stand for it: the author may be forged.",
    none: "The author's domain says nothing about mail in its name.",
  },
};

const KINDS: Readonly<Record<string, string>> = { pass: "good", fail: "bad", softfail: "warn" };

/** In a word, whether the author is who he says; DMARC is the verdict about him. */
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

/** The three verdicts, as they were given and in words. */
export function verdictPart(verdicts: Verdicts | null): HTMLElement {
  if (verdicts === null) {
    return make(
      "p",
      { class: "muted small" },
      "Nobody whom this service trusts checked where it came from: the author's name proves nothing.",
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
        ` ${MEANINGS[name][verdict] ?? "It could not be judged."}`,
      ),
    ];
  });
  return make("dl", { class: "facts verdicts" }, ...lines);
}

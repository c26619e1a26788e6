import type { Authentication, Email } from "../../../contract/message.ts";
import type { z } from "zod";
import { make } from "../lib/dom.ts";
import { line } from "../lib/words.ts";

type Verdicts = z.infer<typeof Authentication>;

/** The meaning of each verdict of RFC 8601; other words mean that the check gave no result. */
const MEANINGS: Readonly<Record<"spf" | "dkim" | "dmarc", Readonly<Record<string, string>>>> = {
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

/** A mail whose sender is shown. */
type Sent = Pick<Email, "from_address" | "authentication" | "metadata">;

/**
 * Says in one sentence whether the sender is proven, and why. A colour repeats it. There is no check mark, because a proven
 * domain is not an honest one.
 */
export function senderSentence(email: Sent): HTMLElement {
  const { text, kind } = sentenceOf(email);
  return make("p", { class: `notice ${kind} sender break` }, text);
}

function sentenceOf({ from_address, authentication, metadata }: Sent): { text: string; kind: string } {
  const domain = line(from_address.slice(from_address.lastIndexOf("@") + 1)) || "its sender";
  if (authentication === null) {
    const why =
      metadata.received_via === "import"
        ? "it comes from an archive, which anybody can make"
        : "anybody can write this address";
    return { text: `Nobody checked whether this is from ${domain}: ${why}.`, kind: "warn" };
  }
  const { verdict, conflict } = authentication;
  const doubt = conflict ? " Two checks of it disagreed; the worse one counts." : "";
  if (verdict === "pass") {
    const proven = line(authentication.aligned_domain ?? domain);
    return { text: `Really from ${proven}: ${proofOf(authentication, metadata)}.${doubt}`, kind: "good" };
  }
  if (verdict === "temperror") {
    const text = `Nobody knows whether this is from ${domain}: DNS did not answer when it was checked.${doubt}`;
    return { text, kind: "warn" };
  }
  const text = `It could not be confirmed that this is from ${domain}: ${lackOf(authentication, domain)}.${doubt}`;
  return { text, kind: verdict === "fail" ? "bad" : "warn" };
}

/** The proof of the domain, in words. */
function proofOf({ signatures, spf }: Verdicts, { received_via }: Email["metadata"]): string {
  if (received_via === "api") return "sent by a mailbox of this deployment";
  const signed = signatures.find(({ aligned, result }) => aligned && result === "pass");
  if (signed !== undefined && signed.domain !== "") return `signed by ${line(signed.domain)}`;
  return spf === "pass" ? "sent by a server that the domain names" : "its DMARC check passed";
}

/** The reason why nothing proves the domain, in words. */
function lackOf({ verdict, dmarc, signatures }: Verdicts, domain: string): string {
  const others = [
    ...new Set(signatures.filter(({ result }) => result === "pass").map((one) => line(one.domain))),
  ];
  const signed =
    others.length === 0 ? "no valid signature" : `signed only by ${others.slice(0, 3).join(", ")}`;
  if (dmarc === "fail") return `${signed}, and ${domain} says that its mail is always proven`;
  if (verdict === "fail") return "it does not name one sender that can be read";
  return `${signed}, and ${domain} does not say how its mail is proven`;
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

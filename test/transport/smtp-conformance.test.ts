import { afterAll, beforeAll } from "vitest";
import { conformance, HURRIED_MS } from "./conformance.ts";
import { Rig } from "./rig.ts";
import { smtpFarSide } from "./smtp-far-side.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.stop());

const EXTENSIONS = ["PIPELINING", "8BITMIME", "SIZE 200000000", "DSN", "SMTPUTF8"];

conformance("smtp to a bare relay", {
  open: (behaviour, { hurried = false } = {}) =>
    smtpFarSide(rig, behaviour, (url) => ({ kind: "smtp", url, limitMs: hurried ? HURRIED_MS : undefined })),
  splits: false,
  streams: true,
  knowsRepeats: false,
  tooLarge: "impossible",
});

conformance("smtp with STARTTLS to a relay that offers everything", {
  open: (behaviour, { hurried = false } = {}) =>
    smtpFarSide(rig, behaviour, (url) => ({ kind: "smtp", url, limitMs: hurried ? HURRIED_MS : undefined }), {
      plan: { offers: ["STARTTLS"], offersSecured: EXTENSIONS },
      url: { query: "" },
    }),
  splits: false,
  streams: true,
  knowsRepeats: false,
  tooLarge: "impossible",
});

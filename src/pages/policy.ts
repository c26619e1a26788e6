/** Directives of a Content-Security-Policy, by name. */
export type Policy = Readonly<Record<string, string>>;

/** What every page may do: load and call what is ours, and nothing else. Inline scripts and styles never run. */
const STRICT: Policy = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self'",
  "connect-src": "'self'",
  "form-action": "'self'",
  "frame-ancestors": "'none'",
  "base-uri": "'none'",
};

const FEATURES = ["camera", "display-capture", "geolocation", "microphone", "payment", "usb"];

/** A policy as the header says it. */
export function policyText(policy: Policy): string {
  return Object.entries(policy)
    .map(([name, sources]) => `${name} ${sources}`)
    .join("; ");
}

/** Headers of every page. `extra` adds to a directive what one page needs besides, or names one that is not there. */
export function pageHeaders(extra: Policy = {}): Record<string, string> {
  const names = new Set([...Object.keys(STRICT), ...Object.keys(extra)]);
  const policy = Object.fromEntries(
    [...names].map((name) => [
      name,
      [STRICT[name], extra[name]].filter((part) => part !== undefined).join(" "),
    ]),
  );
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policyText(policy),
    // What a page shows is one reader's: no cache keeps it, no other origin frames, opens or embeds it, no link tells of it.
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": FEATURES.map((feature) => `${feature}=()`).join(", "),
  };
}

/** Directives of a Content-Security-Policy, by name. */
export type Policy = Readonly<Record<string, string>>;

/** The policy of every page: it may load and call this origin only. Inline scripts and styles do not run. */
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

/** Writes a policy as the header's value. */
export function policyText(policy: Policy): string {
  return Object.entries(policy)
    .map(([name, sources]) => `${name} ${sources}`)
    .join("; ");
}

/** Returns the headers of a page. `extra` adds sources to a directive, or adds a directive. */
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
    // Pages show one reader's data: no cache stores them, no other origin frames or embeds them, links send no referrer.
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": FEATURES.map((feature) => `${feature}=()`).join(", "),
  };
}

import type { AppContext } from "../http/dispatch.ts";
import { policyText, type Policy } from "./policy.ts";

/**
 * What the HTML of a mail may do in its frame: be seen. Nothing runs (no `allow-scripts` here or in the frame's element, and
 * no source for scripts), nothing is sent (no forms), nothing navigates but a link that a reader follows, and that opens
 * a window which knows nothing of this one. `allow-same-origin` is for the viewer, which writes the mail into the frame, as
 * a frame without scripts cannot fetch it; without scripts it gives nothing to the mail.
 */
const SEEN: Policy = {
  "default-src": "'none'",
  // Styles of the mail. What they would load is a font or a sheet, for which there is no source, or an image.
  "style-src": "'unsafe-inline'",
  // Images that came with the mail.
  "img-src": "data: blob:",
  "form-action": "'none'",
  "base-uri": "'none'",
  "frame-ancestors": "'self'",
  sandbox: "allow-same-origin allow-popups allow-popups-to-escape-sandbox",
};

/** The same once the reader asked for the images of others. */
const WITH_REMOTE_IMAGES: Policy = { ...SEEN, "img-src": "data: blob: https: http:" };

/** Mails are written for a white page. Theirs come after these and win. */
const BASE_STYLE = `
:root { color-scheme: light; color: #1a1d21 }
body { margin: 0.75rem; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; overflow-wrap: anywhere }
img { max-width: 100%; height: auto }
pre { white-space: pre-wrap }
a:focus-visible { outline: 3px solid #1d5c8a; outline-offset: 2px }
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Contents of a mail</title>
<style>${BASE_STYLE}</style>
</head>
<body></body>
</html>
`;

/** An empty page in which the viewer shows the HTML of one mail; `?images=remote` lets it load images of others. */
export function mailFrame(c: AppContext): Response {
  const policy = c.req.query("images") === "remote" ? WITH_REMOTE_IMAGES : SEEN;
  return new Response(PAGE, {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policyText(policy),
      "X-Frame-Options": "SAMEORIGIN",
      "Referrer-Policy": "no-referrer",
      // The hosts of links would be looked up before anybody follows one.
      "X-DNS-Prefetch-Control": "off",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "same-origin",
      // Nothing of a mail is in it: it is fetched once, not for each.
      "Cache-Control": "private, max-age=600",
    },
  });
}

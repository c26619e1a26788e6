import type { AppContext } from "../http/dispatch.ts";
import { policyText, type Policy } from "./policy.ts";

/**
 * The policy of the frame that shows the HTML of a mail. No script runs (no `allow-scripts` here or in the frame's element, and
 * no source for scripts), no form is sent, and only a link that the reader follows navigates: it opens a window without an
 * opener. `allow-same-origin` lets the viewer write the mail into the frame, which cannot fetch it without scripts; it gives
 * the mail no rights, as the mail runs no script.
 */
const SEEN: Policy = {
  "default-src": "'none'",
  // Styles of the mail. Fonts and style sheets that they refer to have no source here; images have the next one.
  "style-src": "'unsafe-inline'",
  // Images that came with the mail.
  "img-src": "data: blob:",
  "form-action": "'none'",
  "base-uri": "'none'",
  "frame-ancestors": "'self'",
  sandbox: "allow-same-origin allow-popups allow-popups-to-escape-sandbox",
};

/** The policy after the reader asked for remote images. */
const WITH_REMOTE_IMAGES: Policy = { ...SEEN, "img-src": "data: blob: https: http:" };

/** Mails are designed for a white page. Their own styles come later and win. */
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

/** Answers an empty page in which the viewer shows the HTML of one mail; with `?images=remote` it may load remote images. */
export function mailFrame(c: AppContext): Response {
  const policy = c.req.query("images") === "remote" ? WITH_REMOTE_IMAGES : SEEN;
  return new Response(PAGE, {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policyText(policy),
      "X-Frame-Options": "SAMEORIGIN",
      "Referrer-Policy": "no-referrer",
      // Otherwise browsers look up the hosts of links before the reader follows one.
      "X-DNS-Prefetch-Control": "off",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "same-origin",
      // The page contains no mail, so it need not be fetched for each.
      "Cache-Control": "private, max-age=600",
    },
  });
}

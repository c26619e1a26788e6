import script from "./assets/swagger-ui-bundle.js.gz";
import style from "./assets/swagger-ui.css.gz";
import { respond } from "../http/answers.ts";

/** Nothing of the page comes from elsewhere. Swagger UI sets styles by script, hence the one `unsafe-inline`. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mailkeep API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#reference", deepLinking: true, validatorUrl: null });\n`;

/** Assets change with a release only; a browser asks again after an hour. */
const STATIC = { "Cache-Control": "public, max-age=3600" };

/** The API reference: Swagger UI out of the bundle. */
export function docsPage(): Response {
  return respond(PAGE, 200, {
    ...STATIC,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
  });
}

/** A script or style of the reference page; null for any other name. */
export function docsAsset(name: string): Response | null {
  switch (name) {
    case "swagger-ui.js":
      return compressed(script, "text/javascript; charset=utf-8");
    case "swagger-ui.css":
      return compressed(style, "text/css; charset=utf-8");
    case "start.js":
      return respond(START, 200, { ...STATIC, "Content-Type": "text/javascript; charset=utf-8" });
    default:
      return null;
  }
}

function compressed(bytes: ArrayBuffer, type: string): Response {
  // `manual`: the bytes are compressed already, and workerd must not do it again.
  return new Response(bytes, {
    encodeBody: "manual",
    headers: {
      ...STATIC,
      "Content-Type": type,
      "Content-Encoding": "gzip",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";

/** Statuses whose answers have no body (RFC 9110, 15.3.5 and 15.4.5). */
const WITHOUT_BODY = [204, 205, 304];

const agents = {
  "http:": new http.Agent({ keepAlive: true }),
  "https:": new https.Agent({ keepAlive: true }),
};

/**
 * `fetch` as far as a webhook needs it: a POST with a text, sent with the given headers and no others but those that HTTP
 * itself needs. The `fetch` of Node adds headers of browsers (`Sec-Fetch-Mode`, `Accept-Language`). Redirects are answers.
 */
export const plainPost: typeof fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const body = typeof init?.body === "string" ? init.body : "";
  const headers = {
    ...Object.fromEntries(new Headers(init?.headers)),
    "Content-Length": String(Buffer.byteLength(body)),
  };
  const isSecure = url.protocol === "https:";
  const options = {
    method: "POST",
    headers,
    agent: agents[isSecure ? "https:" : "http:"],
    ...(init?.signal ? { signal: init.signal } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = isSecure ? https.request(url.href, options) : http.request(url.href, options);
    sent.once("error", reject);
    sent.once("response", (answer) => {
      try {
        resolve(responseOf(answer));
      } catch (error) {
        // A status that fetch does not know, such as 999.
        answer.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    sent.end(body);
  });
};

function responseOf(answer: http.IncomingMessage): Response {
  const { statusCode: status = 0 } = answer;
  // A body that breaks off rejects its reader; the connection itself has nobody else to tell.
  answer.on("error", () => {});
  if (!WITHOUT_BODY.includes(status)) {
    return new Response(Readable.toWeb(answer) as unknown as ReadableStream, { status });
  }
  answer.resume();
  return new Response(null, { status });
}

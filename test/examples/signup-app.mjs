// A small page where people sign up: it mails them a code, and asks for it.
import { randomInt } from "node:crypto";
import { createServer } from "node:http";

const page = (body) =>
  `<!doctype html><html lang="en"><title>Example Shop</title><h1>Example Shop</h1>${body}</html>`;

const SIGN_UP = page(`<form method="post" action="/sign-up">
  <label>Email <input name="email" type="email" required></label> <button>Sign up</button></form>`);

const ASK = page(`<p>We have sent you a code.</p><form method="post" action="/verify">
  <label>Code <input name="code" inputmode="numeric" required></label> <button>Continue</button></form>`);

/**
 * Starts the page on a free port of this machine.
 *
 * @param transport sends its mail: a transport of nodemailer.
 */
export async function startSignUpApp(transport) {
  /** Addresses by the code that was sent to them. */
  const codes = new Map();

  const signUp = async ({ email }) => {
    const code = String(randomInt(100_000, 1_000_000));
    codes.set(code, email);
    await transport.sendMail({
      from: "Example Shop <login@shop.example>",
      to: email,
      subject: "Your verification code",
      text: `Your verification code is ${code}.\n`,
    });
    return ASK;
  };
  const verify = ({ code }) =>
    page(
      codes.has(code)
        ? `<p role="status">Welcome, ${codes.get(code)}!</p>`
        : '<p role="status">Wrong code</p>',
    );

  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request);
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    const answers = { "/sign-up": signUp, "/verify": verify };
    const answer = request.method === "POST" ? answers[request.url] : undefined;
    try {
      response.setHeader("Content-Type", "text/html; charset=utf-8");
      response.end(answer === undefined ? SIGN_UP : await answer(form));
    } catch (error) {
      response
        .writeHead(502)
        .end(page(`<p role="status">We could not send your code: ${error.responseCode}</p>`));
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

import { keyOf, newSecret, secretDigest } from "../../contract/key.ts";
import { notFound } from "../../contract/problem.ts";
import { canonicalAddress } from "../../mail/address/address.ts";
import { AS_OPERATOR } from "../../service/access.ts";
import { mailboxAt } from "../../service/mailbox-stub.ts";
import { consolePage, problemPage, type ConsoleCall } from "./frame.tsx";
import { viewerLink } from "./links.ts";

type Kind = "permanent" | "temporary";

/** POST /operator/mailboxes/:address/key: makes a further key of a mailbox and shows it once. Its other keys stay valid. */
export async function newKey(call: ConsoleCall, written: string): Promise<Response> {
  const address = canonicalAddress(written);
  if (address === null) return problemPage(call, notFound("Mailbox"));
  const mailbox = mailboxAt(call.env, address);
  const found = await mailbox.overview(AS_OPERATOR);
  if (!found.ok) return problemPage(call, found.error);
  const { kind } = found.value;
  const secret = newSecret();
  const made = await mailbox.createKey(AS_OPERATOR, {
    secretHash: secretDigest(secret),
    scope: kind === "permanent" ? "mailbox" : "provisional",
    expiresAt: null,
  });
  if (!made.ok) return problemPage(call, made.error);
  return keyPage(call, { address, key: keyOf(address, secret), kind, isNew: false });
}

/** Shows a key for the only time. It is in no URL, and no later request can get it. */
export function keyPage(
  call: ConsoleCall,
  { address, key, kind, isNew }: { address: string; key: string; kind: Kind; isNew: boolean },
): Promise<Response> {
  return consolePage(call, {
    title: isNew ? "Mailbox created" : "Key created",
    heading: "Save the key now",
    tab: "Mailboxes",
    about: "The key is shown only once. The server cannot show it again.",
    notice: {
      kind: "good",
      text: (
        <>
          <strong class="break">{address}</strong>{" "}
          {isNew ? "is ready and receives mail." : "has a further key. Its other keys stay valid."}
        </>
      ),
    },
    status: 201,
    children: (
      <>
        <div class="card">
          <p class="key">
            <code class="break" data-copy="the key">
              {key}
            </code>
          </p>
          <p class="small muted">
            The agent sends it with every request, as <code>Authorization: Bearer mk_…</code>. Anyone who has
            it can read{kind === "permanent" ? " and send" : ""} the mailbox’s mail.
          </p>
        </div>
        <p class="actions">
          <a class="button" href={call.links.mailbox(address)}>
            Open the mailbox
          </a>
          {isNew ? (
            <a class="button" href={call.links.create}>
              Create another
            </a>
          ) : (
            <a class="button" href={viewerLink(address)}>
              Open in the viewer
            </a>
          )}
        </p>
      </>
    ),
  });
}

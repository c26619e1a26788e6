import { keyOf, newSecret, secretDigest } from "../../contract/key.ts";
import { invalid, notFound, STATUS } from "../../contract/problem.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { canonicalAddress } from "../../mail/address/address.ts";
import { AS_OPERATOR } from "../../service/access.ts";
import { mailboxAt } from "../../service/mailbox-stub.ts";
import { consolePage, problemPage, type ConsoleCall } from "./frame.tsx";
import { viewerLink } from "./links.ts";

type Kind = "permanent" | "temporary";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id of the key that a form makes. A form that is sent again, as by a reload of its answer, names a key that exists. */
export function KeyId() {
  // Firefox would fill in the id of before when a page is loaded again.
  return <input type="hidden" name="id" value={uuidV7(Date.now())} autocomplete="off" />;
}

/**
 * POST /operator/mailboxes/:address/key: makes a further key of a mailbox and shows it once. Its other keys stay valid. A form
 * makes one key, however often it is sent.
 */
export async function newKey(call: ConsoleCall, written: string): Promise<Response> {
  const address = canonicalAddress(written);
  if (address === null) return problemPage(call, notFound("Mailbox"));
  const id = call.form.get("id") ?? "";
  if (!UUID.test(id)) return problemPage(call, invalid("id", "must be the id of the form"));
  const mailbox = mailboxAt(call.env, address);
  const [found, stored] = await Promise.all([mailbox.overview(AS_OPERATOR), mailbox.keys(AS_OPERATOR)]);
  if (!found.ok) return problemPage(call, found.error);
  if (!stored.ok) return problemPage(call, stored.error);
  if (stored.value.keys.some((key) => key.id === id)) return madeBeforePage(call, address);
  const { kind } = found.value;
  const secret = newSecret();
  const made = await mailbox.createKey(AS_OPERATOR, {
    id,
    secretHash: secretDigest(secret),
    scope: kind === "permanent" ? "mailbox" : "provisional",
    expiresAt: null,
  });
  if (!made.ok) return problemPage(call, made.error);
  return keyPage(call, { address, key: keyOf(address, secret), kind, isNew: false });
}

/** Answers a form that was sent again. */
function madeBeforePage(call: ConsoleCall, address: string): Promise<Response> {
  return consolePage(call, {
    title: "Key created before",
    tab: "Mailboxes",
    status: STATUS.conflict,
    notice: { kind: "warn", text: "This form was sent before. No further key was made." },
    children: (
      <>
        <p>
          The key was shown once, and the server cannot show it again. If nobody copied it, make another key
          of <strong class="break">{address}</strong>.
        </p>
        <p class="actions">
          <a class="button" href={call.links.mailbox(address)}>
            Open the mailbox
          </a>
        </p>
      </>
    ),
  });
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

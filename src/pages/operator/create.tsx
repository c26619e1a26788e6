import { RESERVED_NAMES } from "../../mail/address/address.ts";
import { STATUS, type Problem } from "../../contract/problem.ts";
import { createMailbox } from "../../service/create-mailbox.ts";
import { consolePage, Form, type ConsoleCall } from "./frame.tsx";
import { keyPage } from "./key.tsx";

/** The mailbox that the operator wants to create. */
interface Wanted {
  name: string;
  kind: "permanent" | "temporary";
}

/** GET /operator/mailboxes/new. */
export function createPage(call: ConsoleCall): Promise<Response> {
  return creating(call, { name: "", kind: "permanent" }, null);
}

/** POST /operator/mailboxes/new: creates a mailbox and shows its key once. */
export async function create(call: ConsoleCall): Promise<Response> {
  const typed = (call.form.get("name") ?? "").trim().toLowerCase();
  const domain = `@${call.config.mailDomain}`;
  const name = typed.endsWith(domain) ? typed.slice(0, -domain.length) : typed;
  const kind = call.form.get("kind") === "temporary" ? "temporary" : "permanent";
  const made = await createMailbox(call.env, call.config, { field: "name", text: name, kind });
  if (!made.ok) return creating(call, { name: typed, kind }, made.error);
  const { mailbox, api_key } = made.value;
  return keyPage(call, { address: mailbox, key: api_key, kind, isNew: true });
}

function creating(call: ConsoleCall, wanted: Wanted, problem: Problem | null): Promise<Response> {
  const fault = problem === null ? null : faultText(wanted.name, problem);
  return consolePage(call, {
    title: "Create a mailbox",
    tab: "Mailboxes",
    status: problem === null ? 200 : STATUS[problem.code],
    children: (
      <>
        <Form call={call} action={call.links.create}>
          <div class={fault === null ? "field" : "field wrong"}>
            <label for="name">Name</label>
            <div class="suffixed">
              <input
                id="name"
                name="name"
                value={wanted.name}
                required
                maxlength={254}
                autocapitalize="none"
                autocomplete="off"
                autofocus
                spellcheck={false}
                aria-describedby={fault === null ? "name-hint" : "name-error name-hint"}
                aria-invalid={fault === null ? undefined : "true"}
              />
              <span class="mono break">@{call.config.mailDomain}</span>
            </div>
            {fault === null ? null : (
              <span class="error" id="name-error" role="alert">
                {fault}
              </span>
            )}
            <span class="hint" id="name-hint">
              1 to 40 of a–z, 0–9, dot, hyphen and underscore, beginning and ending with a letter or digit.
            </span>
          </div>
          <Kinds chosen={wanted.kind} />
          <div class="actions">
            <button class="primary">Create</button>
            <a class="button" href={call.links.mailboxes()}>
              Cancel
            </a>
          </div>
        </Form>
      </>
    ),
  });
}

function Kinds({ chosen }: { chosen: Wanted["kind"] }) {
  return (
    <fieldset class="choices">
      <legend>Kind</legend>
      <label>
        <input type="radio" name="kind" value="permanent" checked={chosen === "permanent"} />
        <span>
          Permanent
          <br />
          <span class="hint">Stays until it is erased; reads and sends.</span>
        </span>
      </label>
      <label>
        <input type="radio" name="kind" value="temporary" checked={chosen === "temporary"} />
        <span>
          Temporary
          <br />
          <span class="hint">Erases itself after 72 hours; reads, and sends nothing.</span>
        </span>
      </label>
    </fieldset>
  );
}

function faultText(name: string, problem: Problem): string {
  if (problem.code === "conflict") return `${problem.error}. Choose another name.`;
  if (RESERVED_NAMES.has(name)) return `“${name}” is reserved. Choose another name.`;
  if (problem.code === "invalid") return `“${name}” is not a valid name. The rules are below.`;
  return `${problem.error}.`;
}

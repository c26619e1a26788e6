import { MAX_REASON_CHARS } from "../../contract/routes/common.ts";
import type { SendingHalt } from "../../contract/sending-state.ts";
import { Field } from "../components/field.tsx";
import { Notice } from "../components/notice.tsx";
import { Form, type ConsoleCall } from "./frame.tsx";
import { countText, Moment } from "./words.tsx";

/** Why a form of the switch was refused. */
export interface SwitchFault {
  field: "reason" | "confirm";
  text: string;
}

interface SwitchProps {
  call: ConsoleCall;
  /** Null while sending is not halted. */
  halt: SendingHalt | null;
  /** Messages that wait for an attempt. */
  waiting: number;
  fault: SwitchFault | null;
}

/** The state of the sending of all mailboxes, and the form that changes it. */
export function HaltSwitch({ call, halt: halted, waiting, fault }: SwitchProps) {
  return halted === null ? (
    <Form call={call} action={call.links.haltSending}>
      <p>
        <span class="badge good">on</span> Every mailbox may send. If you halt sending, new messages are
        accepted and wait, and mail still arrives.
      </p>
      <Field
        id="reason"
        label="Reason (optional)"
        hint="Only operators see it."
        error={fault?.field === "reason" ? fault.text : undefined}
        input={{ name: "reason", maxlength: MAX_REASON_CHARS, autocomplete: "off" }}
      />
      <Confirmation fault={fault}>Halt the sending of all mailboxes</Confirmation>
      <button class="danger">Halt all sending</button>
    </Form>
  ) : (
    <Form call={call} action={call.links.resumeSending}>
      <Notice kind="bad">
        <strong>All sending is halted</strong> since <Moment at={halted.at} />.{" "}
        {countText(waiting, "message waits", "messages wait")}.{" "}
        {halted.reason === null ? null : <span class="break">Reason: {halted.reason}</span>}
      </Notice>
      <p>
        Within a minute after sending is resumed, each mailbox begins to send what waits. Before that, revoke
        the key that leaked, erase messages that must not go out, or pause their mailboxes.
      </p>
      <Confirmation fault={fault}>Send everything that waits</Confirmation>
      <button class="primary">Resume all sending</button>
    </Form>
  );
}

function Confirmation({ fault, children }: { fault: SwitchFault | null; children: string }) {
  const error = fault?.field === "confirm" ? fault.text : null;
  return (
    <div class={error === null ? "field" : "field wrong"}>
      <label class="check">
        <input
          type="checkbox"
          name="confirm"
          value="yes"
          required
          aria-describedby={error === null ? undefined : "confirm-error"}
          aria-invalid={error === null ? undefined : "true"}
        />
        <span>{children}</span>
      </label>
      {error === null ? null : (
        <span class="error" id="confirm-error" role="alert">
          {error}
        </span>
      )}
    </div>
  );
}

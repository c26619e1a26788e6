import type { Api } from "../../client/index.ts";
import { command } from "../command.ts";
import { OPERATIONS } from "../operations.ts";
import { bodyFlags } from "../route-flags.ts";
import type { Output } from "../terminal/output.ts";
import { shownTime } from "../time.ts";

type SendingState = Api["sendingState"]["answer"];

const haltBody = bodyFlags("haltSending");

const print = (output: Output, state: SendingState): Promise<void> =>
  output.fields(state, {
    Sending: state.status,
    ...(state.halted_at === null ? {} : { Since: shownTime(state.halted_at), Reason: state.reason }),
  });

/** Commands for the operator of the deployment. */
export const deploymentCommands = [
  command({
    name: "sending",
    summary: OPERATIONS.sendingState.summary,
    args: [],
    flags: {},
    examples: ["mailkeep sending --key-stdin < operator-key"],
    run: async ({ mail, output, signal }) => print(output, await mail.deployment.sending({ signal })),
  }),
  command({
    name: "sending halt",
    summary: OPERATIONS.haltSending.summary,
    args: [],
    flags: haltBody.flags,
    examples: ['mailkeep sending halt --reason "A key leaked" --key-stdin < operator-key'],
    run: async ({ mail, output, signal }, { flags }) =>
      print(output, await mail.deployment.haltSending(haltBody.read(flags), { signal })),
  }),
  command({
    name: "sending resume",
    summary: OPERATIONS.resumeSending.summary,
    args: [],
    flags: {},
    examples: ["mailkeep sending resume --key-stdin < operator-key"],
    run: async ({ mail, output, signal }) => print(output, await mail.deployment.resumeSending({ signal })),
  }),
];

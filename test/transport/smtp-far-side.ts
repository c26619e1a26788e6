import type { Behaviour, Bench } from "./conformance.ts";
import type { Rig } from "./rig.ts";
import { close, hang, reset, say, SmtpPeer } from "./smtp-peer.ts";
import type { Plan } from "./smtp-peer.ts";
import type { TransportChoice } from "./worker/order.ts";

const refuseSecond: Plan = {
  on: {
    RCPT: (talk, line) =>
      talk.write(line.includes("<second@") ? "550 5.1.1 no such user\r\n" : "250 2.1.5 fine\r\n"),
  },
};

const PLANS: Readonly<Record<Behaviour, Plan>> = {
  takes: {},
  "refuses the second": refuseSecond,
  defers: { on: { RCPT: say("450 4.2.0 come back later") } },
  "is lost after the end": { end: close },
  "is lost before the end": { data: reset },
  hangs: { end: hang },
};

/** A relay as a far side, spoken to by the transport that `choose` makes of its URL. */
export async function smtpFarSide(
  rig: Rig,
  behaviour: Behaviour,
  choose: (url: string) => TransportChoice,
  variant: { plan?: Plan; url?: Parameters<SmtpPeer["url"]>[0] } = {},
): Promise<Bench> {
  const peer = await SmtpPeer.start({ ...PLANS[behaviour], ...variant.plan });
  const actor = rig.actor();
  const transport = choose(peer.url(variant.url));
  rig.onBeforeEnd = () => Promise.resolve();
  return {
    send: (mail) => actor.send(transport, mail),
    taken: () =>
      peer.taken.map(({ commands, bytes }) => ({
        recipients: commands
          .flatMap((line) => /^RCPT TO: ?<(.*?)>/.exec(line)?.[1] ?? [])
          .filter((one) => accepts(behaviour, one)),
        bytes,
      })),
    lost: () => peer.idle(),
    onBeforeEnd(act) {
      rig.onBeforeEnd = act;
    },
  };
}

function accepts(behaviour: Behaviour, recipient: string): boolean {
  return behaviour !== "refuses the second" || !recipient.startsWith("second@");
}

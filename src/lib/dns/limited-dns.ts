import { DnsFailure, type Dns } from "./dns.ts";

/** How the look-ups for one mail are made. */
export interface LookUps {
  dns: Dns;
  /** Ends them. */
  signal: AbortSignal;
}

/** A resolver for one mail: it refuses what is beyond `questions`, so that no sender can have more looked up. */
export function limitedDns(dns: Dns, questions: number): Dns {
  let left = questions;
  return {
    async look(name, type, signal) {
      if (left === 0) throw new DnsFailure(`More than ${questions} names would have to be looked up`);
      left -= 1;
      return dns.look(name, type, signal);
    },
  };
}

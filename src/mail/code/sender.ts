/** Local parts that services send their codes from; no person has one. */
const MACHINE =
  /(?:^|[._+-])(?:no-?reply|do-?not-?reply|not-?reply|verify|verification|security|secure|accounts?|auth|login|signin|otp|codes?|2fa|tan|identity|passwords?|notify|notifications?|alerts?)(?:$|[._+-])/;

/** Whether an address is one that only machines write from. */
export function isMachine(address: string): boolean {
  return MACHINE.test(address.slice(0, Math.max(0, address.lastIndexOf("@"))).toLowerCase());
}

import { canonicalAddress } from "./address.ts";

/** Addresses that every mail domain must have: RFC 5321 §4.5.1 and RFC 2142 §4. */
const ROLES: readonly string[] = ["postmaster", "abuse"];

/** Whether an address, its tag aside, is a role address of this domain. */
export function isRoleAddress(address: string, domain: string): boolean {
  const canonical = canonicalAddress(address);
  return ROLES.some((role) => canonical === `${role}@${domain}`);
}

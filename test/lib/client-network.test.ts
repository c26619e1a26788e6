import { describe, expect, it } from "vitest";
import { NetworkCounts, networkOf } from "../../src/lib/client-network.ts";

describe("networkOf", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::6", "2001:db8:1:2::/64"],
    ["2001:db8::6", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
  ])("is one client: %s", (address, network) => expect(networkOf(address)).toBe(network));
});

describe("NetworkCounts", () => {
  /** How many of these addresses are counted, with at most 3 of a /64, 5 of a /56 and 7 of a /48. */
  const counted = (addresses: readonly string[]): number => {
    const counts = new NetworkCounts(3, 5, 7);
    return addresses.filter((address) => counts.add(address)).length;
  };
  const many = (addressOf: (n: number) => string): string[] =>
    Array.from({ length: 20 }, (_, n) => addressOf(n));

  it.each([
    ["one IPv4 address", 3, () => "192.0.2.7"],
    ["one /64", 3, (n: number) => `2001:db8:1:2::${n}`],
    ["one /56", 5, (n: number) => `2001:db8:1:ab0${(n % 16).toString(16)}::1`],
    ["one /48", 7, (n: number) => `2001:db8:1:${n}00::1`],
    ["several /48", 20, (n: number) => `2001:db8:${n}::1`],
    ["several IPv4 addresses", 20, (n: number) => `192.0.2.${n}`],
  ])("counts the connections of %s", (_, most, addressOf) => expect(counted(many(addressOf))).toBe(most));

  it("counts no refused connection, and forgets those that ended", () => {
    const counts = new NetworkCounts(1, 5, 7);
    expect(counts.add("2001:db8:1:2::1")).toBe(true);
    for (let n = 0; n < 9; n += 1) expect(counts.add("2001:db8:1:2::2")).toBe(false);
    expect(counts.of("2001:db8:1:ff::9")).toBe(1);
    counts.remove("2001:db8:1:2::1");
    expect(counts.of("2001:db8:1:2::1")).toBe(0);
    expect(counts.add("2001:db8:1:2::2")).toBe(true);
  });
});

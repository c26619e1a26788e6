/**
 * Names the other people in a thread, as the reader of `mailbox` sees it: everybody who wrote except the reader, whose addresses
 * with a tag (`name+tag@…`) are left out too.
 */
export function withWhom(participants: readonly string[], mailbox: string | null): string {
  const others = participants.filter((address) => untagged(address) !== mailbox);
  return others.length === 0 ? "Nobody else has written" : `With ${others.join(", ")}`;
}

function untagged(address: string): string {
  return address.toLowerCase().replace(/\+[^@]*(?=@[^@]*$)/, "");
}

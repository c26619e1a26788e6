/**
 * Who a conversation is with, as the reader of `mailbox` sees it: everybody who wrote in it but the reader, whose tags
 * (`name+tag@…`) are the reader too.
 */
export function withWhom(participants: readonly string[], mailbox: string | null): string {
  const others = participants.filter((address) => untagged(address) !== mailbox);
  return others.length === 0 ? "Nobody else has written" : `With ${others.join(", ")}`;
}

function untagged(address: string): string {
  return address.toLowerCase().replace(/\+[^@]*(?=@[^@]*$)/, "");
}

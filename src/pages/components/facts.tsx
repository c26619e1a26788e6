import type { Child } from "hono/jsx";

/** Names and values, in two columns where there is room. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: Child])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

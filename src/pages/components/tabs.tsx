interface TabsProps {
  /** Names the group to screen readers. */
  label: string;
  of: readonly { href: string; name: string }[];
  /** The `href` of the part that is shown. */
  current: string;
}

/** Parts of a page that lie behind one another. */
export function Tabs({ label, of, current }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {of.map(({ href, name }) => (
        <a href={href} aria-current={href === current ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

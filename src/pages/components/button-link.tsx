import type { PropsWithChildren } from "hono/jsx";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.ts";

interface ButtonLinkProps {
  href: string;
  /** Its relation to the page, such as `next`. */
  rel?: string;
  kind?: "primary" | "danger" | "quiet";
  icon?: IconName;
}

/** A link that looks like a button: it leads somewhere, and changes nothing. */
export function ButtonLink({ href, rel, kind, icon, children }: PropsWithChildren<ButtonLinkProps>) {
  return (
    <a class={kind === undefined ? "button" : `button ${kind}`} rel={rel} href={href}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </a>
  );
}

import { ICONS, type IconName } from "../../components/icons.ts";

const SVG = "http://www.w3.org/2000/svg";

/** Makes a picture that is named by the text beside it. */
export function icon(name: IconName): SVGElement {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", "icon");
  picture.setAttribute("viewBox", "0 0 16 16");
  picture.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  picture.append(path);
  return picture;
}

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { inflateSync } from "node:zlib";

const FOLDER = path.resolve(import.meta.dirname, "../../../node_modules/.cache/mailkeep-tests/fonts");
const resolve = createRequire(import.meta.url).resolve;

/** Fonts of the pictures, by package and file: Latin in four weights, Arabic, and one for code. */
const FONTS = [
  ...[400, 500, 600, 700].map((weight) => ["inter", `inter-latin-${weight}-normal`] as const),
  ...[400, 700].map((weight) => ["noto-sans-arabic", `noto-sans-arabic-arabic-${weight}-normal`] as const),
  ...[400, 700].map((weight) => ["dejavu-mono", `dejavu-mono-latin-${weight}-normal`] as const),
];

/** Names that style sheets use, and the font that stands for each. */
const STAND_INS = [
  ...["system-ui", "sans-serif", "serif", "Georgia", "Times New Roman", "Arial", "Helvetica"].map(
    (name) => [name, "Inter"] as const,
  ),
  ...["ui-monospace", "monospace", "Courier New"].map((name) => [name, "DejaVu Sans Mono"] as const),
];

/**
 * Writes a configuration of fontconfig that knows the fonts of the pictures and none of this machine, and answers its path, for
 * `FONTCONFIG_FILE`. A style sheet could name the fonts, but the policy of the pages refuses it, and how text is smoothed would
 * still follow the machine.
 */
export function pictureFonts(): string {
  mkdirSync(FOLDER, { recursive: true });
  for (const [family, name] of FONTS) {
    const wrapped = readFileSync(resolve(`@fontsource/${family}/files/${name}.woff`));
    writeFileSync(path.join(FOLDER, `${name}.ttf`), unwrapped(wrapped));
  }
  const file = path.join(FOLDER, "fonts.conf");
  writeFileSync(
    file,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
<dir>${FOLDER}</dir>
<cachedir>${path.join(FOLDER, "cache")}</cachedir>
${STAND_INS.map(([name, font]) => `<match target="pattern"><test name="family"><string>${name}</string></test><edit name="family" mode="assign" binding="strong"><string>${font}</string></edit></match>`).join("\n")}
<match target="font">
<edit name="antialias" mode="assign"><bool>true</bool></edit>
<edit name="hinting" mode="assign"><bool>false</bool></edit>
<edit name="rgba" mode="assign"><const>none</const></edit>
</match>
</fontconfig>
`,
  );
  return file;
}

/** The font in a WOFF file (W3C WOFF 1.0, sections 3 to 5): Chromium takes no other kind from the system. */
function unwrapped(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12);
  const header = Buffer.alloc(12 + 16 * count);
  header.writeUInt32BE(woff.readUInt32BE(4), 0);
  header.writeUInt16BE(count, 4);
  const power = Math.floor(Math.log2(count));
  header.writeUInt16BE(16 * 2 ** power, 6);
  header.writeUInt16BE(power, 8);
  header.writeUInt16BE(16 * (count - 2 ** power), 10);
  const tables: Buffer[] = [];
  let offset = header.length;
  for (let index = 0; index < count; index += 1) {
    const entry = woff.subarray(44 + 20 * index);
    const [start, packed, length] = [entry.readUInt32BE(4), entry.readUInt32BE(8), entry.readUInt32BE(12)];
    const stored = woff.subarray(start, start + packed);
    const table = packed < length ? inflateSync(stored) : stored;
    const place = 12 + 16 * index;
    entry.copy(header, place, 0, 4);
    header.writeUInt32BE(entry.readUInt32BE(16), place + 4);
    header.writeUInt32BE(offset, place + 8);
    header.writeUInt32BE(length, place + 12);
    // Tables begin at multiples of four bytes.
    const padded = Buffer.alloc(Math.ceil(length / 4) * 4);
    table.copy(padded);
    tables.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([header, ...tables]);
}

// Runs in an empty page of the browser, which can read and write WebP: `globalThis.pictures`.

/** Channels of a pixel may differ by so much: how glyphs are smoothed varies with the browser's version. */
const TOLERANCE = 48;
/** Of WebP, from 0 to 1. Text stays legible, and all pictures together stay small. */
const QUALITY = 0.5;

async function drawn(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext("2d", { willReadFrequently: true }).drawImage(image, 0, 0);
  return canvas;
}

function pixelsOf(canvas) {
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
}

/** A picture as it is stored. */
async function stored(url) {
  return (await drawn(url)).toDataURL("image/webp", QUALITY);
}

/**
 * The share of pixels that differ between two stored pictures, and the new one with those in red. 1 if their sizes differ. Both
 * have lost the same, so that the same page gives the same pixels.
 */
async function compare(before, after) {
  const [old, shown] = await Promise.all([drawn(before), drawn(after)]);
  if (old.width !== shown.width || old.height !== shown.height) {
    const sizes = [old, shown].map(({ width, height }) => `${width} × ${height}`);
    return { share: 1, sizes, difference: shown.toDataURL("image/webp", QUALITY) };
  }
  const [left, right] = [pixelsOf(old), pixelsOf(shown)];
  let count = 0;
  for (let at = 0; at < left.data.length; at += 4) {
    const isFar = [0, 1, 2].some(
      (channel) => Math.abs(left.data[at + channel] - right.data[at + channel]) > TOLERANCE,
    );
    if (isFar) count += 1;
    const colour = isFar ? [255, 0, 0] : [0, 1, 2].map((channel) => 128 + right.data[at + channel] / 2);
    right.data.set(colour, at);
  }
  shown.getContext("2d").putImageData(right, 0, 0);
  return {
    share: count / (left.data.length / 4),
    sizes: null,
    difference: shown.toDataURL("image/webp", QUALITY),
  };
}

globalThis.pictures = { stored, compare };

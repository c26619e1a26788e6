/**
 * CPU milliseconds that some work takes, the least of three tries: unlike the time on the wall it says little of what else the
 * machine does. For bounds that tell linear work from quadratic, which takes a hundred times as long on the same input.
 */
export function cpuMs(work: () => void): number {
  const tries = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1_000;
  });
  return Math.min(...tries);
}

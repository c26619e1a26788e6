import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MailkeepError } from "../../src/client/index.ts";
import { PassingBytes } from "../../src/cli/moving/archive-bytes.ts";
import { resumingExport, type Arrived } from "../../src/cli/moving/resuming-export.ts";

const cut = () =>
  new MailkeepError({ status: 0, code: "unreachable", message: "The answer broke off", retryable: true });
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A deployment that sends an export in answers of the given lengths, each but the last of which is cut off. */
class Deployment {
  readonly bytes = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 251));
  readonly asked: Arrived[] = [];
  readonly #lengths: number[];
  /** The error that ends an answer before its end. */
  failure: () => Error = cut;

  constructor(lengths: readonly number[]) {
    this.#lengths = [...lengths];
  }

  async *answer(from: number): AsyncGenerator<Uint8Array, void> {
    const length = this.#lengths.shift();
    const end = length === undefined ? this.bytes.length : Math.min(this.bytes.length, from + length);
    for (let at = from; at < end; at += 400) yield this.bytes.subarray(at, Math.min(end, at + 400));
    if (length !== undefined) throw this.failure();
  }

  /** All that a client gets, and how often it was told of a resumption. */
  async read(token: string | null = "token", signal = new AbortController().signal) {
    const got: Uint8Array[] = [];
    let times = 0;
    const ask = async (arrived: Arrived) => {
      this.asked.push(arrived);
      return { body: this.answer(arrived.offset), token };
    };
    const resumed = (sofar: number) => void (times = sofar);
    const first = { body: this.answer(0), token };
    let error: unknown = null;
    try {
      for await (const bytes of resumingExport(first, { ask, signal, resumed, pauseMs: () => 0 })) {
        got.push(bytes);
      }
    } catch (thrown) {
      error = thrown;
    }
    return { got: Buffer.concat(got), times, error };
  }
}

describe("an export that is cut off", () => {
  it("is resumed where it ended, and each byte comes once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(2_000), { maxLength: 9 }), async (lengths) => {
        const deployment = new Deployment(lengths);
        const { got, times, error } = await deployment.read();
        expect([error, got.equals(deployment.bytes), times]).toEqual([null, true, lengths.length]);
        for (const { resume, offset, sha256: stated } of deployment.asked) {
          expect([resume, stated]).toEqual(["token", sha256(deployment.bytes.subarray(0, offset))]);
        }
      }),
    );
  });

  it("is given up after ten attempts in a row that bring nothing, or a hundred in all", async () => {
    const silent = new Deployment([1_000, ...Array<number>(50).fill(0)]);
    expect(await silent.read()).toMatchObject({ error: { code: "unreachable" } });
    expect(silent.asked).toHaveLength(10);
    const slow = new Deployment(Array<number>(200).fill(1));
    expect((await slow.read()).error).toMatchObject({ code: "unreachable" });
    expect(slow.asked).toHaveLength(100);
  });

  it("is not resumed without a token, or where the deployment refuses", async () => {
    const old = new Deployment([1_000]);
    expect((await old.read(null)).error).toMatchObject({ code: "unreachable" });
    const changed = new Deployment([1_000, 0]);
    const refusal = new MailkeepError({ status: 409, code: "conflict", message: "It has changed" });
    const failures = [cut(), refusal];
    changed.failure = () => failures.shift() ?? cut();
    expect((await changed.read()).error).toBe(refusal);
    expect([old.asked.length, changed.asked.length]).toEqual([0, 1]);
  });

  it("is not resumed once its reader has gone", async () => {
    const reader = new AbortController();
    const deployment = new Deployment([0]);
    reader.abort(new Error("gone"));
    expect((await deployment.read("token", reader.signal)).error).toMatchObject({ message: "gone" });
    expect(deployment.asked).toEqual([]);
  });
});

describe("bytes that are read as they pass", () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 20 });
  const reads = fc.array(fc.record({ skip: fc.nat(600), length: fc.nat(1_500) }), { maxLength: 30 });

  it("are the same at every offset, and all are passed on once and in order", async () => {
    await fc.assert(
      fc.asyncProperty(pieces, reads, async (all, wanted) => {
        const whole = Buffer.concat(all);
        const passed: Uint8Array[] = [];
        const arriving = (async function* () {
          yield* all;
        })();
        const bytes = new PassingBytes(arriving, async (piece) => void passed.push(piece));
        let at = 0;
        for (const { skip, length } of wanted) {
          expect(Buffer.from(await bytes.at(at, length)).equals(whole.subarray(at, at + length))).toBe(true);
          at = Math.min(whole.length, at + Math.min(skip, length));
          bytes.forget(at);
        }
        const end = Buffer.from(await bytes.end());
        expect(whole.subarray(at).subarray(-1_024).equals(end)).toBe(true);
        expect(Buffer.concat(passed).equals(whole)).toBe(true);
      }),
    );
  });
});
